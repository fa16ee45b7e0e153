"""What publishing commands share: read, publish, write, and say what came of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from shoal.cli.terminal import (
    Progress,
    kernel_work,
    paragraph,
    progress_bar,
    result,
    result_json,
    saying_that_nothing_was_published,
    timed,
)

if TYPE_CHECKING:
    from shoal.release.bucketized import Bucketized
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized

R = TypeVar("R", "Bucketized", "Generalized", "GeneralizedBaskets", "NoisyBaskets", "Randomized")
D = TypeVar("D")
Read = TypeVar("Read", covariant=True)

OutOption = Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where the release is to appear.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a release that is there already.")]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="For experiments: draw the same chance again. Such a release must not be published.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, metavar="N", help="Threads to use. Default: all processors. The release is the same."
    ),
]


class Source(Protocol[Read]):
    """Where data are, and how they are to be read."""

    def read(self) -> Read:
        """Read them, and say what was left out or may surprise."""


def publish_and_say(
    source: Source[D],
    out: Path,
    publish: Callable[[D, Progress], R],
    say: Callable[[R], tuple[list[str], dict[str, object]]],
    *,
    force: bool,
    json: bool,
    kernels: bool = True,
) -> None:
    """Read data, publish and write them, and say what came of it: what is usual, and what is special of the method.

    Args:
        source: the data.
        out: where the release is to appear.
        publish: makes the release.
        say: sentences about the release, the first of them its size, and what is special of it for JSON.
        force: replace a release that is there already.
        json: print the result as JSON.
        kernels: whether publishing uses kernels, which are loaded, and the first time compiled, before it.
    """
    from shoal import pipeline

    pipeline.require_free(out, force=force)
    with timed() as seconds, progress_bar() as progress:
        with saying_that_nothing_was_published():
            progress("read", 0, 1)
            data = source.read()
            progress("read", 1, 1)
            with kernel_work(progress) if kernels else nullcontext(progress) as step:
                release = publish(data, step)
            del data  # they are not needed any more, and may be large
            verdict = pipeline.write(release, out, force=force, progress=progress)
        took = seconds()
    (size, *sentences), special = say(release)
    if json:
        result_json({"release": str(out), "counts": release.counts, **special, **verdict.as_dict()})
        return
    result(f"published {size} in {out}, verified from disk ({took:.1f} s)")
    for sentence in sentences:
        paragraph(sentence)
    for promise in release.promises:
        paragraph(promise.words)
    result(f"what is not promised stands in {out / 'manifest.json'}; check with: shoal verify {out}")
