"""From a release to what an adversary learns of it: open it, and hand it to the attacks on its shape."""

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
from shoal.pipeline.verifying import Progress
from shoal.randomness import generator
from shoal.release import Release
from shoal.release.evidence import Evidence
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
    seed: int | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    hierarchy: Hierarchy | None = None,
    min_expectation: float | None = None,
    min_confidence: float | None = None,
    max_attributes: int | None = None,
    fill: bool = False,
    progress: Progress | None = None,
) -> Attacks:
    """Play the adversary against a published folder: try to break its promise, and measure what it does not cover.

    Args:
        release: its folder, open or not; or a release in memory.
        original: the data it was made from, if they are at hand: then people of these are looked for.
        other: a second release of the same people; several of a table. None is known to be attacked for generalized
            baskets and noisy counts.
        knows: how many items of a person the adversary knows; by default the m of the promise (of generalized baskets,
            one more).
        victims: how many people are looked for; by default 1,000.
        struck: the share of people whose whole records the adversary knows; by default .01.
        seed: draw the same people again; by default others every time. Of a randomized release (to which ``knows`` and
            ``struck`` do not apply, and ``victims`` only with ``other``), draw the same flips and made-up rows again.
        background: of a bucketized release (to which ``knows`` to ``seed`` do not apply), the negative rules that the
            adversary knows. Without them, those that it discloses or that are counted in the original.
        hierarchies: of a bucketized release, trees whose nodes the rules counted may speak of; of a generalized one,
            those it was made with.
        hierarchy: of a release of generalized baskets (to which only ``original``, ``knows``, ``victims`` and ``seed``
            apply beside), what it was made with, to find people of the original.
        min_expectation: of a bucketized release, the expectation from which on rules are counted.
        min_confidence: of a bucketized release, the confidence from which on rules are counted.
        max_attributes: of a bucketized release, how many columns rules that are counted may speak of.
        fill: of a generalized release (to which nothing else but ``original``, ``other`` and ``hierarchies`` applies),
            guess the hidden cells, and see what comes back.
        progress: called with (attack, done, total).

    Returns:
        One finding for each attack that was tried (a sentence, then numbers), and which were left out and why.

    Raises:
        InputError: there is no such folder, a number is out of range, or another release is not of the same people.
        DamagedRelease: a folder is not a release.
    """
    adversary = Adversary(knows, victims, struck, seed, min_expectation, min_confidence, max_attributes, fill)
    return attack_with(release, Evidence(original, background, hierarchies, hierarchy), adversary, other, progress)


def attack_with(
    release: Folder | Release,
    evidence: Evidence,
    adversary: Adversary,
    other: Folder | Sequence[Folder] | None = None,
    progress: Progress | None = None,
) -> Attacks:
    """See :func:`attack`, for those who have evidence and adversary as values."""
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
    attacks: Attacks = play(target, evidence, adversary, means, progress)
    return attacks


def _publish_again(shape: Shape) -> Callable[..., Any] | NotAtHand:
    """The publisher of a shape, if it has one that attacks run again, and it can run here."""
    if shape.publish_again is None:
        return NotAtHand("it needs the algorithm that made the release")
    why = why_no_kernels()
    return NotAtHand(why) if why is not None else shape.load("publish_again")


def _others(release: Release, shape: Shape, folder: Folder, folders: Sequence[Folder]) -> tuple[Release, ...]:
    """Other releases, read; they must be of the shape of the one that is attacked."""
    if folders and shape.others == 0:
        raise InputError(
            f"{folder} is {shape.called}: no second release is played against such ones, because no attack here "
            "intersects yet what the rows that hold some items have in common: leave it out"
        )
    if shape.others is not None and len(folders) > shape.others:
        raise InputError(
            f"{len(folders)} other releases were given: of releases by {release.method} two are played together, so "
            "give one"
        )
    found = []
    for path in folders:
        other = read_release(path)
        if other.shape != release.shape:
            raise InputError(
                f"{path} is a release by {other.method}, and {folder} one by {release.method}: shoal attack plays "
                "releases of one shape together (shoal verify FOLDER says which a folder has)"
            )
        found.append(other)
    return tuple(found)
