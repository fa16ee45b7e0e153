"""Anatomy: publish rows in groups in which every sensitive value is rare.

X. Xiao, Y. Tao: Anatomy: Simple and Effective Privacy Preservation, VLDB 2006, section 5. Rows are put into buckets by
their sensitive value; a group takes a random row from each of the l largest buckets; each of the few remaining rows
goes to a random group without its value.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.table import Column, Table
from shoal.errors import Infeasible
from shoal.kernels.compiling import announced
from shoal.promises import FrequencyDiversity
from shoal.publish.groups import as_release, deal, in_canonical_order, keyed_stream, require_one_source, roles_of
from shoal.quoting import shown
from shoal.randomness import Chance, Numbers, permutation
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Run
from shoal.secret import Secret


def anatomy(
    table: Table,
    l: int,  # noqa: E741  (the literature's name)
    *,
    secret: Secret | None = None,
    run: Run = DEFAULT_RUN,
) -> Bucketized:
    """Publish two tables: the quasi-identifiers of each row with its group, and the sensitive values of each group.

    Args:
        table: the rows. Columns that are neither quasi-identifiers nor sensitive are left out.
        l: in each group a value belongs to at most one in ``l`` rows.
        secret: makes the release a function of the data: the same table gives the same groups again, so a second
            release reveals nothing new. At least 32 bytes that no one else knows, or the file that holds them, which is
            created if it does not exist. Anyone who has it and guesses the table can undo the grouping.
        run: threads, progress and chance (:class:`shoal.Run`). With a fixed chance the release is for experiments only:
            anyone who has that number can undo the randomization.

    Returns:
        The release.

    Raises:
        InputError: l is out of range, or the table has no quasi-identifier, or not exactly one sensitive column.
        Infeasible: a sensitive value belongs to more than one in ``l`` of all rows.

    Reference:
        Xiao, Tao, VLDB 2006, section 5.

    Example:
        >>> import pyarrow as pa
        >>> rows = pa.table({"age": [23, 27, 35, 59], "disease": ["flu", "asthma", "flu", "cancer"]})
        >>> anatomy(Table.from_arrow(rows, quasi="age", sensitive="disease"), 2)
        Bucketized(4 rows in 2 groups, FrequencyDiversity(l=2, sensitive='disease'))
    """
    _, sensitive = roles_of(table)
    promise = FrequencyDiversity(l, sensitive.name)
    _require_rare(sensitive, l)
    require_one_source(run.chance, secret)
    source: Chance = run.chance
    if secret is not None:
        table = in_canonical_order(table)
        sensitive = table.column(sensitive.name)
        source = keyed_stream(table, secret, "anatomy", f"l={l}")
    report = run.report
    report("group", 0, 1)
    with announced(lambda: report("compile", 0, 1)):
        from shoal.kernels.largest_buckets import draw_groups

    counts = sensitive.counts
    buckets = permutation(len(counts), source, purpose="buckets")
    buckets = buckets[np.argsort(-counts[buckets], kind="stable")].astype(np.int64)
    left = counts[buckets]
    # Our own random bits, not a generator of NumPy: another version of NumPy may draw differently, and a table that is
    # published again with its secret would then be a second release.
    chance = Numbers(source, purpose="groups")
    picks = draw_groups(buckets, left, l, chance.take(len(table)) >> 1)
    places = np.arange(len(picks)) // l
    residue = buckets[left > 0]
    places = np.concatenate([places, _groups_without(picks, l, residue, chance)])
    group = places[deal(sensitive.codes, np.concatenate([picks, residue]), source)]
    report("group", 1, 1)
    return as_release(table, group, method="anatomy", promise=promise, chance=source)


def _groups_without(picks: Int64, l: int, residue: Int64, chance: Numbers) -> Int64:  # noqa: E741
    """For each remaining row, which has a value of its own, a random group without that value.

    There always is one: a value that is in all groups and also left over would belong to more than one in l rows.
    """
    groups = picks.reshape(-1, l)
    without = [np.flatnonzero(~np.any(groups == value, axis=1)) for value in residue.tolist()]
    drawn = chance.take(len(without)).tolist()  # 63 bits each: the bias of the remainder is negligible
    return np.array([int(free[bits % len(free)]) for free, bits in zip(without, drawn, strict=True)], np.int64)


def _require_rare(sensitive: Column, l: int) -> None:  # noqa: E741
    counts = sensitive.counts
    most, rows = int(counts.max()), len(sensitive)
    if most * l <= rows:
        return
    largest = rows // most
    advice = f"the largest l that works is {largest}" if largest >= 2 else "no l works"
    raise Infeasible(
        f"l is {l}, but {shown(sensitive.texts[int(counts.argmax())])} is the {sensitive.name} of {most:,} of {rows:,} "
        f"rows, which is more than one in {l}: {advice}"
    )
