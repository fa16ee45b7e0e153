"""What registries name as text, ``module:attribute``, loaded when it is first asked for.

A registry that imported what it names would load all of Shoal, and would tie the auditor to the publishers.
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
