"""``shoal reconstruct``: possible originals of a release, drawn at random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

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

_OURS = re.compile(r"reconstruction-\d+\.(dat|csv|long\.csv|parquet)")


class Target(StrEnum):
    """Formats that baskets can be written in."""

    fimi = "fimi"
    delimited = "delimited"
    long = "long"
    parquet = "parquet"


def reconstruct(
    release: options.ReleaseArgument,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where the files are to appear.")],
    n: Annotated[int, typer.Option("-n", "--n", metavar="N", help="How many to draw.")] = 1,
    term_items: options.TermItemsOption = options.TermItems.once,
    seed: options.DrawSeedOption = None,
    format: Annotated[
        Target,
        typer.Option(
            "--format",
            help="fimi: a record a line; delimited: CSV, a record a line; long: CSV, an item a row; parquet: lists.",
        ),
    ] = Target.fimi,
    force: Annotated[bool, typer.Option("--force", help="Replace reconstructions that are there already.")] = False,
    json: options.JsonOption = False,
) -> None:
    """Draw possible originals of a release: records that give back exactly its chunks.

    None of them is the original. What parts of a record have to do with each other is chance in each, unless one
    chunk holds both: average over several.
    """
    from shoal.io.basket_files import BASKET_FILES
    from shoal.io.release_folder import read_disassociated

    require_whole("n", n, least=1)
    old = _require_free(out, force=force)
    ending, write = BASKET_FILES[format.value]
    width = max(2, len(str(n)))
    files = [out / f"reconstruction-{number:0{width}}{ending}" for number in range(1, n + 1)]
    done = 0
    with timed() as seconds, progress_bar() as progress:
        try:
            with kernel_work(progress) as step:
                from shoal.analyse.reconstruct import reconstruct

                opened = read_disassociated(release)
                drawn = reconstruct(opened, n, term_items=term_items.value, seed=seed, progress=step)
                with _folder(out):
                    for file, original in zip(files, drawn, strict=True):
                        with appearing_at_once(file) as target:
                            write(original, target)
                        done += 1
                    for file in old.difference(files):
                        file.unlink()
        except BaseException as error:
            if is_interruption(error):
                raise Interrupted(f"{done:,} of {counted(n, 'reconstruction')} written to {out}") from None
            raise
        took = seconds()
    if json:
        result_json(
            {
                "files": [str(file) for file in files],
                "records": opened.n_records,
                "term_items": term_items.value,
                "seed": seed,
                "format": format.value,
            }
        )
        return
    names = files[0].name if n == 1 else f"{files[0].name} to {files[-1].name}"
    result(f"wrote {counted(n, 'reconstruction')} of {opened.n_records:,} records to {out}: {names} ({took:.1f} s)")
    often = "one record" if term_items is options.TermItems.once else f"1 to {opened.promise.k - 1} records"
    paragraph(
        "Each is a possible original: its records give back exactly the chunks of the release. None is the original, "
        "unless by chance. Subrecords were placed at random in their clusters, and term-chunk items in "
        f"{often} of theirs (or more, where a record would be empty); all that items of different chunks have to do "
        "with each other is chance, so take averages over several."
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
