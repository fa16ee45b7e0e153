"""Compiled loops on arrays, without options, without errors, and independent of the rest of Shoal.

Each kernel has one signature, is cached on disk, and releases the interpreter lock. ``python -m shoal.kernels``
compiles all of them ahead of the first use.
"""
