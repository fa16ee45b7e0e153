"""What the command line prints: messages, progress, tables. The only part that knows how to draw."""

from __future__ import annotations

import importlib
import json
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from shoal.interruption import interruption_between_steps, is_interruption
from shoal.kernels.needed import numba_is_installed
from shoal.quoting import escaped, in_quotes, is_plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Progress = Callable[[str, int, int], None]


class Interrupted(Exception):  # noqa: N818  (not a failure)
    """An interruption with a message; the parser of the command line swallows KeyboardInterrupt and its message."""


@contextmanager
def kernel_work(progress: Progress) -> Iterator[Progress]:
    """A block that may call kernels: it reports compilation, and interruptions wait for its steps.

    Nothing is loaded if Numba is not installed: code that needs a kernel reports that itself.
    """
    with interruption_between_steps(progress) as step:
        if not numba_is_installed():
            yield step
            return
        _load_numba_without_blas()
        from shoal.kernels.compiling import announced

        with announced(lambda: progress("compile", 0, 1)):
            yield step


@contextmanager
def saying_that_nothing_was_published() -> Iterator[None]:
    """Report after an interruption that nothing was published; after this block something may have been."""
    try:
        yield
    except BaseException as error:
        if is_interruption(error):
            raise Interrupted("nothing was published") from None
        raise


def _load_numba_without_blas() -> None:
    """Stop Numba from looking for BLAS in SciPy's linear algebra: it costs 0.25 s per command, and no kernel needs it.

    Only here, in a process of our own: other programs may want Numba with BLAS.
    """
    if "numba" in sys.modules or "scipy.linalg" in sys.modules:
        return

    class Hidden:
        @staticmethod
        def find_spec(name: str, _path: object = None, _target: object = None) -> None:
            if name == "scipy.linalg":
                raise ModuleNotFoundError(name=name)

    sys.meta_path.insert(0, Hidden)
    try:
        with suppress(ImportError):  # code that needs it reports that
            importlib.import_module("numba.np.arraymath")  # where Numba looks
    finally:
        sys.meta_path.remove(Hidden)


COMPILE_NOTICE = "compiling the kernels: takes some seconds, on the first run only"
COMPILE_AGAIN_NOTICE = "compiling the kernels: takes some seconds, on every run, because they cannot be cached: "


def printable(text: str) -> str:
    """Text from a file, safe to print: characters that control the terminal or the text direction are escaped."""
    return escaped(text, keep="\n\t")


def cell_text(text: str) -> str:
    """A value as a table cell: on one line, with escapes."""
    return escaped(text)


def item_text(name: str) -> str:
    """An item as shown in lists: quoted if it is empty, would garble the terminal, or could be read as two items."""
    plain = name and is_plain(name) and name == name.strip() and not set(name) & set("{},'\"")
    return name if plain else in_quotes(name)


class _Said:
    """What is printed while a command runs: --quiet suppresses notes and progress, and for some commands the result."""

    notes = True
    text = True
    line = 0
    """The length of the current progress line without escape codes, if one is shown."""
    compiling = False
    not_kept = False


@contextmanager
def saying(*, notes: bool, text: bool) -> Iterator[None]:
    """Suppress notes and progress, or the text of the result, while the block runs."""
    before = _Said.notes, _Said.text
    _Said.notes, _Said.text = notes, text
    try:
        yield
    finally:
        _Said.notes, _Said.text = before


def warn(text: str) -> None:
    """Print a message on standard error, even with --quiet."""
    with suppress(OSError):  # the terminal was closed
        _wipe_line()
        print(printable(text), file=sys.stderr)


def note(text: str) -> None:
    """Print a remark on standard error."""
    if _Said.notes:
        warn(text)


def say_that_it_compiles(say: Callable[[str], None] = warn) -> None:
    """Report once why nothing seems to happen, even with --quiet; and whether it will happen on every run."""
    from shoal.kernels.kept_folders import HOW_TO_KEEP, not_kept

    if _Said.compiling:
        return
    _Said.compiling = True
    reason = not_kept()
    if reason is None:
        say(COMPILE_NOTICE)
    else:
        _Said.not_kept = True
        say(f"{COMPILE_AGAIN_NOTICE}{reason}. {HOW_TO_KEEP}")


