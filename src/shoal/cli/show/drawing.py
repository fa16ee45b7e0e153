"""What a release holds, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.analyse.contents import Cell, Column, Items, SideBySide, Table
from shoal.cli.terminal import cell_text, console, draw, item_text, result, table


def draw_contents(part: Table | SideBySide) -> None:
    """Print a table, or columns side by side."""
    if isinstance(part, SideBySide):
        result(part.title)
        _draw_columns(part.columns)
        return
    drawn = table(*map(cell_text, part.headings))
    for row in part.rows:
        drawn.add_row(*map(_text, row))
    draw(drawn)


def _draw_columns(columns: Sequence[Column]) -> None:
    """Columns as one table, or as several below each other where they do not fit side by side."""
    from rich.cells import cell_len
    from rich.text import Text

    room = console().width
    texts = [[column.heading, *map(_text, column.lines)] for column in columns]
    taken = 0
    while taken < len(columns):
        first, width = taken, 0
        while taken < len(columns):
            width += 3 + min(columns[taken].enough_width, max(map(cell_len, texts[taken])))
            if taken > first and width > room:
                break
            taken += 1
        drawn = table(*(heading for heading, *_ in texts[first:taken]))
        # One row, so that a long column does not push the lines beside it apart.
        drawn.add_row(*(Text("\n".join(lines)) for _, *lines in texts[first:taken]))
        draw(drawn)


def _text(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return _item_texts(cell) if isinstance(cell, Items) else cell_text(cell)


def _item_texts(items: Items) -> str:
    names = list(map(item_text, items.names))
    if items.stand_for is not None:
        leaves = zip(names, items.stand_for, strict=True)
        names = [name if n == 1 else f"{name} ({n:,} items)" for name, n in leaves]
    text = ", ".join(names)
    if not items.is_set:
        return text
    more = " or more" if items.at_least else ""
    return f"{{{text}}}" + (f" \N{MULTIPLICATION SIGN}{items.times:,}{more}" if items.times > 1 else "")
