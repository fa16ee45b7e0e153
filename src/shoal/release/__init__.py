"""What leaves the house: one file per shape, plain data, no input or output."""
