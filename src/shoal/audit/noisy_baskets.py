"""The audit of a release of noisy baskets."""

from __future__ import annotations

from collections.abc import Callable

from shoal.audit.verdict import Verdict
from shoal.data.transactions import Transactions
from shoal.release.noisy_baskets import NoisyBaskets

Progress = Callable[[str, int, int], None]


def audit(
    release: NoisyBaskets,
    *,
    original: Transactions | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """To be written."""
    del release, original, progress
    return Verdict(())
