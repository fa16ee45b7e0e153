"""Compile every kernel now, so that the first run does not have to; ends with 2 where they cannot be kept."""

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
