"""Where work runs: a pool of threads. Knows nothing of what the work is."""
