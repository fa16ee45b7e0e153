"""How identifying data are, and what groups of a release give away."""
