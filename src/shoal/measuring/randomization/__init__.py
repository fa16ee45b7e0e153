"""What chance hides, what it costs, and which settings reach what: closed forms."""
