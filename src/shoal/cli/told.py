"""What a command prints about a release: plain text in tables and sentences, printed by generic code."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.cli.terminal import draw, paragraph, result, table


@dataclass(frozen=True)
class Rows:
    """A table of texts, drawn under its headings."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Told:
    """A line, tables below it, and remarks on their numbers."""

    head: str
    tables: tuple[Rows, ...]
    words: str

    def print(self) -> None:
        """Print it."""
        result(self.head)
        for one in self.tables:
            drawn = table(*one.headings)
            for row in one.rows:
                drawn.add_row(*row)
            draw(drawn)
        paragraph(self.words)
