"""What randomization hides, what it costs, and which settings reach a target: closed forms."""
