"""Tables of results that commands write to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.atomic.files import atomic_file
from shoal.cli.terminal import note
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_RESULTS = (".csv", ".parquet", ".json")


def require_results_file(out: Path, *, force: bool, raw: bool) -> None:
    """Refuse a file that a table of results cannot go to, before they are computed."""
    from shoal.io.manifest import require_outside_releases

    if out.suffix.lower() not in _RESULTS:
        raise InputError(f"{out}: the name must end with {', '.join(_RESULTS[:-1])} or {_RESULTS[-1]}")
    require_csv(raw, is_csv=out.suffix.lower() == ".csv")
    require_outside_releases(out)
    if out.exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")


def write_results(rows: pa.Table, out: Path, *, raw: bool) -> None:
    """Write a table of results as the name of the file says; ``raw``: without escapes in CSV."""
    from shoal.io.formulas import number_in
    from shoal.io.results import RAW_WRITERS, WRITERS

    ending = out.suffix.lower()
    with atomic_file(out) as file:
        (RAW_WRITERS if raw else WRITERS)[ending](rows, file)
    if ending == ".csv":
        say_what_was_escaped(number_in(rows), "texts", raw=raw)


def require_csv(raw: bool, *, is_csv: bool) -> None:
    """Refuse ``--raw`` where no CSV file is written."""
    if raw and not is_csv:
        raise InputError("--raw is about CSV files, and none is written: leave it out")


def say_what_was_escaped(number: int, what: str, *, raw: bool) -> None:
    """Say that a file holds apostrophes that the data do not, or what a spreadsheet would make of the file."""
    if number and raw:
        note(f"note: a spreadsheet would take {number:,} {what} for formulas: do not open the file with one")
    elif number:
        note(
            f"note: an apostrophe was put before {number:,} {what} that a spreadsheet would take for formulas; "
            "--raw writes them as they are"
        )
