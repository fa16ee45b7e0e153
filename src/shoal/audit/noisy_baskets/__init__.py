"""The audit of noisy baskets: certain checks from the release alone and, with the original, what chance allows.

R. Chen et al., PVLDB 2011 (DiffPart). Written from the promise; it shares no code with the publisher. The path of a
basket, its budget and the threshold of its count follow from the hierarchy and epsilon. Only the original shows whether
noise was added, and as much as stated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from shoal.audit.equal_rows import kinds_of_rows
from shoal.audit.listed_items import check_list
from shoal.audit.node_trees import wrong_tree
from shoal.audit.noisy_baskets.noise_of_counts import NOISE, check_counts, check_missing, check_noise, match_original
from shoal.audit.noisy_baskets.splits import UNIT, LastCounts, last_counts
from shoal.audit.not_tried import LeftOut
from shoal.audit.row_order import rows_not_ascending, rows_out_of_order
from shoal.audit.trees import bottom
from shoal.audit.verdict import Check, Verdict, decided, not_checked
from shoal.audit.wording import and_more, itemset
from shoal.data.transactions import Transactions
from shoal.release.evidence import Evidence
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import DEFAULT_RUN, Run

TREE, ROWS, ORDER, BUDGET, COUNTS = "hierarchy", "rows", "order", "budget", "counts"
MOST_EPSILON = 1000
"""Above this epsilon the promise has no practical value."""
_STAGES = ("rows", "counts", "original")


def check(release: NoisyBaskets, evidence: Evidence, run: Run = DEFAULT_RUN) -> Verdict:
    """The audit with the evidence that it can use."""
    return audit(release, original=evidence.baskets, run=run)


def audit(release: NoisyBaskets, *, original: Transactions | None = None, run: Run = DEFAULT_RUN) -> Verdict:
    """Check the promise of a release of noisy baskets, as far as the evidence allows.

    Args:
        release: The release, as read from its folder. It may be damaged or hostile in any way that its shape allows;
            the audit then ends with a verdict that does not hold.
        original: The data it was made from. Only they show whether there is noise in the counts.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One entry for each condition, with a witness for each that does not hold. Checks that the folder alone does not
        allow are reported as left out. A correctly made release fails with a chance below one in a billion.
    """
    return Verdict.of_stages(_stages(release, original), _STAGES, run)


def _stages(release: NoisyBaskets, original: Transactions | None) -> Iterator[tuple[str, list[Check | LeftOut]]]:
    shape = list(_shape(release))
    yield "rows", [*shape]
    if not all(check.holds for check in shape):
        why = "the hierarchy, the rows or epsilon are wrong"
        yield "counts", [not_checked(COUNTS, "makes sense only for a release of the right shape", why)]
        yield "original", []
        return
    published = last_counts(release.tree, release.promise.epsilon, release.offsets, release.items)
    yield "counts", [_least(release, published), *_chance(release)]
    yield "original", list(_without() if original is None else _with(release, original, published))


def _shape(release: NoisyBaskets) -> Iterator[Check]:
    """Hierarchy, baskets and epsilon have the structure that all other checks need."""
    wrong = wrong_tree(release.tree, whole=True)
    what = (
        "the nodes of the hierarchy are in depth-first order under distinct labels, and each represents the items "
        "below it"
    )
    yield decided(TREE, what, len(release.tree), wrong)
    what = "every basket has items of the bottom of the hierarchy, ascending, none of them twice, and a count from 1 on"
    order = "baskets are sorted by content, and no basket occurs twice"
    if wrong:
        yield from (not_checked(name, text, "the hierarchy is wrong") for name, text in ((ROWS, what), (ORDER, order)))
        return
    bad = _wrong_row(release)
    yield decided(ROWS, what, release.n_rows, bad)
    if bad:
        yield not_checked(ORDER, order, "rows are wrong")
    else:
        yield decided(ORDER, order, release.n_rows, _out_of_order(release))
    yield _budget(release)


def _wrong_row(release: NoisyBaskets) -> str | None:
    if len(release.row_counts) != release.n_rows:
        return f"there are {release.n_rows:,} baskets and {len(release.row_counts):,} counts"
    nowhere = np.flatnonzero((release.items < 0) | (release.items >= len(release.tree)))
    if len(nowhere):
        return f"item {int(release.items[nowhere[0]])} is not one of {len(release.tree):,} nodes"
    owners = np.repeat(np.arange(release.n_rows), release.lengths)
    wrong = np.concatenate(
        [
            rows_not_ascending(release.offsets, release.items),
            owners[~bottom(release.tree)[release.items]],
            np.flatnonzero((release.lengths == 0) | (release.row_counts < 1)),
        ]
    )
    if not len(wrong):
        return None
    row = int(wrong.min())
    return f"basket {row}, {_shown(release, row)}, is there {int(release.row_counts[row]):,} times" + and_more(
        len(np.unique(wrong)) - 1, "baskets"
    )


def _out_of_order(release: NoisyBaskets) -> str | None:
    """A basket that does not come after the one before it."""
    wrong = rows_out_of_order(release.offsets, release.items)
    if not len(wrong):
        kinds = kinds_of_rows(release.offsets, release.items, len(release.tree))
        wrong = np.flatnonzero(kinds[1:] == kinds[:-1])
    if not len(wrong):
        return None
    row = int(wrong[0])
    pair = f"basket {row + 1}, {_shown(release, row + 1)}, comes after basket {row}, {_shown(release, row)}"
    return pair + and_more(len(wrong) - 1, "such pairs")


def _budget(release: NoisyBaskets) -> Check:
    epsilon, inner = release.promise.epsilon, int((~bottom(release.tree)).sum())
    what = f"epsilon is at most {MOST_EPSILON:,}, and enough for as many splits as the hierarchy can need"
    witness = None
    if not 0 < epsilon <= MOST_EPSILON:
        witness = f"epsilon is {epsilon:g}"
    elif epsilon / UNIT // 2 < inner:
        witness = f"epsilon is {epsilon:g}, and the hierarchy has {inner:,} inner nodes"
    return decided(BUDGET, what, inner, witness)


def _least(release: NoisyBaskets, published: LastCounts) -> Check:
    what = "every basket is counted at least as often as the threshold for its share of epsilon requires"
    few = np.flatnonzero(release.row_counts < published.least)
    witness = None
    if len(few):
        row = int(few[0])
        witness = (
            f"{_shown(release, row)} has the count {int(release.row_counts[row]):,}, but counts below "
            f"{int(published.least[row]):,} are not published with a budget of {published.budgets[row]:.4g}"
        ) + and_more(len(few) - 1, "baskets")
    return decided(COUNTS, what, release.n_rows, witness)


def _chance(release: NoisyBaskets) -> Iterator[LeftOut]:
    if release.reproducible:
        yield LeftOut(
            "chance",
            "the noise was drawn from a seed: anyone with it can undo the noise, so this release must not be published",
        )


def _without() -> Iterator[LeftOut]:
    """What only the original shows."""
    why = "a release alone does not show whether there is noise in the counts, and enough: this needs the data"
    yield LeftOut(NOISE, f"{why} (--original FILE)")


def _with(release: NoisyBaskets, original: Transactions, published: LastCounts) -> Iterator[Check | LeftOut]:
    matched, missing = match_original(release, original)
    lowest = np.flatnonzero(bottom(release.tree)).tolist()
    labels = pa.array([release.tree.labels[node] for node in lowest], pa.string())
    yield check_list(labels, release.promise.item_list, original, "the hierarchy")
    if missing:
        yield not_checked(NOISE, "makes sense only for the right original", "the release is of other items")
        return
    yield check_counts(release, matched, published)
    yield check_missing(release, matched)
    yield check_noise(release, matched, published)


def _shown(release: NoisyBaskets, row: int) -> str:
    nodes = release.items[release.offsets[row] : release.offsets[row + 1]].tolist()
    return itemset(pa.array(release.tree.labels), nodes)
