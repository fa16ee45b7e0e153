"""What to change where a release would be empty: advice for who publishes, by method, with the numbers of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.audit.emptiness import nearly_unique, nearly_unique_columns
from shoal.errors import EmptyKind
from shoal.promises import DifferentialPrivacy
from shoal.quoting import called
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

_AGAIN = "This try has spent its epsilon, and another one spends its own on top."
_STEPS = tuple(float(digit * 10**power) for power in range(-6, 15) for digit in (1, 2, 5))
_FEW = 0.05
"""Steps are proposed that leave at most such a share of the rows a value of their own."""


def advice_for(release: Release, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    if kind == "empty promise":
        assert isinstance(release, Bucketized | Generalized)
        return _coarser_values(release)
    if isinstance(release, Disassociated):
        return f"Try {_either(list(_of_chunks(release)))}."
    if isinstance(release, Generalized):
        return f"Try {_either(list(_of_groups(release)))}."
    if isinstance(release, GeneralizedBaskets):
        k, m, items = release.promise.k, release.promise.m, int(release.tree.leaves[0])
        parts = [
            "a hierarchy with more levels, or one that joins rare items with rare ones (shoal generate hierarchy "
            "--items --kind frequency)",
            *_smaller("k", k, 2),
            *_smaller("m", m, 1),
            f"fewer of the {items:,} items, without the rarest",
            "another method (shoal compare)",
        ]
        return f"A few rare items are enough for that where nothing but the root is above them. Try {_either(parts)}."
    if isinstance(release, Randomized):
        keep = release.promise.keep_prob
        said = f"Try a --keep-prob above {keep:g}, or more records: there are {release.n_records:,}."
        private = any(isinstance(promise, DifferentialPrivacy) for promise in release.promises)
        return f"{said} {_AGAIN}" if private else said
    assert isinstance(release, NoisyBaskets)
    return (
        f"No basket was frequent enough. Try an --epsilon above {release.promise.epsilon:g}, or a hierarchy of fewer "
        f"than {release.n_items:,} items. {_AGAIN}"
    )


def _of_chunks(release: Disassociated) -> Iterator[str]:
    k, sizes = release.promise.k, release.cluster_size[release.is_leaf]
    yield from _smaller("k", k, 2)
    if release.links is not None:
        yield "leaving out --cover-safe"
    if release.diversity is not None:
        yield f"fewer sensitive items than {len(release.diversity.sensitive):,}, or an -l below {release.diversity.l:,}"
    if len(sizes) > 1:
        yield (
            f"larger clusters (--max-cluster-size): the largest of {len(sizes):,} holds {int(sizes.max()):,} of "
            f"{release.n_records:,} records"
        )
    yield f"coarser items: there are {len(release.vocabulary):,} for {release.n_records:,} records"


def _of_groups(release: Generalized) -> Iterator[str]:
    k, rows = release.promise.k, release.n_rows
    if rows < 2 * k:
        largest = rows // 2
        yield f"more rows: two groups of k = {k:,} need {2 * k:,}, and {rows:,} are published" + (
            f", which k = {largest:,} allows" if largest >= 2 else ""
        )
        return
    yield from _smaller("k", k, 2)
    yield f"a larger --max-suppressed ({release.suppressed:,} of {rows + release.suppressed:,} rows are left out now)"
    if release.method == "bottom-up":
        yield "--strategy mondrian, which generalizes row by row"
    most = max(release.quasi, key=lambda column: int(column.tree.leaves[0]))
    values = int(most.tree.leaves[0])
    finer = "" if most.making not in (None, "values") else f" --hierarchy {called(most.name)}=FILE with more levels, or"
    dropped = f" leaving {called(most.name)} ({values:,} different values) out of --quasi"
    if len(release.quasi) > 1:
        yield (finer + dropped).strip()
    else:
        yield f"--hierarchy {called(most.name)}=FILE with more levels above its {values:,} values"


def _smaller(name: str, number: int, least: int) -> Iterator[str]:
    if number > least:
        yield f"a smaller -{name} than {number:,}"


def _coarser_values(release: Bucketized | Generalized) -> str:
    """Steps to which numbers are to be rounded; how many values that leaves; or that values must be joined."""
    if isinstance(release, Bucketized):
        name, rows, most = release.sensitive, release.n_rows, release.n_rows // release.promise.l
        texts = [str(value) for value in release.values.take(release.bucket_values).to_pylist()]
        times = release.bucket_counts
    else:
        column = nearly_unique_columns(release)[0]
        name, rows, most = column.name, release.n_rows, release.n_rows
        shown = np.flatnonzero((column.counts > 0) & (column.tree.leaves == 1) & (np.arange(len(column.tree)) > 0))
        texts, times = [column.tree.labels[node] for node in shown.tolist()], column.counts[shown]
    different = len(set(texts))
    where = called(name)
    said = f"Publish coarser values of {where} instead of {different:,} different ones"
    numbers = _numbers(texts)
    found = None if numbers is None else _step(numbers, times, rows, most)
    if numbers is None:
        return f"{said}: replace each by a group or category of it before publishing, or leave {where} out."
    low, high = numbers.min(), numbers.max()
    if found is None:
        return f"{said} from {low:,.10g} to {high:,.10g}: replace each by a range before publishing, or leave it out."
    step, left, alone = found
    return (
        f"{said} from {low:,.10g} to {high:,.10g}: rounded down to multiples of {step:,.10g} before publishing, "
        f"{left:,} different ones are left, and {alone:,} of {rows:,} rows have one of their own."
    )


def _numbers(texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return None
    return numbers if len(numbers) and np.all(np.isfinite(numbers)) else None


def _step(
    numbers: np.ndarray[tuple[int], np.dtype[np.float64]],
    times: np.ndarray[tuple[int], np.dtype[np.int64]],
    rows: int,
    most: int,
) -> tuple[float, int, int] | None:
    """The smallest round step that leaves few rows a value of their own, how many values there are then, and such rows.

    ``most``: so many rows may have one value, or the promise could not be kept.
    """
    for step in _STEPS:
        with np.errstate(over="ignore"):
            steps = np.floor(numbers / step)
        if not np.isfinite(steps).all():
            continue
        found, place = np.unique(steps, return_inverse=True)
        held = np.bincount(place, weights=times).astype(np.int64)
        alone = int(np.count_nonzero(held == 1))
        if alone <= _FEW * rows and not nearly_unique(rows, alone) and held.max() <= most and len(found) > 1:
            return step, len(found), alone
    return None


def _either(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; or {parts[-1]}"
