"""The risk that somebody who knows a person's quasi-identifiers names a sensitive value of theirs."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measuring.risk.published import ValueChance
from shoal.reporting.charts import shortened
from shoal.reporting.remaining_risk import Line


def named_values(
    name: str, before: ValueChance | None, after: ValueChance, *, headline: bool = False
) -> Iterator[Line]:
    """The chances to name a sensitive value, where it is easiest and over all rows; ``headline``: to remember these."""
    for where, short, at in (("where it is easiest", "at worst", "highest"), ("over all rows", "average", "average")):
        yield Line(
            f"{shortened(name)}, {short}",
            f"to name the {name} of a person by the most frequent of the group, {where}",
            None if before is None else getattr(before, at),
            getattr(after, at),
            "counted in the files",
            headline=headline and at == "average",
        )
