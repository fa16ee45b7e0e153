"""Load objects that registries name as text, ``module:attribute``, when they are first needed.

A registry that imported its objects would load all of Shoal, and would make the auditor depend on the publishers.
"""

from __future__ import annotations

import importlib
from typing import Any


def loaded(name: str) -> Any:
    """The module, or the attribute of a module, that ``module`` or ``module:attribute`` names.

    Example:
        >>> loaded("shoal.promises:KmAnonymity")(k=5, m=2)
        KmAnonymity(k=5, m=2)
    """
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found
