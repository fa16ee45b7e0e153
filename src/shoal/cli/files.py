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
    """Refuse an invalid output file, before the results are computed."""
    from shoal.io.manifest import require_outside_releases

    if out.suffix.lower() not in _RESULTS:
        raise InputError(f"{out}: the name must end with {', '.join(_RESULTS[:-1])} or {_RESULTS[-1]}")
    require_csv(raw, is_csv=out.suffix.lower() == ".csv")
    require_outside_releases(out)
    if out.exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")


def write_results(rows: pa.Table, out: Path, *, raw: bool) -> None:
    """Write a table of results in the format given by the file name; ``raw``: without escapes in CSV."""
    from shoal.io.formulas import number_in
    from shoal.io.results import RAW_WRITERS, WRITERS

    ending = out.suffix.lower()
    with atomic_file(out) as file:
        (RAW_WRITERS if raw else WRITERS)[ending](rows, file)
    if ending == ".csv":
        say_what_was_escaped(number_in(rows), "texts", raw=raw)


def require_csv(raw: bool, *, is_csv: bool) -> None:
    """Refuse ``--raw`` if no CSV file is written."""
    if raw and not is_csv:
        raise InputError("--raw applies to CSV files, and none is written: remove it")


def say_what_was_escaped(number: int, what: str, *, raw: bool) -> None:
    """Report that apostrophes were added to the file, or that a spreadsheet would read formulas in it."""
    if number and raw:
        note(f"note: a spreadsheet would read {number:,} {what} as formulas: do not open the file with one")
    elif number:
        note(
            f"note: an apostrophe was put before {number:,} {what} that a spreadsheet would read as formulas; "
            "--raw writes them unchanged"
        )
