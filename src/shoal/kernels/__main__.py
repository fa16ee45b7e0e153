"""Compile every kernel before the first run; the exit code is 2 if compiled kernels cannot be stored."""

import importlib
import pkgutil
import sys

import shoal.kernels
from shoal.kernels.kept_folders import HOW_TO_KEEP, not_kept

for module in pkgutil.iter_modules(shoal.kernels.__path__):
    if not module.name.startswith("__"):
        importlib.import_module(f"shoal.kernels.{module.name}")
if reason := not_kept():
    sys.stderr.write(f"error: the compiled kernels cannot be kept: {reason}. {HOW_TO_KEEP}\n")
    sys.exit(2)
