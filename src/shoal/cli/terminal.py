"""What the command line shows a person: messages, progress, tables. The only part that knows how to draw."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Progress = Callable[[str, int, int], None]

COMPILE_NOTICE = "compiling the kernels: once, on the first run only, some seconds"


def printable(text: str) -> str:
    """Text from a file, safe to show: control characters, which could steer the terminal, become visible marks."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def note(text: str) -> None:
    """Say something beside the result, on standard error."""
    print(printable(text), file=sys.stderr)  # noqa: T201


def result(text: str = "") -> None:
    """Print a line of the result."""
    print(printable(text))  # noqa: T201


def result_json(value: Any) -> None:
    """Print the result for a machine."""
    print(json.dumps(value, indent=2, ensure_ascii=False))  # noqa: T201


def console() -> Console:
    """Where tables are drawn: as wide as the terminal, 100 columns in a file."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 100, markup=False, highlight=False, emoji=False)


def table(*headings: str, title: str | None = None) -> Table:
    """An empty table in the house style."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=Text(printable(title)) if title else None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for heading in headings:
        made.add_column(Text(heading))
    return made


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Draw progress on standard error while the block runs; without a terminal, only say when kernels are compiled."""
    if not sys.stderr.isatty():
        yield _compile_only
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage == "compile":
                bar.console.print(COMPILE_NOTICE)
                return
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield report


def _compile_only(stage: str, _done: int, _total: int) -> None:
    if stage == "compile":
        note(COMPILE_NOTICE)


@contextmanager
def timed() -> Iterator[Callable[[], float]]:
    """A clock that tells the seconds since the block began."""
    start = time.monotonic()
    yield lambda: time.monotonic() - start
