"""Attacks on people of whom an adversary knows something."""
