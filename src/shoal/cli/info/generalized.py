"""What ``shoal info`` reports on a generalized release: how much detail it has lost."""

from __future__ import annotations

from shoal.cli.info.description import Described
from shoal.measuring.tables.generalization import generalization
from shoal.release.generalized import Generalized


def describe(release: Generalized) -> Described:
    """The cost that the release alone shows."""
    report = generalization(release)
    return Described({"metrics": [metric.as_dict() for metric in report]}, ("", str(report)))
