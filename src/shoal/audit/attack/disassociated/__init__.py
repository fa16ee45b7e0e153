"""Attacks on a disassociated release, one module each; only ``every_attack`` loads them all."""
