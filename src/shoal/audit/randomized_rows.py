"""What a randomized release says of itself for certain: sizes, sets of items, an order that tells nothing, epsilon."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, itemset, records
from shoal.release.randomized import Randomized

ORDER = "order"
Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


def check_rows(release: Randomized) -> Iterator[Check]:
    """Sizes and rows are such that everything else makes sense; the order of rows, and epsilon."""
    yield _sizes(release)
    yield _sets(release)
    what = "rows stand in the order of what they hold, which tells nothing of where they come from"
    yield decided(ORDER, what, release.n_rows, _out_of_order(release))
    if release.privacy is not None:
        yield _epsilon(release)


def _sizes(release: Randomized) -> Check:
    promise = release.promise
    what = "there are as many rows as the promise says, and made-up ones have no more items than there are"
    fakes = math.floor(promise.fakes * release.n_records + 0.5)
    longest = max((length for length, _ in promise.fake_lengths), default=0)
    witness = None
    if release.n_records < 1 or release.n_items < 1:
        witness = f"the release is of {records(release.n_records)} and {release.n_items:,} items"
    elif release.n_rows != release.n_records + fakes:
        witness = (
            f"there are {release.n_rows:,} rows: {records(release.n_records)} and {promise.fakes:g} made-up rows for "
            f"each would be {release.n_records + fakes:,}"
        )
    elif longest > release.n_items:
        witness = f"made-up rows are said to have up to {longest:,} items, and there are {release.n_items:,}"
    return decided("sizes", what, release.n_rows, witness)


def _sets(release: Randomized) -> Check:
    items = release.items
    same_row = np.ones(len(items), bool)
    starts = release.offsets[:-1]
    same_row[starts[starts < len(items)]] = False
    wrong = items[1:] <= items[:-1]
    wrong &= same_row[1:]
    witness = None
    if wrong.any():
        at = int(np.argmax(wrong))
        row = int(np.searchsorted(release.offsets, at, side="right")) - 1
        witness = f"row {row} is {_shown(release, row)}"
    return decided("rows", "the items of each row ascend, none of them twice", release.n_rows, witness)


def _out_of_order(release: Randomized) -> str | None:
    """Two neighbours that stand the wrong way round."""
    tied = np.arange(release.n_rows - 1) if len(release.items) else np.empty(0, np.int64)
    place, width = 0, 1
    while len(tied):
        first, second = (_part(release, rows, place, width) for rows in (tied, tied + 1))
        differ = first != second
        column = np.argmax(differ, axis=1)[:, None]
        wrong = tied[(np.take_along_axis(first, column, 1) > np.take_along_axis(second, column, 1))[:, 0]]
        if len(wrong):
            row = int(wrong[0])
            pair = f"row {row + 1}, {_shown(release, row + 1)}, stands behind row {row}, {_shown(release, row)}"
            return pair + and_more(len(wrong) - 1, "such pairs")
        tied = tied[~differ.any(axis=1) & (first[:, -1] >= 0)]
        # Pairs that are left agree on as many items as are looked at next: all parts together stay within the rows.
        place, width = place + width, place + width
    return None


def _part(release: Randomized, rows: Int64, place: int, width: int) -> Int32:
    """Some items of each of some rows; -1, which comes before all items, where the row has ended."""
    at = (release.offsets[rows] + place)[:, None] + np.arange(width)
    ended = at >= release.offsets[rows + 1][:, None]
    return np.where(ended, np.int32(-1), release.items[np.minimum(at, len(release.items) - 1)])


def _epsilon(release: Randomized) -> Check:
    privacy, keep = release.privacy, release.promise.keep_prob
    assert privacy is not None
    differing = min(2 * privacy.max_basket, release.n_items)
    what = (
        f"epsilon is what flips promise: two records of at most {privacy.max_basket:,} items differ in up to "
        f"{differing:,}, each of which counts for ln(keep_prob / flip_prob)"
    )
    least = differing * math.log(keep / (1 - keep)) if keep < 1 else math.inf
    witness = None
    if privacy.epsilon < least:
        witness = f"epsilon is said to be {privacy.epsilon:g}, and is {least:g}"
    return decided("differential privacy", what, 1, witness)


def _shown(release: Randomized, row: int) -> str:
    return itemset(release.vocabulary, release.items[release.offsets[row] : release.offsets[row + 1]].tolist())
