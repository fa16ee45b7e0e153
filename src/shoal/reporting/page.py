"""What a report tells, as plain data: sections of words, tables, charts and code. How it looks is decided elsewhere."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Value = str | int | float | bool | None
"""What a cell of a record may hold."""
Audience = Literal["internal", "public"]

INTERNAL = "Internal: tells things about the original data. Do not publish."
"""What stands on every page of a report that somebody who has the release only could not make."""
PUBLIC = "Made from the published folder alone."


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    kind: Literal["plain", "good", "bad", "note"] = "plain"
    """What a reader should feel: nothing, relief, alarm; or that it is beside the point."""


@dataclass(frozen=True)
class Listed:
    """Sentences that stand for themselves, one below the other."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table; numbers are written by whoever makes it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False
    """Whether a reader must ask for it: it is long, and what counts is said elsewhere."""


@dataclass(frozen=True)
class Code:
    """What a reader may copy and run."""

    title: str
    language: str
    text: str


@dataclass(frozen=True)
class Chart:
    """A drawing as data: records, and a Vega-Lite specification that says how to draw them."""

    name: str
    """The same in every report; files are named by it."""
    title: str
    says: str
    """What there is to see, in a sentence: for those who do not see it."""
    records: tuple[Mapping[str, Value], ...]
    columns: Mapping[str, str]
    """The fields of the records that a reader wants to see as numbers, with the headings of their columns."""
    spec: Mapping[str, Any]
    """Vega-Lite without data, colours by the names of the palette, and without a title, which stands above it."""
    bars: str = ""
    """The field that bars are as long as, in a chart of bars."""

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to see: no record, or only bars of no length."""
        return not self.records or (bool(self.bars) and not any(record[self.bars] for record in self.records))

    def as_dict(self) -> dict[str, Any]:
        """The chart as plain values, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "says": self.says,
            "columns": dict(self.columns),
            "records": [dict(record) for record in self.records],
            "spec": dict(self.spec),
        }


@dataclass(frozen=True)
class Key:
    """One number to remember."""

    label: str
    value: str
    tone: Literal["plain", "good", "warn", "bad"] = "plain"
    """Whether it is good news, a risk that the promise does not cover, or a release that breaks its promise or is
    worth nothing."""


Block = Words | Listed | Grid | Code | Chart


@dataclass(frozen=True)
class Section:
    """One question of a reader, and the answer; a chart in which there is nothing to see is told in words."""

    name: str
    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        told = (
            Words(f"{block.title}: {block.says}", "note") if isinstance(block, Chart) and block.is_blank else block
            for block in self.blocks
        )
        object.__setattr__(self, "blocks", tuple(told))


@dataclass(frozen=True)
class Report:
    """A report on a release, a comparison or a sweep: data, from which a page and pictures are made.

    Example:
        >>> import shoal
        >>> found = shoal.compare(shoal.read([{"tea"}] * 9), methods="disassociate", k=3)
        >>> report = shoal.report(found)
        >>> report.audience, [section.title for section in report.sections][:2]
        ('internal', ['What was compared', 'What each method promises'])
    """

    title: str
    audience: Audience
    lead: str
    """The gist, in a sentence."""
    keys: tuple[Key, ...]
    """The gist, in numbers."""
    sections: tuple[Section, ...]
    alarms: bool = False
    """Whether a check fails. A release that is worth nothing may keep its promise all the same."""

    @property
    def mark(self) -> str:
        """What stands on every page."""
        return INTERNAL if self.audience == "internal" else PUBLIC

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in their order."""
        return tuple(block for block in self.blocks if isinstance(block, Chart))

    @property
    def blocks(self) -> Iterator[Block]:
        """Everything that sections hold, in order."""
        for section in self.sections:
            yield from section.blocks

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON; what JSON has no number for is null."""
        plain: dict[str, Any] = finite(
            {
                "title": self.title,
                "audience": self.audience,
                "mark": self.mark,
                "lead": self.lead,
                "keys": [vars(key) for key in self.keys],
                "sections": [
                    {"name": one.name, "title": one.title, "blocks": [_plain(block) for block in one.blocks]}
                    for one in self.sections
                ],
            }
        )
        return plain

    def html(self) -> str:
        """The report as one page that needs nothing else: no script, no font, no request.

        Raises:
            InputError: what draws charts is not installed.
        """
        from shoal.reporting.html import page_of

        return page_of(self)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the page to a file; one that tells about the original can be read by its owner only.

        Raises:
            InputError: the file is there already, or cannot be written; what draws charts is not installed.
        """
        from shoal.reporting.saving import save_page

        save_page(self, path, force=force)

    def save_charts(self, folder: str | os.PathLike[str], *, force: bool = False) -> list[str]:
        """Write every chart as PNG and SVG, and as data: a Vega-Lite file with its records; returns the names.

        Raises:
            InputError: files are there already, or cannot be written; what draws charts is not installed.
        """
        from shoal.reporting.saving import save_charts

        return save_charts(self, folder, force=force)


def _plain(block: Block) -> dict[str, Any]:
    if isinstance(block, Chart):
        return {"kind": "chart", **block.as_dict()}
    kind = type(block).__name__.lower()
    if isinstance(block, Words):
        return {"kind": kind, "text": block.text, "tone": block.kind}
    return {"kind": kind, **vars(block)}


def finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have, and lists for tuples."""
    if isinstance(value, Mapping):
        return {str(name): finite(entry) for name, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
