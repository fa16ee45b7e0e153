"""Open a release, and run the attacks on its shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from shoal.audit.attack.adversary import ANYBODY, Adversary, Means
from shoal.audit.attack.finding import Attacks
from shoal.audit.not_tried import NotAtHand
from shoal.errors import InputError
from shoal.io.release_folder import open_release, read_release
from shoal.kernels.needed import why_no_kernels
from shoal.pipeline.evidence import require_adversary, require_evidence
from shoal.randomness import generator
from shoal.release import Release
from shoal.release.evidence import NOTHING, Evidence
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES, Shape

Folder = str | os.PathLike[str]


def attack(
    release: Folder | Release,
    evidence: Evidence = NOTHING,
    adversary: Adversary = ANYBODY,
    *,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Play the adversary against a release: try to break its promise, and measure what it does not cover.

    Args:
        release: its folder, open or not; or a release in memory.
        evidence: what is known beside it. With the original, the attacks look for people of it; ``others`` are releases
            of the same people, or their folders.
        adversary: what the adversary knows and tries.
        run: threads, progress and chance (:class:`shoal.Run`). The same chance draws the same people.

    Returns:
        One finding for each attack that was tried (a sentence, then numbers), and which were left out and why.

    Raises:
        InputError: there is no such folder, a number is out of range, or another release is not of the same people.
        DamagedRelease: a folder is not a release.

    Example:
        >>> import shoal
        >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea"}] * 4), k=3, m=2)
        >>> shoal.attack(release, adversary=shoal.Adversary(knows=2)).breaks_promise
        False
    """
    with nullcontext() if isinstance(release, Release) else open_release(release) as folder:
        target = release if folder is None else folder.release
        assert isinstance(target, Release)
        called: Folder = "this" if folder is None else folder
    shape = SHAPES[target.shape]
    play = shape.load("attack")
    require_evidence(target, replace(evidence, others=()), called)
    if play is None:
        raise InputError(
            f"{called}: no attack on releases by {target.method} is known to Shoal yet"
            + (": of two releases the epsilons add up" if evidence.others else "")
        )
    require_adversary(target, adversary, run, called, others=bool(evidence.others))
    evidence = replace(evidence, others=_others(target, shape, called, evidence.others))
    means = Means(generator, _publish_again(shape))
    attacks: Attacks = play(target, evidence, adversary, means, run)
    return attacks


def _publish_again(shape: Shape) -> Callable[..., Any] | NotAtHand:
    """The publisher of a shape, if attacks run it again, and it can run here."""
    if shape.publish_again is None:
        return NotAtHand("it needs the algorithm that made the release")
    why = why_no_kernels()
    return NotAtHand(why) if why is not None else shape.load("publish_again")


def _others(release: Release, shape: Shape, folder: Folder, given: Sequence[Any]) -> tuple[Release, ...]:
    """Other releases, read; they must have the shape of the one that is attacked."""
    if given and shape.others == 0:
        raise InputError(
            f"{folder} is {shape.called}: no attack compares two such releases yet (it would intersect what the rows "
            "with some items have in common): remove the other release"
        )
    if shape.others is not None and len(given) > shape.others:
        raise InputError(
            f"{len(given)} other releases were given: an attack on releases by {release.method} compares two, so "
            "give one"
        )
    found = []
    for path in given:
        other = path if isinstance(path, Release) else read_release(path)
        if other.shape != release.shape:
            raise InputError(
                f"{'the other' if other is path else path} is a release by {other.method}, and {folder} one by "
                f"{release.method}: shoal attack compares releases of one shape (shoal verify FOLDER shows the method "
                "of a folder)"
            )
        found.append(other)
    return tuple(found)
