"""Several releases of the same people: how attacks name them and report the values that remain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.audit.attack.finding import Finding, Row, Value
from shoal.audit.not_tried import LeftOut
from shoal.audit.residual import Residual
from shoal.audit.wording import and_more
from shoal.data.arrays import Bools, Int64
from shoal.quoting import named

NAME = "second release"
NONE_GIVEN = LeftOut(NAME, "it needs another release of the same people (--other RELEASE)")


def other_name(at: int, releases: int) -> str:
    """``the other release``, or which one: release 0 is the attacked one."""
    return "the other release" if releases == 2 else f"other release {at}"


def all_of(releases: int) -> str:
    """``both releases``, ``all 3 releases``."""
    return "both releases" if releases == 2 else f"all {releases} releases"


def other_columns(wanted: Sequence[str], has: Sequence[str], what: str) -> str | None:
    """How the columns of another release differ, such as ``has no quasi-identifier 'age'``; None if they do not."""
    lacking = [name for name in wanted if name not in has]
    more = [name for name in has if name not in wanted]
    if lacking:
        return f"has no {what} {named(lacking[0])}" + and_more(len(lacking) - 1, "are lacking")
    if more:
        return f"has a {what} {named(more[0])}, which the first one lacks" + and_more(len(more) - 1, "columns")
    return None


def tell(
    column: str, releases: int, described: Sequence[Row], numbers: Mapping[str, Value], name: str = NAME
) -> Finding:
    """The values that some releases leave possible for people.

    Args:
        column: The sensitive column.
        releases: How many there are.
        described: Figures of people with a unique description, then of everybody.
        numbers: Further numbers to report.
        name: The name of the finding.
    """
    alone, left, common = (described[0][name] for name in _SHARES)
    people = described[0]["people"]
    told = {"releases": releases, **numbers, "descriptions": described}
    if not (isinstance(alone, float) and isinstance(left, float) and isinstance(common, float)):
        return Finding(name, "No person has a unique description, so the attack looks for no one.", told)
    more = "" if common == left else f" ({common:.1%} by the values that their groups have in common)"
    sentence = (
        f"Of the {people:,} people with a unique description, {left:.1%} have one possible value of {column} by "
        f"{all_of(releases)} together{more}, and {alone:.1%} by one release alone. The promise does not cover a second "
        "release."
    )
    words = f"have one possible value of {column} by {all_of(releases)} together"
    return Finding(name, sentence, told, residual=Residual(left, "people with a unique description", words))


_SHARES = "one_value_by_one_release_share", "one_value_share", "one_value_by_common_values_share"


def figures(
    name: str, count: Int64, possible: Int64, common: Int64, left: Int64, alone: Bools, right: Int64 | None
) -> Row:
    """What remains possible for some people; ``count`` of them have each description.

    Args:
        name: Which people these are.
        count: How many people have each description.
        possible: For each description how many values the first release leaves possible,
        common: how many all releases leave together,
        left: and how many remain in the end.
        alone: Whether one of the releases leaves one value.
        right: How many people have the one value that remains.
    """
    people = int(count.sum())

    def share(number: int) -> float | None:
        return number / people if people else None

    def average(values: Int64) -> float | None:
        return float(count @ values) / people if people else None

    one, by_one, by_common = (int(count @ which) for which in (left == 1, alone, common == 1))
    row: dict[str, Value] = {
        "description": name,
        "people": people,
        "values_by_the_first_release": average(possible),
        "values_by_all_releases": average(left),
        "one_value_by_one_release": by_one,
        "one_value_by_one_release_share": share(by_one),
        "one_value_by_common_values_share": share(by_common),
        "one_value": one,
        "one_value_share": share(one),
    }
    if right is not None:
        row["one_value_and_right"] = int(right[(left == 1) & (count > 0)].sum())
    return row
