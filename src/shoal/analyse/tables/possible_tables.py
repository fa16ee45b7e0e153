"""Possible originals of a bucketized release, drawn at random: each group's values dealt to its rows.

X. Xiao, Y. Tao: Anatomy, VLDB 2006, section 3: inside a group every way to hand its values to its rows is as likely as
any other, for one who knows nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.data.table import Column, Role, Table
from shoal.errors import DamagedRelease
from shoal.limits import MOST_SEED, require_whole
from shoal.randomness import permutation
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Run


def possible_tables(release: Bucketized, n: int = 1, *, run: Run = DEFAULT_RUN) -> Iterator[Table]:
    """Possible originals of a release, all equally likely: inside each group its values are dealt to its rows.

    Background knowledge, such as the rules of Injector, plays no part: rows may get values that a
    rule excludes for them.

    Args:
        release: what was published.
        n: how many originals.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        An iterator over n tables, with the rows in the order of the release and the sensitive column last.

    Raises:
        InputError: an argument is out of range.
        DamagedRelease: a group has not as many values as rows.

    Example:
        >>> import pyarrow as pa, shoal
        >>> people = Table.from_arrow(pa.table({"age": [30, 40, 50, 60], "ill": ["a", "b", "c", "d"]}),
        ...                           quasi="age", sensitive="ill")
        >>> [table] = possible_tables(shoal.anatomy(people, 2))
        >>> sorted(table.to_arrow()["ill"].to_pylist())
        ['a', 'b', 'c', 'd']
    """
    require_whole("n", n, least=1)
    if run.chance is not None:
        require_whole("seed", run.chance, least=0, most=MOST_SEED)
    held = np.diff(np.append(0, np.cumsum(release.bucket_counts))[release.bucket_offsets])
    wrong = np.flatnonzero(held != release.group_sizes)
    if len(wrong) or np.any(release.bucket_counts < 0):
        group = int(wrong[0]) if len(wrong) else int(release.bucket_groups[release.bucket_counts < 0][0])
        raise DamagedRelease(
            f"group {group} has {int(release.group_sizes[group]):,} rows and {int(held[group]):,} sensitive values: "
            "the release is damaged (shoal verify says more)"
        )
    return _drawn(release, n, run)


def _drawn(release: Bucketized, n: int, run: Run) -> Iterator[Table]:
    values = np.repeat(release.bucket_values, release.bucket_counts)
    groups = release.row_groups
    everything = np.ones(release.n_rows, bool)
    for number in range(n):
        shuffled = permutation(release.n_rows, run.chance, purpose=f"reconstruction {number}")
        codes = np.empty(release.n_rows, np.int32)
        # Rows at random, but group after group, meet the values of these groups.
        codes[shuffled[np.argsort(groups[shuffled], kind="stable")]] = values
        dealt = Column(release.sensitive, Role.SENSITIVE, codes, release.values).keep_rows(everything)
        run.report("deal values", number + 1, n)
        yield Table((*release.quasi.columns, dealt))
