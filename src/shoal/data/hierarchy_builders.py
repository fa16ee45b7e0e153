"""Hierarchies made from a column: ranges of numbers, prefixes of texts, groups of similar frequency, or only a root.

``usual`` gives the default hierarchy of a column.

Only the distinct values and their counts matter, so the cost depends on the number of values, not of rows. In all of
these hierarchies the root is ``*``, and a missing value is directly below it: it belongs to no range, prefix or group.

A tree made from the data reveals something about them (their extremes, which values are frequent), and it is marked as
such (``Hierarchy.making``): publishing then makes new labels from the rows that are kept, so that no label is a value
of few people (``shoal.publish.kept_trees``). If even that reveals too much, give hierarchies that do not come from the
data.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

import numpy as np

from shoal.data.balanced_intervals import balanced as balanced  # one of the makers, in its own file
from shoal.data.column_values import Number, assembled, exact, numbers_of, texts_of
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column, Role
from shoal.errors import InputError
from shoal.quoting import given, named

_INTERVALS = 16
_MOST_LEVELS = 64
_LISTED = 3

_Bins = tuple[list[int], Callable[[int], int | None], int]
"""The interval of each value (ascending), where interval ``i`` begins, and the decimal places of these ends."""


def ranges(
    column: Column,
    *,
    width: Number | None = None,
    count: int | None = None,
    cuts: Iterable[Number] | None = None,
    start: Number | None = None,
    fanout: int = 2,
) -> Hierarchy:
    """Intervals of numbers, each level joining neighbours of the one below: ``[20, 30)``, ``[20, 40)``.

    Intervals include their lower end and exclude their upper one, and cover every value. All arithmetic is exact on
    the numbers as they are written, so 0.3 is in ``[0.3, 0.6)``, without binary rounding errors.

    Args:
        column: A column of numbers.
        width: The width of the smallest intervals. Without ``width``, ``count`` and ``cuts``: the first of
            2, 5, 10, 20, 50, ... (of the last decimal place in use) that needs no more than 16 intervals.
        count: Instead of the width, the largest number of smallest intervals, all of one width.
        cuts: Instead of the width, the ends of the smallest intervals; values outside go to ``< first`` and
            ``>= last``.
        start: Where the first interval begins; not above the smallest value. By default the largest multiple of
            the width that is not above it (with ``count``: the smallest value).
        fanout: How many neighbours are joined from level to level.

    Returns:
        A hierarchy over the values of the column. A level with a single interval is replaced by the root.

    Raises:
        InputError: The column holds no numbers, an option is out of range, or there would be more than 64 levels.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.table import Table
        >>> age = Table.from_arrow(pa.table({"age": [17, 23, 38, 90]})).column("age")
        >>> for row in ranges(age, width=20).rows():
        ...     print(" > ".join(row))
        17 > [0, 20) > [0, 40) > [0, 80) > *
        23 > [20, 40) > [0, 40) > [0, 80) > *
        38 > [20, 40) > [0, 40) > [0, 80) > *
        90 > [80, 100) > [80, 120) > [80, 160) > *
    """
    _check_fanout(fanout)
    if sum(option is not None for option in (width, count, cuts)) > 1:
        raise InputError("ranges: give one of width, count and cuts")
    values = numbers_of(column)
    points = [exact(point, f"column {named(column.name)}") for point in values]
    if cuts is not None:
        if start is not None:
            raise InputError("ranges: start needs width or count; with cuts, intervals begin at the first cut")
        bins, ends, scale = _cut(points, [exact(cut, "cuts") for cut in cuts])
    else:
        bins, ends, scale = _slice(
            points,
            None if width is None else exact(width, "width"),
            count,
            None if start is None else exact(start, "start"),
        )
    levels: list[list[str]] = []
    joined = 1
    while bins[0] != bins[-1]:
        if len(levels) == _MOST_LEVELS:
            raise InputError(
                f"column {named(column.name)}: ranges that small make more than {_MOST_LEVELS} levels: "
                "give a larger width, a count or a larger fanout"
            )
        labels = {b: _interval(ends(b * joined), ends((b + 1) * joined), scale) for b in dict.fromkeys(bins)}
        levels.append([labels[b] for b in bins])
        bins = [b // fanout for b in bins]
        joined *= fanout
    # A given number of intervals begins at the least value, and their width follows from the range of values:
    # publishing must not keep ends that reveal these.
    return assembled(column, levels, "ranges" if count is None else "intervals")


def prefixes(column: Column, *, step: int = 1) -> Hierarchy:
    """Texts with more of their last characters masked at each level: ``13053``, ``1305*``, ``130**``, ..., ``*``.

    Positions count from the left. A text shorter than the longest one stays unchanged until the mask reaches
    its last character, and is then padded to the full length: for ``130`` and ``13053``, level 2 is
    ``130`` and ``130**``, level 3 is ``13***`` for both. Dates written 2024-05-31 become months and years
    with the right step.

    Args:
        column: A column of any kind; its values are taken as text.
        step: How many more characters are masked from level to level.

    Returns:
        A hierarchy over the values of the column.

    Raises:
        InputError: The step is below 1, the texts are so long that there would be more than 64 levels, or the
            column holds no values.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.table import Table
        >>> code = Table.from_arrow(pa.table({"code": ["13053", "13068", "148"]})).column("code")
        >>> for row in prefixes(code, step=2).rows():
        ...     print(" > ".join(row))
        13053 > 130** > 1**** > *
        13068 > 130** > 1**** > *
        148 > 148 > 1**** > *
    """
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise InputError(f"prefixes: step must be a whole number of at least 1, got {given(step)}")
    texts = texts_of(column)
    longest = max(map(len, texts))
    if longest > _MOST_LEVELS * step:
        raise InputError(
            f"column {named(column.name)} has values of {longest} characters, which makes more than "
            f"{_MOST_LEVELS} levels: give a step of at least {-(-longest // _MOST_LEVELS)}"
        )
    levels = []
    for kept in range(longest - step, 0, -step):
        mask = "*" * (longest - kept)
        levels.append([text if len(text) <= kept else text[:kept] + mask for text in texts])
    return assembled(column, levels, "prefixes")


def by_frequency(column: Column, *, fanout: int = 2) -> Hierarchy:
    """Groups of values of neighbouring rank, most frequent first, that hold about equally many rows.

    Frequent values stay alone for many levels, and rare values, which would form small groups, are joined early.
    Each level has at most one group for every ``fanout`` groups below. Equally frequent values are ranked by
    value.

    Args:
        column: A column of any kind.
        fanout: How many groups are joined from level to level, on average.

    Returns:
        A hierarchy over the values of the column; the label of a group lists its values, or the first three
        and the number of others.

    Raises:
        InputError: The fanout is below 2 or the column holds no values.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.table import Table
        >>> job = Table.from_arrow(pa.table({"job": list("aaaabbcd")})).column("job")
        >>> for row in by_frequency(job).rows():
        ...     print(" > ".join(row))
        a > a > *
        b > {b, c, d} > *
        c > {b, c, d} > *
        d > {b, c, d} > *
    """
    _check_fanout(fanout)
    texts = texts_of(column)
    rows = column.counts[: len(texts)]
    order = np.argsort(-rows, kind="stable")
    totals = rows[order]
    group = np.arange(len(texts))
    levels: list[list[str]] = []
    while True:
        parts = -(-len(totals) // fanout)
        # All rows are cut into equal parts; a group goes to the part that holds its middle.
        middle = 2 * np.cumsum(totals) - totals
        part = middle * parts // (2 * int(totals.sum()))
        part = np.unique(part, return_inverse=True)[1]
        if part[-1] == 0:
            return assembled(column, levels, "groups")
        totals = np.bincount(part, weights=totals).astype(np.int64)
        group = part[group]
        by_value = np.empty(len(texts), np.int64)
        by_value[order] = group
        levels.append(_group_labels(texts, by_value.tolist()))


def flat(column: Column) -> Hierarchy:
    """Every value directly below the root: a value is published unchanged, or not at all.

    Raises:
        InputError: The column holds no values.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.table import Table
        >>> sex = Table.from_arrow(pa.table({"sex": ["f", "m", None]})).column("sex")
        >>> list(flat(sex).rows())
        [('f', '*'), ('m', '*'), ('?', '*')]
    """
    texts_of(column)
    return assembled(column, [], "values")


def usual(column: Column, *, k: int = 2) -> Hierarchy:
    """The default hierarchy of a column: balanced intervals for numeric quasi-identifiers, otherwise a flat one."""
    numbers = column.is_number and len(column.values) > column.values.null_count
    return balanced(column, k=k) if column.role is Role.QUASI and numbers else flat(column)


def _check_fanout(fanout: int) -> None:
    if isinstance(fanout, bool) or not isinstance(fanout, int) or fanout < 2:
        raise InputError(f"fanout must be a whole number of at least 2, got {given(fanout)}")


def _group_labels(texts: Sequence[str], groups: Sequence[int]) -> list[str]:
    """A label for each value's group, different for different groups."""
    members: dict[int, list[str]] = {}
    for text, group in zip(texts, groups, strict=True):
        members.setdefault(group, []).append(text)
    labels: dict[int, str] = {}
    taken: dict[str, int] = {}
    for group in sorted(members):
        names = members[group]
        more = f", ... and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        label = names[0] if len(names) == 1 else f"{{{', '.join(names[:_LISTED])}{more}}}"
        while label in taken:
            # Values may look like our own labels: a single value may also be called {a, b}.
            taken[label] += 1
            label = f"{label} #{taken[label]}"
        taken[label] = 1
        labels[group] = label
    return [labels[group] for group in groups]


