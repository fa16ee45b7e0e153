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
from shoal.cli.files import require_csv, say_what_was_escaped
from shoal.cli.terminal import Interrupted, kernel_work, paragraph, progress_bar, result, result_json, timed
from shoal.errors import InputError
from shoal.interruption import is_interruption
from shoal.limits import require_whole
from shoal.plural import counted
from shoal.quoting import named

if TYPE_CHECKING:
    from shoal.cli.terminal import Progress
    from shoal.data.item_sets import ItemRows
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.release import Release
    from shoal.release.bucketized import Bucketized
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets

_HALF = re.compile(rf"(?=\.reconstruction-){PART}")
_OURS = re.compile(r"reconstruction-\d+\.(dat|csv|long\.csv|parquet)")


class Target(StrEnum):
    """Formats that baskets, or tables, can be written in."""

    fimi = "fimi"
    delimited = "delimited"
    long = "long"
    csv = "csv"
    parquet = "parquet"


def reconstruct(
    release: options.ReleaseArgument,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where the files are to appear.")],
    n: Annotated[int, typer.Option("-n", "--n", metavar="N", help="How many to draw.")] = 1,
    term_items: options.DrawnTermItemsOption = None,
    seed: options.DrawSeedOption = None,
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

    require_whole("n", n, least=1)
    old = _require_free(out, force=force)
    width = max(2, len(str(n)))
    done = formulas = 0
    with timed() as seconds, progress_bar() as progress:
        try:
            with kernel_work(progress) as step:
                opened = read_release(release)
                draws = _draws(opened, format, n, term_items, hierarchy, raw=raw)
                require_csv(raw, is_csv=draws.format not in (Target.fimi, Target.parquet))
                files = [out / f"reconstruction-{number:0{width}}{draws.ending}" for number in range(1, n + 1)]
                drawn = draws.draw(n, seed=seed, progress=step)
                with _folder(out):
                    for file, original in zip(files, drawn, strict=True):
                        with atomic_file(file) as target:
                            formulas = max(formulas, draws.write(original, target))
                        done += 1
                    for file in old.difference(files):
                        file.unlink()
        except BaseException as error:
            if is_interruption(error):
                raise Interrupted(f"{done:,} of {counted(n, 'reconstruction')} written to {out}") from None
            raise
        took = seconds()
    say_what_was_escaped(formulas, draws.formulas, raw=raw)
    if json:
        said = {"files": [str(file) for file in files], **draws.said, "seed": seed, "format": draws.format.value}
        result_json(said)
        return
    names = files[0].name if n == 1 else f"{files[0].name} to {files[-1].name}"
    result(f"wrote {counted(n, 'reconstruction')} of {draws.size} to {out}: {names} ({took:.1f} s)")
    paragraph(draws.meaning)


@dataclass(frozen=True)
class _Draws:
    """How originals of a release are drawn and written, and what is said of them."""

    format: Target
    ending: str
    draw: Callable[..., Iterator[Any]]
    write: Callable[[Any, BinaryIO], int]
    """Writes one, and says how many texts of it a spreadsheet would take for formulas."""
    said: dict[str, Any]
    size: str
    meaning: str
    formulas: str = "texts"
    """What is counted as formulas."""


def _draws(
    release: Release,
    format: Target | None,
    n: int,
    term_items: options.TermItems | None,
    hierarchy: str | None,
    *,
    raw: bool,
) -> _Draws:
    """Of a release of baskets, or of one of a table."""
    from shoal.release import BasketRelease
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.randomized import Randomized

    if isinstance(release, Randomized):
        raise InputError(
            "this is a randomized release, and no possible original is drawn from one: its chance is undone on "
            "average, not row by row. shoal mine and shoal query estimate supports in the original, with their errors, "
            "and shoal export writes the rows as they were published"
        )
    if isinstance(release, Generalized):
        raise InputError(
            "this is a generalized release, which is a table already: shoal export writes its rows, for any program, "
            "and shoal query counts them"
        )
    if not isinstance(release, Disassociated) and term_items is not None:
        kind = "by " + release.method if isinstance(release, BasketRelease) else "of a table"
        raise InputError(f"--term-items is about releases of baskets in chunks, and this is one {kind}: leave it out")
    if hierarchy is not None and not isinstance(release, GeneralizedBaskets):
        raise InputError("--hierarchy is about releases of generalized baskets: leave it out")
    if not isinstance(release, BasketRelease):
        return _table_draws(release, format, raw=raw)
    from shoal.io.basket_files import BASKET_FILES

    format = format or Target.fimi
    if format is Target.csv:
        raise InputError("--format csv is for tables, and this is a release of baskets: delimited or long are CSV")
    how: _BasketDraws
    if isinstance(release, Disassociated):
        how = _from_chunks(release, term_items or options.TermItems.once)
    elif isinstance(release, GeneralizedBaskets):
        how = _from_groups(release, hierarchy)
    else:
        how = _from_counts(release, n)
    ending, write = BASKET_FILES[format.value]
    if format in (Target.delimited, Target.long):
        return _Draws(
            format, ending, how.draw, partial(_write_csv, write, raw), how.said, how.size, how.meaning, "items"
        )
    return _Draws(format, ending, how.draw, partial(_write_plain, write), how.said, how.size, how.meaning)


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


class _BasketDraws(NamedTuple):
    """How originals of a release of baskets are drawn, and what is said of them."""

    draw: Callable[..., Iterator[Transactions]]
    said: dict[str, Any]
    size: str
    meaning: str


def _from_chunks(release: Disassociated, term_items: options.TermItems) -> _BasketDraws:
    often = "one record"
    if term_items is options.TermItems.uniform:
        often = f"1 to {release.promise.k - 1} records (in 1 to all, if sensitive or possibly moved there)"
    return _BasketDraws(
        partial(release.reconstruct, term_items=term_items.value),
        {"records": release.n_records, "term_items": term_items.value},
        f"{release.n_records:,} records",
        "Each is a possible original: its records give back exactly the chunks of the release. None is the original, "
        "unless by chance. Subrecords were placed at random in their clusters, and term-chunk items in "
        f"{often} of theirs (or more, where a record would be empty); all that items of different chunks have to do "
        "with each other is chance, so take averages over several.",
    )


def _from_groups(release: GeneralizedBaskets, hierarchy: str | None) -> _BasketDraws:
    from shoal.io.hierarchies import read_hierarchy

    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    return _BasketDraws(
        partial(release.reconstruct, hierarchy=tree),
        {"records": release.n_rows},
        f"{release.n_rows:,} records",
        "Each is a possible original: generalized, its records give back exactly the rows of the release. None is the "
        "original, unless by chance. Each group in a row became one of its items, each as likely, though records may "
        "have held several: items of groups have chance neighbours, so take averages over several.",
    )


def _from_counts(release: NoisyBaskets, n: int) -> _BasketDraws:
    if n > 1:
        raise InputError("nothing is drawn from a release of noisy counts, so that there is one file of it: -n 1")

    def draw(n: int, *, seed: int | None, progress: Progress) -> Iterator[Transactions]:
        if seed is not None:
            raise InputError("nothing is drawn from a release of noisy counts: leave out --seed")
        progress("reconstruct", 0, n)
        yield release.baskets()
        progress("reconstruct", n, n)

    return _BasketDraws(
        draw,
        {"records": release.n_records},
        f"{release.n_records:,} records",
        "These are the published baskets, each as often as its noisy count says. They are not the original: rare "
        "baskets are missing, and some that nobody has are among them.",
    )


def _table_draws(release: Bucketized, format: Target | None, *, raw: bool) -> _Draws:
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

    return _Draws(
        format,
        ending,
        release.reconstruct,
        write,
        {"rows": release.n_rows},
        f"{release.n_rows:,} rows",
        "Each is a possible original: its rows and values give back exactly the groups of the release. None is the "
        f"original, unless by chance. Inside each group, which row has which value of {release.sensitive} is chance, "
        "whatever somebody may know beside, so take averages over several.",
    )


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
