"""Attacks on a disassociated release, a module each: to look at one loads no other, and ``every_attack`` loads all."""
