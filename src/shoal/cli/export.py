"""``shoal export``: a release for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from shoal.atomic.files import atomic_file
from shoal.cli import options
from shoal.cli.files import require_csv, say_what_was_escaped
from shoal.cli.terminal import note, result_json
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.release.bucketized import Bucketized
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized


class Target(StrEnum):
    """Formats that a release can be exported to."""

    jsonl = "jsonl"
    csv = "csv"
    fimi = "fimi"
    parquet = "parquet"


class Part(StrEnum):
    """The two tables of a release of a table."""

    rows = "rows"
    counts = "counts"


def export(
    release: options.ReleaseArgument,
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            help="jsonl: a cluster (or group) a line; csv: an item a row; fimi: a subrecord a line. Of a bucketized "
            "release, csv and parquet hold what --part names; of a generalized table, all hold a row a row; of baskets "
            "that are rows (randomized, generalized, with noisy counts), csv holds an item a row, the others a row a "
            "row.",
        ),
    ] = Target.jsonl,
    part: Annotated[
        Part | None,
        typer.Option(
            "--part",
            help="Bucketized releases, csv and parquet: the rows with their groups, or the values of each group.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file to write. Default: standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    raw: options.RawOption = False,
    json: Annotated[
        bool, typer.Option("--json", help="With -o: print what was written as JSON. (--to jsonl writes JSON lines.)")
    ] = False,
) -> None:
    """Write a release as JSON lines, CSV, FIMI-like text or Parquet."""
    from shoal.io.manifest import require_outside_releases
    from shoal.io.release_folder import read_release
    from shoal.release.bucketized import Bucketized
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized import Generalized

    if json and out is None:
        raise InputError("--json and the release cannot both go to standard output: give -o FILE, or leave out --json")
    require_csv(raw, is_csv=to is Target.csv)
    if out:
        require_outside_releases(out)
        if out.exists() and not force:
            raise InputError(f"{out} exists already; choose another name, or --force to replace it")
    opened = read_release(release)
    if isinstance(opened, Bucketized):
        write = _table_writer(opened, to, part, raw=raw)
    elif isinstance(opened, Generalized):
        write = _rows_writer(opened, to, part, raw=raw)
    elif not isinstance(opened, Disassociated):
        write = _baskets_writer(opened, to, part, raw=raw)
    else:
        if part is not None:
            raise InputError(f"--part is about releases of tables, and {release} is one of baskets: leave it out")
        if to is Target.parquet:
            raise InputError(
                f"a release of baskets is Parquet as it is: the files in {release}; or --to jsonl, csv, fimi"
            )
        from shoal.io.export import EXPORTS, export_csv

        if to is Target.csv:
            write = partial(_baskets_csv, opened.vocabulary, raw, partial(export_csv, opened, raw=raw))
        else:
            write = partial(EXPORTS[to.value], opened)
    if out is None:
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with atomic_file(out) as file:
        write(file)
    if json:
        result_json({"file": str(out), "format": to.value, "part": None if part is None else part.value})
    else:
        note(f"wrote {out}")


def _table_writer(release: Bucketized, to: Target, part: Part | None, *, raw: bool) -> Callable[[BinaryIO], None]:
    """What writes a release of a table, or one of its two tables."""
    _refuse_fimi(to)
    if to is Target.jsonl:
        if part is not None:
            raise InputError(
                "JSON lines hold rows and counts, group by group: leave out --part, or --to csv or parquet"
            )
        from shoal.io.export_groups import export_jsonl

        return partial(export_jsonl, release)
    if part is None:
        raise InputError(f"{to.value} holds one table: --part rows, or --part counts (--to jsonl holds both)")
    return _table_writer_of(release.to_arrow()["quasi_identifiers" if part is Part.rows else "sensitive"], to, raw=raw)


def _rows_writer(release: Generalized, to: Target, part: Part | None, *, raw: bool) -> Callable[[BinaryIO], None]:
    """What writes the rows of a generalized release, each with its group."""
    _refuse_fimi(to)
    if part is not None:
        raise InputError("--part is about bucketized releases: a generalized one is one table of rows, leave it out")
    if to is Target.jsonl:
        from shoal.io.export_groups import export_rows

        return partial(export_rows, release)
    return _table_writer_of(release.to_arrow()["rows"], to, raw=raw)


def _table_writer_of(table: pa.Table, to: Target, *, raw: bool) -> Callable[[BinaryIO], None]:
    """What writes a table as CSV or Parquet, and says what is escaped."""
    from shoal.io.formulas import number_in
    from shoal.io.results import RAW_WRITERS, WRITERS

    def write(out: BinaryIO) -> None:
        (RAW_WRITERS if raw else WRITERS)[f".{to.value}"](table, out)
        if to is Target.csv:
            say_what_was_escaped(number_in(table), "texts", raw=raw)

    return write


def _baskets_csv(words: pa.Array, raw: bool, write: Callable[[BinaryIO], None], out: BinaryIO) -> None:
    """Write baskets as CSV, and say which of their items are escaped."""
    from shoal.io.formulas import number_of

    write(out)
    say_what_was_escaped(number_of(words), "items", raw=raw)


def _baskets_writer(
    release: Randomized | GeneralizedBaskets | NoisyBaskets, to: Target, part: Part | None, *, raw: bool
) -> Callable[[BinaryIO], None]:
    """What writes the rows of a release of baskets; what would be read wrongly is said beside."""
    if part is not None:
        raise InputError("--part is about releases of tables, and this is one of baskets: leave it out")
    import pyarrow as pa

    from shoal.data.item_sets import ItemRows, ItemSets
    from shoal.io.export_rows import EXPORTS, export_csv
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized

    rows: ItemRows
    counts = None
    if isinstance(release, Randomized):
        _say_what_is_empty(release, to)
        rows = release
    elif to is Target.fimi:
        rows = release.baskets()
    else:
        words = pa.array(release.tree.labels, pa.string())
        counts = release.row_counts if isinstance(release, NoisyBaskets) else None
        codes = release.items if isinstance(release, NoisyBaskets) else release.nodes
        rows = ItemSets(release.offsets, codes, words)
    if to is Target.csv:
        return partial(_baskets_csv, rows.vocabulary, raw, lambda out: export_csv(rows, out, counts, raw=raw))
    return lambda out: EXPORTS[to.value](rows, out, counts)


def _say_what_is_empty(release: Randomized, to: Target) -> None:
    empty = int((release.lengths == 0).sum())
    if empty and to is Target.fimi:
        note(
            f"note: {empty:,} of the {release.n_rows:,} rows are empty and stand as blank lines, which many programs "
            "skip: give these supports as numbers of rows, not as shares of what they read"
        )
    if empty and to is Target.csv:
        note(f"note: {empty:,} of the {release.n_rows:,} rows are empty: their numbers, from 0 on, are not in the file")


def _refuse_fimi(to: Target) -> None:
    if to is Target.fimi:
        raise InputError("fimi is a format of baskets, and this is a release of a table: --to jsonl, csv or parquet")