@contextmanager
def saying_what_was_not_kept() -> Iterator[None]:
    """A whole command: at its end, report if compiled kernels could not be cached."""
    _Said.compiling = _Said.not_kept = False
    yield
    if _Said.compiling and not _Said.not_kept:
        from shoal.kernels.kept_folders import HOW_TO_KEEP, not_kept

        if reason := not_kept():
            warn(f"the compiled kernels could not be cached: {reason}. {HOW_TO_KEEP}")


def result(text: str = "") -> None:
    """Print a line of the result."""
    if _Said.text:
        _print(printable(text))


def result_json(value: Any) -> None:
    """Print the result as JSON; characters that control the terminal are escaped, as JSON allows."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    _print("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))


def _print(text: str) -> None:
    """Print; a closed output must not change the exit code, which may say that a check fails."""
    try:
        print(text)
    except BrokenPipeError:
        give_up_stdout()


def give_up_stdout() -> None:
    """Redirect standard output; otherwise Python complains about unwritten output at shutdown."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def paragraph(text: str) -> None:
    """Print a long line of the result, wrapped at the width of the terminal."""
    result(textwrap.fill(text, console().width, break_long_words=False, break_on_hyphens=False))


def console() -> Console:
    """The console for tables: as wide as the terminal or COLUMNS, otherwise 100 columns."""
    from rich.console import Console

    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    colours: Literal["auto"] | None = None if _without_colours() else "auto"
    return Console(width=None if known else 100, color_system=colours, markup=False, highlight=False, emoji=False)


def _without_colours() -> bool:
    """Whether escape codes are disabled (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


def draw(drawn: Table) -> None:
    """Print a table, without trailing blanks."""
    if not _Said.text:
        return
    to = console()
    with to.capture() as captured:
        to.print(drawn)
    _print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def table(*headings: str) -> Table:
    """An empty table in the house style."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    class Escaped(Table):
        """A table whose cells cannot control the terminal, whatever they contain."""

        def add_row(self, *cells: Any, **how: Any) -> None:
            super().add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in cells), **how)

    made = Escaped(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        made.add_column(Text(printable(heading)))
    return made


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Draw progress on standard error while the block runs; without a terminal, only report compilation of kernels.

    Each stage has its own bar; stages named "whole: step" share the bar of the whole, which names the step.
    """
    if not sys.stderr.isatty() or not _Said.notes:
        yield _compile_only
        return
    if _without_colours():
        with _plain_line() as report_plainly:
            yield report_plainly
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
                say_that_it_compiles(bar.console.print)
                return
            stage = printable(stage)
            whole = stage.partition(": ")[0]
            if whole not in tasks:
                tasks[whole] = bar.add_task(stage, total=total)
            bar.update(tasks[whole], description=stage, completed=done, total=total)

        yield report


@contextmanager
def _plain_line() -> Iterator[Progress]:
    """One line that shows the progress of the latest stage, overwritten without escape codes."""
    shown = ""

    def report(stage: str, done: int, total: int) -> None:
        nonlocal shown
        text = f"{printable(stage)} {done / total if total else 1:.0%}"
        if stage == "compile":
            say_that_it_compiles()
        elif text != shown:
            _wipe_line()
            print(text, end="", file=sys.stderr, flush=True)
            shown, _Said.line = text, len(text)

    try:
        yield report
    finally:
        _wipe_line()


def _wipe_line() -> None:
    if _Said.line:
        print(f"\r{'':{_Said.line}}\r", end="", file=sys.stderr, flush=True)
        _Said.line = 0


def _compile_only(stage: str, _done: int, _total: int) -> None:
    if stage == "compile":
        say_that_it_compiles()


@contextmanager
def timed() -> Iterator[Callable[[], float]]:
    """A clock that returns the seconds since the block began."""
    start = time.monotonic()
    yield lambda: time.monotonic() - start
