"""The content of a report as plain data: sections of text, tables, charts and code. The layout is separate."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Value = str | int | float | bool | None
"""The type of a cell of a record."""
Audience = Literal["internal", "public"]

INTERNAL = "Internal: reveals information about the original data. Do not publish."
"""The mark on every page of a report that cannot be made from the release alone."""
PUBLIC = "Made from the published folder alone."


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    kind: Literal["plain", "good", "bad", "note"] = "plain"
    """The tone: plain, good, bad, or a side note."""


@dataclass(frozen=True)
class Listed:
    """Independent sentences, one below another."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table; its numbers are already formatted."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False
    """Whether it is collapsed at first: it is long, and its main points are stated elsewhere."""


@dataclass(frozen=True)
class Code:
    """Code that a reader may copy and run."""

    title: str
    language: str
    text: str


@dataclass(frozen=True)
class Chart:
    """A drawing as data: records, and a Vega-Lite specification."""

    name: str
    """The same in every report; used for file names."""
    title: str
    says: str
    """What the chart shows, in a sentence; also for screen readers."""
    records: tuple[Mapping[str, Value], ...]
    columns: Mapping[str, str]
    """The fields of the records to list as numbers, with their column headings."""
    spec: Mapping[str, Any]
    """Vega-Lite without data, with colour names from the palette, and without a title, which is above the chart."""
    bars: str = ""
    """In a bar chart, the field that gives the length of the bars."""

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to see: no records, or only bars of length zero."""
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
    """One key number."""

    label: str
    value: str
    tone: Literal["plain", "good", "warn", "bad"] = "plain"
    """Whether it is good news, a risk that the promise does not cover, or a release that breaks its promise or is
    worthless."""


Block = Words | Listed | Grid | Code | Chart


@dataclass(frozen=True)
class Section:
    """One question of a reader, and the answer; a chart with nothing to see is replaced by its sentence."""

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
    """A report on a release, a comparison or a sweep: data from which a page and pictures are made.

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
    """The summary, in a sentence."""
    keys: tuple[Key, ...]
    """The summary, in numbers."""
    sections: tuple[Section, ...]
    alarms: bool = False
    """Whether a check fails. A worthless release may still keep its promise."""

    @property
    def mark(self) -> str:
        """The mark on every page."""
        return INTERNAL if self.audience == "internal" else PUBLIC

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Chart))

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks of all sections, in order."""
        for section in self.sections:
            yield from section.blocks

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON; numbers that JSON cannot hold become null."""
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
        """The report as one self-contained page: no scripts, no fonts, no requests.

        Raises:
            InputError: the packages that draw charts are not installed.
        """
        from shoal.reporting.html import page_of

        return page_of(self)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the page to a file; an internal report is readable only by its owner.

        Raises:
            InputError: the file exists, or cannot be written; the packages that draw charts are not installed.
        """
        from shoal.reporting.saving import save_page

        save_page(self, path, force=force)

    def save_charts(self, folder: str | os.PathLike[str], *, force: bool = False) -> list[str]:
        """Write every chart as PNG and SVG, and as a Vega-Lite file with its records; returns the file names.

        Raises:
            InputError: files exist, or cannot be written; the packages that draw charts are not installed.
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