def _whole(numbers: Sequence[Decimal], scale: int) -> list[int]:
    """Numbers as whole multiples of ten to the minus ``scale``: exact, while Decimal would round."""
    unit = 10**scale
    ratios = (number.as_integer_ratio() for number in numbers)
    return [numerator * unit // denominator for numerator, denominator in ratios]


def _scale(numbers: Iterable[Decimal]) -> int:
    """How many decimal places are needed to write all of these exactly."""
    return max(0, *(-int(number.as_tuple().exponent) for number in numbers), 0)


def _slice(points: list[Decimal], width: Decimal | None, count: int | None, start: Decimal | None) -> _Bins:
    """Intervals of one width."""
    scale = _scale([*points, *(number for number in (width, start) if number is not None)])
    wholes = _whole(points, scale)
    low, high = wholes[0], wholes[-1]
    first = None if start is None else _whole([start], scale)[0]
    if first is not None and first > low:
        raise InputError(f"ranges: start {start} is above the smallest value, {points[0]}")
    if count is not None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InputError(f"ranges: count must be a whole number of at least 1, got {given(count)}")
        first = low if first is None else first
        size = (high - first) // count + 1
    elif width is not None:
        size = _whole([width], scale)[0]
        if size <= 0:
            raise InputError(f"ranges: width must be above 0, got {width}")
    else:
        size = _round_width(low if first is None else first, high)
    base = low // size * size if first is None else first
    return [(point - base) // size for point in wholes], lambda i: base + i * size, scale


def _round_width(low: int, high: int) -> int:
    """The smallest of 2, 5, 10, 20, 50, ... that needs few intervals; 1 would join nothing."""
    power = 1
    while True:
        for size in (2 * power, 5 * power, 10 * power):
            if high // size - low // size < _INTERVALS:
                return size
        power *= 10


def _cut(points: list[Decimal], given: list[Decimal]) -> _Bins:
    """Intervals between given ends, open below the first and above the last if there are such values."""
    if not given:
        raise InputError("ranges: cuts must name at least one number")
    scale = _scale([*points, *given])
    cuts = sorted(set(_whole(given, scale)))
    wholes = _whole(points, scale)
    below, above = wholes[0] < cuts[0], wholes[-1] >= cuts[-1]
    ends: list[int | None] = [*[None] * below, *cuts, *[None] * above]
    # bisect counts the ends at or below a value; without an open interval below them the first one is number
    # 0.
    bins = [bisect_right(cuts, point) - (not below) for point in wholes]
    return bins, lambda i: ends[min(i, len(ends) - 1)], scale


def _interval(low: int | None, high: int | None, scale: int) -> str:
    """The label of one interval."""
    if low is None:
        assert high is not None, "an interval without ends is the root"
        return f"< {_written(high, scale)}"
    return f">= {_written(low, scale)}" if high is None else f"[{_written(low, scale)}, {_written(high, scale)})"


def _written(whole: int, scale: int) -> str:
    """A whole multiple of ten to the minus ``scale`` as a decimal number."""
    digits = str(abs(whole)).rjust(scale + 1, "0")
    point = len(digits) - scale
    fraction = digits[point:].rstrip("0")
    return "-" * (whole < 0) + digits[:point] + (f".{fraction}" if fraction else "")
