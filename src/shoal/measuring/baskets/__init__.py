"""What releases of baskets keep of their original."""
