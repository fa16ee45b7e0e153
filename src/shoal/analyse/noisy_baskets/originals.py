"""Baskets with noisy counts, each as often as its count says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from shoal.analyse.originals import Originals
from shoal.data.transactions import Transactions
from shoal.release.noisy_baskets import NoisyBaskets


def originals(release: NoisyBaskets) -> Originals:
    """Repeats the published baskets; chance plays no part."""
    return Originals(
        partial(_repeated, release),
        {"records": release.n_records},
        f"{release.n_records:,} records",
        "These are the published baskets, each as often as its noisy count says. They are not the original: rare "
        "baskets are missing, and some that nobody has are among them.",
        are_drawn=False,
    )


def _repeated(
    release: NoisyBaskets, n: int, *, seed: int | None, progress: Callable[[str, int, int], None]
) -> Iterator[Transactions]:
    assert seed is None  # it stands in for chance, which plays no part here
    progress("reconstruct", 0, n)
    yield release.baskets()
    progress("reconstruct", n, n)
