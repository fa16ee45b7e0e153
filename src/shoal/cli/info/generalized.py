"""What ``shoal info`` says of a generalized release: how much less it says than a table would."""

from __future__ import annotations

from shoal.cli.info.description import Described
from shoal.measuring.tables.generalization import generalization
from shoal.release.generalized import Generalized


def describe(release: Generalized) -> Described:
    """What the release alone tells of its cost."""
    report = generalization(release)
    return Described({"metrics": [metric.as_dict() for metric in report]}, ("", str(report)))
