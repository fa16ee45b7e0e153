"""Attacks on people about whom the adversary knows something."""
