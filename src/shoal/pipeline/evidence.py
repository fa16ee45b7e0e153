"""Refuse evidence that does not apply to a release, instead of ignoring it."""

from __future__ import annotations

import os

from shoal.audit.attack.adversary import Adversary
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release import Release
from shoal.release.evidence import Evidence
from shoal.run import Run
from shoal.shapes import SHAPES

_CALLED = {
    "original": "an original",
    "rules": "negative rules",
    "hierarchies": "hierarchies of columns",
    "hierarchy": "a hierarchy of items",
    "others": "other releases",
    "trace": "a trace",
}
_KINDS = {"baskets": "baskets", "table": "a table"}


def require_evidence(release: Release, evidence: Evidence, folder: str | os.PathLike[str]) -> None:
    """Refuse evidence that does not apply to the shape of the release."""
    shape = SHAPES[release.shape]
    if evidence.original is not None:
        given = "table" if isinstance(evidence.original, Table) else "baskets"
        if given != shape.data:
            raise InputError(
                f"{folder} is a release of {_KINDS[shape.data]}, and the original was read as {_KINDS[given]}"
            )
    idle = sorted(evidence.given - shape.evidence, key=list(_CALLED).index)
    if idle:
        raise InputError(f"{folder} is {shape.called}: remove {_listed([_CALLED[name] for name in idle])}")


def require_adversary(
    release: Release, adversary: Adversary, run: Run, folder: str | os.PathLike[str], *, others: bool
) -> None:
    """Refuse options that no attack on the shape of the release uses."""
    shape = SHAPES[release.shape]
    used = shape.adversary | (shape.with_others if others else frozenset())
    given = adversary.given | ({"seed"} if run.chance is not None else set())
    idle = sorted(given - used)
    if idle:
        alone = " without another one" if shape.with_others and not others else ""
        raise InputError(f"{folder} is {shape.called}, and no attack on such a release{alone} uses {_listed(idle)}")


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
