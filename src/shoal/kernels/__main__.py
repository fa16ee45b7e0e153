"""Compile every kernel now, so that the first run does not have to."""

import importlib
import pkgutil

import shoal.kernels

for module in pkgutil.iter_modules(shoal.kernels.__path__):
    if not module.name.startswith("__"):
        importlib.import_module(f"shoal.kernels.{module.name}")
