"""Whether a bucketized release has the structure of groups of rows and counts of sensitive values.

X. Xiao, Y. Tao: Anatomy, VLDB 2006, definition 3. These checks concern no promise, but the checks of promises are only
valid for releases of this shape. The order of rows, groups and entries must follow from what is published, or it could
be that of the original.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.parts import steps
from shoal.audit.values import numbers_of_rows
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, value_name
from shoal.data.arrays import Int64
from shoal.quoting import named
from shoal.release.bucketized import Bucketized

COMPARED = 16
"""Groups that are equal in so many rows may be in any order."""
SKIPPED = "makes sense only for a release of the right shape"


def check_structure(release: Bucketized) -> Iterator[Check]:
    """Every condition on the shape; later ones are skipped if failed ones make them meaningless."""
    columns, offsets = _check_columns(release), _check_offsets(release)
    yield columns
    yield offsets
    if not (columns.holds and offsets.holds):
        for name in ("sensitive values", "counts", "order"):
            yield not_checked(name, SKIPPED, "the groups or columns of the release are wrong")
        return
    values = _check_values(release)
    counts = _check_counts(release)
    yield values
    yield counts
    yield _check_order(release) if counts.holds else not_checked("order", SKIPPED, "the counts are wrong")


def _check_columns(release: Bucketized) -> Check:
    what = "every column of quasi-identifiers names its values once, in order, and has one of them in every row"
    columns = release.quasi.columns
    witness = None
    for column in columns:
        wrong = _wrong_values(column.values)
        if wrong:
            witness = f"column {named(column.name)}: {wrong}"
        elif len(column) and not 0 <= int(column.codes.min()) <= int(column.codes.max()) < len(column.values):
            witness = f"column {named(column.name)}: a row has a value that the column does not name"
        elif column.name == release.sensitive:
            witness = f"column {named(column.name)} is the sensitive one, and is published row by row"
        if witness:
            break
    return decided("columns", what, len(columns), witness)


def _check_offsets(release: Bucketized) -> Check:
    what = "every row and every sensitive value with its count is in one group, and every group has both"
    rows = _wrong_offsets(release.group_offsets, release.n_rows, "row")
    entries = _wrong_offsets(release.bucket_offsets, len(release.bucket_values), "sensitive value")
    witness = rows or entries
    if not witness and len(release.group_offsets) != len(release.bucket_offsets):
        witness = f"{release.n_groups:,} groups have rows, and {len(release.bucket_offsets) - 1:,} sensitive values"
    elif not witness and len(release.bucket_values) != len(release.bucket_counts):
        witness = f"{len(release.bucket_values):,} sensitive values have {len(release.bucket_counts):,} counts"
    return decided("groups", what, max(release.n_groups, 0), witness)


def _wrong_offsets(offsets: Int64, end: int, what: str) -> str | None:
    if len(offsets) < 2:
        return "the release has no group"
    if int(offsets[0]) != 0 or int(offsets[-1]) != end:
        return f"the groups hold the {what}s {int(offsets[0]):,} to {int(offsets[-1]):,} of {end:,}"
    empty = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if len(empty):
        return f"group {int(empty[0])} has no {what}" + and_more(len(empty) - 1, "groups")
    return None


def _check_values(release: Bucketized) -> Check:
    what = "the sensitive values are distinct and in order, and each is in a group"
    values = release.values
    witness = _wrong_values(values)
    if not witness:
        codes = release.bucket_values
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(values):
            witness = "a group counts a sensitive value that has no name"
        else:
            unused = np.flatnonzero(np.bincount(codes, minlength=len(values)) == 0)
            if len(unused):
                witness = f"{value_name(values, int(unused[0]))} is in no group" + and_more(len(unused) - 1, "values")
    return decided("sensitive values", what, len(values), witness)


def _wrong_values(values: pa.Array) -> str | None:
    """What is wrong with an array that should be distinct and ascending, a null last."""
    try:
        order = pc.sort_indices(values).to_numpy()
        distinct = pc.count_distinct(values, mode="all").as_py()
    except pa.ArrowNotImplementedError:
        return f"values of the type {values.type} have no order"
    if distinct != len(values):
        counts = pc.value_counts(values)
        twice = pc.index(pc.greater(counts.field("counts"), 1), True).as_py()
        return f"{value_name(counts.field('values'), twice)} is named twice"
    wrong = np.flatnonzero(order != np.arange(len(values)))
    return f"{value_name(values, int(wrong[0]))} is not in order" if len(wrong) else None


def _check_counts(release: Bucketized) -> Check:
    what = "every group counts each of its sensitive values once, each in at least one row, together in all its rows"
    counts, starts, sizes = release.bucket_counts, release.bucket_offsets[:-1], release.group_sizes
    groups = release.bucket_groups
    wrong = np.flatnonzero((counts < 1) | (counts > release.n_rows))
    witness = None
    if len(wrong):
        witness = (
            f"group {int(groups[wrong[0]])} has {_value(release, int(wrong[0]))} in {int(counts[wrong[0]]):,} rows"
        )
        return decided("counts", what, len(counts), witness + and_more(len(wrong) - 1, "counts"))
    totals = np.add.reduceat(counts, starts)
    differ = np.flatnonzero(totals != sizes)
    order = np.lexsort((release.bucket_values, groups))
    again = np.flatnonzero(
        (groups[order][1:] == groups[order][:-1])
        & (release.bucket_values[order][1:] == release.bucket_values[order][:-1])
    )
    if len(again):
        at = int(order[again[0] + 1])
        witness = f"group {int(groups[at])} counts {_value(release, at)} twice" + and_more(len(again) - 1, "values")
    elif len(differ):
        at = int(differ[0])
        witness = f"group {at} has {int(sizes[at]):,} rows, and sensitive values for {int(totals[at]):,}"
        witness += and_more(len(differ) - 1, "groups")
    return decided("counts", what, len(counts), witness)


def _check_order(release: Bucketized) -> Check:
    """Any order that is not computed from what is published could be that of the original."""
    what = (
        "the rows of a group ascend by their values, its sensitive values ascend, and groups are sorted by their first "
        f"{COMPARED} rows"
    )
    ranks = numbers_of_rows(release.quasi.columns)
    groups, places = release.row_groups, release.bucket_groups
    rows = np.flatnonzero((groups[1:] == groups[:-1]) & (ranks[1:] < ranks[:-1]))
    values = np.flatnonzero((places[1:] == places[:-1]) & (release.bucket_values[1:] < release.bucket_values[:-1]))
    witness = None
    if len(rows):
        at = int(rows[0]) + 1
        witness = f"group {int(groups[at])}: row {at} should come before row {at - 1}"
        witness += and_more(len(rows) - 1, "rows")
    elif len(values):
        at = int(values[0]) + 1
        witness = f"group {int(places[at])}: {_value(release, at)} should come before {_value(release, at - 1)}"
    else:
        wrong = np.flatnonzero(_compare_neighbours(release.group_offsets, ranks) > 0)
        if len(wrong):
            witness = f"group {int(wrong[0]) + 1} should come before group {int(wrong[0])}"
            witness += and_more(len(wrong) - 1, "groups")
    return decided("order", what, release.n_rows + len(release.bucket_values), witness)


def _compare_neighbours(offsets: Int64, keys: Int64) -> Int64:
    """For each list but the last, whether its beginning comes after (1) or before (-1) the next one's, or equals it."""
    lengths = np.minimum(np.diff(offsets), COMPARED)
    common = np.minimum(lengths[:-1], lengths[1:])
    first = np.repeat(offsets[:-2], common) + steps(common)
    second = np.repeat(offsets[1:-1], common) + steps(common)
    pair = np.repeat(np.arange(len(common)), common)
    differ = np.flatnonzero(keys[first] != keys[second])
    outcome = np.sign(lengths[:-1] - lengths[1:])
    # The first difference between two lists decides: going backwards overwrites later ones.
    back = differ[::-1]
    outcome[pair[back]] = np.sign(keys[first[back]] - keys[second[back]])
    return np.asarray(outcome, np.int64)


def _value(release: Bucketized, entry: int) -> str:
    code = int(release.bucket_values[entry])
    return value_name(release.values, code) if 0 <= code < len(release.values) else f"value {code}"
