"""``shoal reconstruct``: possible originals of a release, drawn at random."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple

import typer

from shoal.atomic.files import PART, atomic_file, is_abandoned, make_folder
from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.files import require_csv, say_what_was_escaped
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import Interrupted, kernel_work, paragraph, progress_bar, result, result_json, timed
from shoal.errors import InputError
from shoal.interruption import is_interruption
from shoal.limits import require_whole
from shoal.plural import counted
from shoal.quoting import named
from shoal.run import Run
from shoal.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from shoal.analyse.originals import Originals
    from shoal.analyse.reader import Reader
    from shoal.data.item_sets import ItemRows
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions

_HALF = re.compile(rf"(?=\.reconstruction-){PART}")
_OURS = re.compile(r"reconstruction-\d+\.(dat|csv|long\.csv|parquet)")


class Target(StrEnum):
    """Formats that baskets, or tables, can be written in."""

    fimi = "fimi"
    delimited = "delimited"
    long = "long"
    csv = "csv"
    parquet = "parquet"


@dataclass(frozen=True)
class Drawn:
    """What is drawn."""

    n: Annotated[int, typer.Option("-n", "--n", metavar="N", help="How many to draw.")] = 1
    term_items: options.DrawnTermItemsOption = None
    seed: options.DrawSeedOption = None


@grouped
def reconstruct(
    context: typer.Context,
    release: options.ReleaseArgument,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where the files are to appear.")],
    drawn: Drawn,
    format: Annotated[
        Target | None,
        typer.Option(
            "--format",
            help="fimi: a record a line; delimited: CSV, a record a line; long: CSV, an item a row; parquet: lists. Of "
            "a release of a table: csv or parquet. Default: fimi, or csv.",
        ),
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option(
            "--hierarchy",
            metavar="FILE",
            help="Generalized baskets: the hierarchy that they were made with, unless the release has all of it.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace reconstructions that are there already.")] = False,
    raw: options.RawOption = False,
    json: options.JsonOption = False,
) -> None:
    """Draw possible originals of a release: records that give back exactly its chunks, or rows its groups.

    None of them is the original. What parts of a record have to do with each other is chance in each, unless one
    chunk holds both, and so is which row of a group has which value: average over several. Of generalized baskets,
    each group becomes one of its items; baskets with noisy counts are repeated as often as these say.
    """
    from shoal.io.release_folder import read_release

    n, seed = drawn.n, drawn.seed
    require_whole("n", n, least=1)
    old = _require_free(out, force=force)
    width = max(2, len(str(n)))
    done = formulas = 0
    with timed() as seconds, progress_bar() as progress:
        try:
            with kernel_work(progress) as step:
                published = read_release(release)
                shape, reader = SHAPES[published.shape], published.reader()
                _refuse_what_it_lacks(context, shape, reader)
                form = _files(shape, format, raw=raw)
                originals = _originals(shape, reader, drawn, hierarchy)
                require_csv(raw, is_csv=form.format not in (Target.fimi, Target.parquet))
                files = [out / f"reconstruction-{number:0{width}}{form.ending}" for number in range(1, n + 1)]
                made = originals.draw(n, run=Run(progress=step, chance=seed))
                with _folder(out):
                    for file, original in zip(files, made, strict=True):
                        with atomic_file(file) as target:
                            formulas = max(formulas, form.write(original, target))
                        done += 1
                    for file in old.difference(files):
                        file.unlink()
        except BaseException as error:
            if is_interruption(error):
                raise Interrupted(f"{done:,} of {counted(n, 'reconstruction')} written to {out}") from None
            raise
        took = seconds()
    say_what_was_escaped(formulas, form.formulas, raw=raw)
    if json:
        said = {"files": [str(file) for file in files], **originals.counts, "seed": seed, "format": form.format.value}
        result_json(said)
        return
    names = files[0].name if n == 1 else f"{files[0].name} to {files[-1].name}"
    result(f"wrote {counted(n, 'reconstruction')} of {originals.size} to {out}: {names} ({took:.1f} s)")
    paragraph(originals.meaning)


class _Files(NamedTuple):
    """How originals are written."""

    format: Target
    ending: str
    write: Callable[[Any, BinaryIO], int]
    """Writes one, and says how many texts of it a spreadsheet would take for formulas."""
    formulas: str = "texts"
    """What is counted as formulas."""


def _refuse_what_it_lacks(context: typer.Context, shape: Shape, reader: Reader) -> None:
    """Refuse a shape of release that nothing is drawn from, and options that do not apply to it."""
    if reader.instead_of_originals:
        raise InputError(reader.instead_of_originals)
    refuse(context, {"term_items", "hierarchy"} - reader.drawing_options, shape.called)


def _originals(shape: Shape, reader: Reader, drawn: Drawn, hierarchy: str | None) -> Originals:
    """How originals of a release are drawn."""
    from shoal.io.hierarchies import read_hierarchy

    originals = reader.originals(
        term_items=None if drawn.term_items is None else drawn.term_items.value,
        hierarchy=None if hierarchy is None else read_hierarchy(hierarchy),
    )
    if not originals.are_drawn and drawn.n > 1:
        raise InputError(f"nothing is drawn at random from {shape.called}, so there is one file: use -n 1")
    if not originals.are_drawn and drawn.seed is not None:
        raise InputError(f"nothing is drawn at random from {shape.called}: leave out --seed")
    return originals


def _files(shape: Shape, format: Target | None, *, raw: bool) -> _Files:
    """How its originals are written: as baskets, or as tables."""
    return _basket_files(format or Target.fimi, raw=raw) if shape.data == "baskets" else _table_files(format, raw=raw)


def _basket_files(format: Target, *, raw: bool) -> _Files:
    from shoal.io.basket_files import BASKET_FILES

    if format is Target.csv:
        raise InputError("--format csv is for tables, and this is a release of baskets: delimited or long are CSV")
    ending, write = BASKET_FILES[format.value]
    if format in (Target.delimited, Target.long):
        return _Files(format, ending, partial(_write_csv, write, raw), "items")
    return _Files(format, ending, partial(_write_plain, write))


def _write_csv(write: Callable[[ItemRows, BinaryIO], None], raw: bool, drawn: Transactions, target: BinaryIO) -> int:
    """Write baskets as CSV, with an apostrophe before items that a spreadsheet would take for formulas; how many."""
    from shoal.data.item_sets import ItemSets
    from shoal.io.formulas import escape, number_of

    write(drawn if raw else ItemSets(drawn.offsets, drawn.items, escape(drawn.vocabulary)), target)
    return number_of(drawn.vocabulary)


def _write_plain(write: Callable[[ItemRows, BinaryIO], None], drawn: Transactions, target: BinaryIO) -> int:
    """Write baskets in a format that is for no spreadsheet."""
    write(drawn, target)
    return 0


def _table_files(format: Target | None, *, raw: bool) -> _Files:
    from shoal.io.formulas import number_in
    from shoal.io.results import RAW_WRITERS, WRITERS

    format = format or Target.csv
    if format not in (Target.csv, Target.parquet):
        raise InputError(f"--format {format.value} is for baskets, and this is a release of a table: csv or parquet")
    ending = f".{format.value}"

    def write(drawn: Table, target: BinaryIO) -> int:
        rows = drawn.to_arrow()
        (RAW_WRITERS if raw else WRITERS)[ending](rows, target)
        return number_in(rows) if format is Target.csv else 0

    return _Files(format, ending, write)


def _require_free(out: Path, *, force: bool) -> set[Path]:
    """Refuse a folder with anything in it, unless it is reconstructions and ``force`` is given; returns these."""
    from shoal.io.manifest import require_outside_releases

    if not out.parent.is_dir():
        raise InputError(f"cannot write {out}: there is no folder {out.parent}; make it first")
    require_outside_releases(out)
    if not out.exists():
        return set()
    if not out.is_dir():
        raise InputError(f"{out} exists already and is a file; choose another name for the folder")
    there = {path for path in out.iterdir() if not _delete_if_abandoned(path)}
    strange = sorted(path.name for path in there if not (_OURS.fullmatch(path.name) and path.is_file()))
    if strange:
        raise InputError(
            f"{out} exists already and holds {named(strange[0])}, which is not a reconstruction; choose another"
        )
    if there and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace the reconstructions in it")
    return there


def _delete_if_abandoned(path: Path) -> bool:
    """Delete half of a reconstruction, which a run left that was killed."""
    abandoned = bool(_HALF.fullmatch(path.name)) and is_abandoned(path)
    if abandoned:
        path.unlink(missing_ok=True)
    return abandoned


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """The folder; one that was made in vain is gone at the end."""
    try:
        make_folder(out)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from None
    try:
        yield
    finally:
        if not any(out.iterdir()):
            out.rmdir()
