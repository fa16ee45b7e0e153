"""Check whether Numba, which compiles the kernels, is installed, and say what to do if not."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

_PACKAGES = ("numba", "llvmlite")


class NumbaMissing(ImportError):  # noqa: N818  (the message says what is wrong; the name says what it is)
    """Numba is not installed, or cannot be loaded here; the message says what to do."""

    def __init__(self, why: str = "Numba is needed, and is not installed: pip install numba") -> None:
        super().__init__(why, name="numba")


def numba_missing(cause: ImportError) -> NumbaMissing:
    """The error to raise instead of Python's, which names a module and no remedy."""
    if isinstance(cause, ModuleNotFoundError) and (cause.name or "").partition(".")[0] in _PACKAGES:
        return NumbaMissing()
    return NumbaMissing(f"Numba is installed, but cannot be loaded ({cause}): pip install --upgrade numba")


def numba_is_installed() -> bool:
    """Whether the packages are there; loads none of them."""
    return all(find_spec(name) is not None for name in _PACKAGES)


def require_numba() -> None:
    """Refuse to begin work that needs kernels at its end; loads nothing.

    Raises:
        NumbaMissing: it is not installed.
    """
    if not numba_is_installed():
        raise NumbaMissing


def why_no_kernels() -> str | None:
    """Why no kernel can run here, or None if they can. Loads Numba."""
    try:
        importlib.import_module("shoal.kernels.compiling")
    except NumbaMissing as error:
        return str(error)
    return None
