"""Publishing methods: one file or folder for each method."""
