"""The audit of a release of generalized baskets."""

from __future__ import annotations

from collections.abc import Callable

from shoal.audit.verdict import Verdict
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.release.generalized_baskets import GeneralizedBaskets

Progress = Callable[[str, int, int], None]


def audit(
    release: GeneralizedBaskets,
    *,
    original: Transactions | None = None,
    hierarchy: Hierarchy | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """To be written."""
    del release, original, hierarchy, progress
    return Verdict(())
