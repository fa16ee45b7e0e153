"""The certain properties of a randomized release: sizes, sets, an order without information, epsilon, its item list."""

from __future__ import annotations

import math
from collections.abc import Iterator

from shoal.audit.row_order import rows_not_ascending, rows_out_of_order
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, itemset, records
from shoal.quoting import shown
from shoal.release.randomized import Randomized

ORDER = "order"


def check_rows(release: Randomized) -> Iterator[Check]:
    """Sizes and rows have the structure that all other checks need; the order of rows, epsilon and the list."""
    yield _sizes(release)
    yield _sets(release)
    what = "rows are sorted by content, so their order says nothing about where they come from"
    yield decided(ORDER, what, release.n_rows, _out_of_order(release))
    if release.privacy is not None:
        yield _epsilon(release)
        yield _one_list(release.promise.item_list, release.privacy.item_list)


def _sizes(release: Randomized) -> Check:
    promise = release.promise
    what = "there are as many rows as the promise says, and fake transactions have no more items than there are"
    fakes = math.floor(promise.fakes * release.n_records + 0.5)
    longest = max((length for length, _ in promise.fake_lengths), default=0)
    witness = None
    if release.n_records < 1 or release.n_items < 1:
        witness = f"the release is of {records(release.n_records)} and {release.n_items:,} items"
    elif release.n_rows != release.n_records + fakes:
        witness = (
            f"there are {release.n_rows:,} rows: {records(release.n_records)} and {promise.fakes:g} fake transactions "
            f"for each would be {release.n_records + fakes:,}"
        )
    elif longest > release.n_items:
        witness = f"fake transactions are stated to have up to {longest:,} items, and there are {release.n_items:,}"
    return decided("sizes", what, release.n_rows, witness)


def _sets(release: Randomized) -> Check:
    wrong = rows_not_ascending(release.offsets, release.items)
    witness = f"row {int(wrong[0])} is {_shown(release, int(wrong[0]))}" if len(wrong) else None
    return decided("rows", "the items of each row ascend, none of them twice", release.n_rows, witness)


def _out_of_order(release: Randomized) -> str | None:
    """Two neighbours in the wrong order."""
    wrong = rows_out_of_order(release.offsets, release.items)
    if not len(wrong):
        return None
    row = int(wrong[0])
    pair = f"row {row + 1}, {_shown(release, row + 1)}, comes after row {row}, {_shown(release, row)}"
    return pair + and_more(len(wrong) - 1, "such pairs")


def _epsilon(release: Randomized) -> Check:
    privacy, keep = release.privacy, release.promise.keep_prob
    assert privacy is not None
    differing = min(2 * privacy.max_basket, release.n_items)
    what = (
        f"epsilon is what the flips give: two records of at most {privacy.max_basket:,} items differ in up to "
        f"{differing:,}, and each counts for ln(keep_prob / flip_prob)"
    )
    least = differing * math.log(keep / (1 - keep)) if keep < 1 else math.inf
    witness = None
    if privacy.epsilon < least:
        witness = f"epsilon is stated as {privacy.epsilon:g}, and is {least:g}"
    return decided("differential privacy", what, 1, witness)


def _one_list(first: str, second: str) -> Check:
    what = "both promises say the same about the list of items: it was given, or taken from the data"
    witness = None if first == second else f"the first promise says {shown(first)}, the second {shown(second)}"
    return decided("list of items", what, 2, witness)


def _shown(release: Randomized, row: int) -> str:
    return itemset(release.vocabulary, release.items[release.offsets[row] : release.offsets[row + 1]].tolist())
