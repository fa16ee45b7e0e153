"""What a disassociated release leaves possible: its trees, the originals that each may have had, and bounds on them."""
