"""The possible originals of a disassociated release: its trees, their possible originals, and bounds on them."""
