"""``shoal reconstruct``: possible originals of a release, drawn at random."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from shoal.cli import options
from shoal.cli.files import appearing_at_once
from shoal.cli.terminal import (
    Interrupted,
    counted,
    is_interruption,
    kernel_work,
    paragraph,
    progress_bar,
    result,
    result_json,
    timed,
)
from shoal.errors import InputError
from shoal.limits import require_whole

if TYPE_CHECKING:
    from shoal.release import Release

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
    term_items: options.TermItemsOption = options.TermItems.once,
    seed: options.DrawSeedOption = None,
    format: Annotated[
        Target | None,
        typer.Option(
            "--format",
            help="fimi: a record a line; delimited: CSV, a record a line; long: CSV, an item a row; parquet: lists. Of "
            "a release of a table: csv or parquet. Default: fimi, or csv.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace reconstructions that are there already.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Draw possible originals of a release: records that give back exactly its chunks, or rows its groups.

    None of them is the original. What parts of a record have to do with each other is chance in each, unless one
    chunk holds both, and so is which row of a group has which value: average over several.
    """
    from shoal.io.release_folder import read_release

    require_whole("n", n, least=1)
    old = _require_free(out, force=force)
    width = max(2, len(str(n)))
    done = 0
    with timed() as seconds, progress_bar() as progress:
        try:
            with kernel_work(progress) as step:
                opened = read_release(release)
                draws = _draws(opened, format, term_items)
                files = [out / f"reconstruction-{number:0{width}}{draws.ending}" for number in range(1, n + 1)]
                drawn = draws.draw(n, seed=seed, progress=step)
                with _folder(out):
                    for file, original in zip(files, drawn, strict=True):
                        with appearing_at_once(file) as target:
                            draws.write(original, target)
                        done += 1
                    for file in old.difference(files):
                        file.unlink()
        except BaseException as error:
            if is_interruption(error):
                raise Interrupted(f"{done:,} of {counted(n, 'reconstruction')} written to {out}") from None
            raise
        took = seconds()
    if json:
        said = {"files": [str(file) for file in files], **draws.said, "seed": seed, "format": draws.format.value}
        result_json(said)
        return
    names = files[0].name if n == 1 else f"{files[0].name} to {files[-1].name}"
    result(f"wrote {counted(n, 'reconstruction')} of {draws.size} to {out}: {names} ({took:.1f} s)")
    paragraph(f"Each is a possible original: {draws.meaning}, so take averages over several.")


@dataclass(frozen=True)
class _Draws:
    """How originals of a release are drawn and written, and what is said of them."""

    format: Target
    ending: str
    draw: Callable[..., Iterator[Any]]
    write: Callable[[Any, BinaryIO], None]
    said: dict[str, Any]
    size: str
    meaning: str


def _draws(release: Release, format: Target | None, term_items: options.TermItems) -> _Draws:
    """Of a release of baskets, or of one of a table."""
    from shoal.release.bucketized import Bucketized
    from shoal.release.generalized import Generalized
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
    if isinstance(release, Bucketized):
        from shoal.io.results import WRITERS

        format = format or Target.csv
        if format not in (Target.csv, Target.parquet):
            raise InputError(
                f"--format {format.value} is for baskets, and this is a release of a table: csv or parquet"
            )
        if term_items is not options.TermItems.once:
            raise InputError("--term-items is about releases of baskets, and this is one of a table: leave it out")
        ending = f".{format.value}"
        return _Draws(
            format,
            ending,
            release.reconstruct,
            lambda drawn, target: WRITERS[ending](drawn.to_arrow(), target),
            {"rows": release.n_rows},
            f"{release.n_rows:,} rows",
            "its rows and values give back exactly the groups of the release. None is the original, unless by chance. "
            f"Inside each group, which row has which value of {release.sensitive} is chance, whatever somebody may "
            "know beside",
        )
    from shoal.io.basket_files import BASKET_FILES

    format = format or Target.fimi
    if format is Target.csv:
        raise InputError("--format csv is for tables, and this is a release of baskets: delimited or long are CSV")
    ending, write = BASKET_FILES[format.value]
    often = "one record" if term_items is options.TermItems.once else f"1 to {release.promise.k - 1} records"
    return _Draws(
        format,
        ending,
        partial(release.reconstruct, term_items=term_items.value),
        write,
        {"records": release.n_records, "term_items": term_items.value},
        f"{release.n_records:,} records",
        "its records give back exactly the chunks of the release. None is the original, unless by chance. Subrecords "
        f"were placed at random in their clusters, and term-chunk items in {often} of theirs (or more, where a record "
        "would be empty); all that items of different chunks have to do with each other is chance",
    )


def _require_free(out: Path, *, force: bool) -> set[Path]:
    """Refuse a folder with anything in it, unless it is reconstructions and ``force`` is given; returns these."""
    if not out.parent.is_dir():
        raise InputError(f"cannot write {out}: there is no folder {out.parent}; make it first")
    if not out.exists():
        return set()
    if not out.is_dir():
        raise InputError(f"{out} exists already and is a file; choose another name for the folder")
    there = set(out.iterdir())
    strange = sorted(path.name for path in there if not (_OURS.fullmatch(path.name) and path.is_file()))
    if strange:
        raise InputError(
            f"{out} exists already and holds {strange[0]!r}, which is not a reconstruction; choose another"
        )
    if there and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace the reconstructions in it")
    return there


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """The folder; one that was made in vain is gone at the end."""
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from None
    try:
        yield
    finally:
        if not any(out.iterdir()):
            out.rmdir()
