"""What releases of tables keep of their original."""
