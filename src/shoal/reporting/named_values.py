"""The risk that someone who knows a person's quasi-identifiers guesses a sensitive value of theirs."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measuring.risk.published import ValueChance
from shoal.reporting.charts import shortened
from shoal.reporting.remaining_risk import Line


def named_values(
    name: str, before: ValueChance | None, after: ValueChance, *, headline: bool = False
) -> Iterator[Line]:
    """The probability of guessing a sensitive value, at worst and on average; ``headline``: these are key numbers."""
    for where, short, at in (("in the worst case", "at worst", "highest"), ("over all rows", "average", "average")):
        yield Line(
            f"{shortened(name)}, {short}",
            f"to guess the {name} of a person as the most frequent value of the group, {where}",
            None if before is None else getattr(before, at),
            getattr(after, at),
            "counted in the files",
            headline=headline and at == "average",
        )
