"""Open a release, and run the attacks on its shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from shoal.audit.attack.adversary import Adversary, Means
from shoal.audit.attack.finding import Attacks
from shoal.audit.not_tried import NotAtHand
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.release_folder import open_release, read_release
from shoal.kernels.needed import why_no_kernels
from shoal.pipeline.evidence import require_adversary, require_evidence
from shoal.randomness import generator
from shoal.release import Release
from shoal.release.evidence import Evidence
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES, Shape

Folder = str | os.PathLike[str]


def attack(
    release: Folder | Release,
    *,
    original: Transactions | Table | None = None,
    other: Folder | Sequence[Folder] | None = None,
    knows: int | None = None,
    victims: int | None = None,
    struck: float | None = None,
    run: Run = DEFAULT_RUN,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    hierarchy: Hierarchy | None = None,
    min_expectation: float | None = None,
    min_confidence: float | None = None,
    max_attributes: int | None = None,
    fill: bool = False,
) -> Attacks:
    """Play the adversary against a published folder: try to break its promise, and measure what it does not cover.

    Args:
        release: its folder, open or not; or a release in memory.
        original: the original data, if available: then people of these are looked for.
        other: a second release of the same people; several of a table. No such attack is known for generalized
            baskets and noisy counts.
        knows: how many items of a person the adversary knows; by default the m of the promise (of generalized baskets,
            one more).
        victims: how many people to look for; by default 1,000.
        struck: the share of people whose whole records the adversary knows; by default .01.
        run: threads, progress and chance (:class:`shoal.Run`).
        background: of a bucketized release (to which ``knows`` to ``seed`` do not apply), the negative rules that the
            adversary knows. Without them, those that it discloses or that are counted in the original.
        hierarchies: of a bucketized release, trees whose nodes the rules counted may use; of a generalized one,
            those it was made with.
        hierarchy: of a release of generalized baskets (otherwise only ``original``, ``knows``, ``victims`` and ``seed``
            apply to it), what it was made with, to find people of the original.
        min_expectation: of a bucketized release, the least expectation at which rules are counted.
        min_confidence: of a bucketized release, the least confidence at which rules are counted.
        max_attributes: of a bucketized release, the maximum number of columns in the rules that are counted.
        fill: of a generalized release (to which only this, ``original``, ``other`` and ``hierarchies`` apply),
            guess the hidden cells, and see what is recovered.

    Returns:
        One finding for each attack that was tried (a sentence, then numbers), and which were left out and why.

    Raises:
        InputError: there is no such folder, a number is out of range, or another release is not of the same people.
        DamagedRelease: a folder is not a release.
    """
    adversary = Adversary(knows, victims, struck, run.chance, min_expectation, min_confidence, max_attributes, fill)
    return attack_with(release, Evidence(original, background, hierarchies, hierarchy), adversary, other, run)


def attack_with(
    release: Folder | Release,
    evidence: Evidence,
    adversary: Adversary,
    other: Folder | Sequence[Folder] | None = None,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """See :func:`attack`; takes evidence and adversary as values."""
    with nullcontext() if isinstance(release, Release) else open_release(release) as folder:
        target = release if folder is None else folder.release
        assert isinstance(target, Release)
        called: Folder = "this" if folder is None else folder
    shape = SHAPES[target.shape]
    play = shape.load("attack")
    folders = [] if other is None else [other] if isinstance(other, str | os.PathLike) else list(other)
    require_evidence(target, evidence, called)
    if play is None:
        raise InputError(
            f"{called}: no attack on releases by {target.method} is known to Shoal yet"
            + (": of two releases the epsilons add up" if folders else "")
        )
    require_adversary(target, adversary, called, others=bool(folders))
    evidence = replace(evidence, others=_others(target, shape, called, folders))
    means = Means(generator, _publish_again(shape))
    attacks: Attacks = play(target, evidence, adversary, means, run)
    return attacks


def _publish_again(shape: Shape) -> Callable[..., Any] | NotAtHand:
    """The publisher of a shape, if attacks run it again, and it can run here."""
    if shape.publish_again is None:
        return NotAtHand("it needs the algorithm that made the release")
    why = why_no_kernels()
    return NotAtHand(why) if why is not None else shape.load("publish_again")


def _others(release: Release, shape: Shape, folder: Folder, folders: Sequence[Folder]) -> tuple[Release, ...]:
    """Other releases, read; they must have the shape of the one that is attacked."""
    if folders and shape.others == 0:
        raise InputError(
            f"{folder} is {shape.called}: no attack compares two such releases yet (it would intersect what the rows "
            "with some items have in common): remove the other release"
        )
    if shape.others is not None and len(folders) > shape.others:
        raise InputError(
            f"{len(folders)} other releases were given: an attack on releases by {release.method} compares two, so "
            "give one"
        )
    found = []
    for path in folders:
        other = read_release(path)
        if other.shape != release.shape:
            raise InputError(
                f"{path} is a release by {other.method}, and {folder} one by {release.method}: shoal attack compares "
                "releases of one shape (shoal verify FOLDER shows the method of a folder)"
            )
        found.append(other)
    return tuple(found)
