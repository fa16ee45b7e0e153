"""k-anonymity with hidden Q-S associations. Figure 3."""
