"""From a folder to what an adversary learns of it: read it, and hand what it holds to the attacks on its shape."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Int64, Transactions
from shoal.errors import InputError
from shoal.io.release_folder import opened, read_release
from shoal.pipeline.verifying import Progress, refuse_tables
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

if TYPE_CHECKING:
    from shoal.audit.attack.finding import Attacks


Folder = str | os.PathLike[str]
Shape = TypeVar("Shape", bound=Release)


def attack(
    folder: Folder,
    *,
    original: Transactions | Table | None = None,
    other: Folder | Sequence[Folder] | None = None,
    knows: int | None = None,
    victims: int = 1_000,
    struck: float = 0.01,
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
        folder: the release.
        original: the data it was made from, if they are at hand: then people of these are looked for.
        other: a second release of the same people; several of a table. None is known to be attacked for generalized
            baskets and noisy counts.
        knows: how many items of a person the adversary knows; by default the m of the promise (of generalized baskets,
            one more).
        victims: how many people are looked for.
        struck: the share of people whose whole records the adversary knows.
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
    counting = (min_expectation, min_confidence, max_attributes)
    with opened(folder) as found:
        release = found.release
    others = _Others.of(folder, other)
    if hierarchy is not None and not isinstance(release, GeneralizedBaskets):
        raise InputError(f"{folder} was not made with a hierarchy of items that could be compared with it")
    if isinstance(release, Generalized):
        from shoal.audit.attack import generalized

        if isinstance(original, Transactions) or any(given is not None for given in (knows, background, *counting)):
            raise InputError(f"{folder} is a generalized release: baskets, knows and rules are not about it")
        return generalized.attack(
            release,
            fill=fill,
            original=original,
            others=others.like(release),
            hierarchies=hierarchies,
            progress=progress,
        )
    if fill:
        raise InputError(f"{folder} has no hidden cells to fill: that is about generalized releases")
    if isinstance(release, Bucketized):
        from shoal.audit.attack import bucketized

        if isinstance(original, Transactions) or knows is not None:
            raise InputError(f"{folder} is a release of a table: baskets and knows are not about it")
        return bucketized.attack(
            release,
            background=background,
            original=original,
            others=others.like(release),
            hierarchies=hierarchies,
            min_expectation=min_expectation,
            min_confidence=min_confidence,
            max_attributes=max_attributes,
            progress=progress,
        )
    refuse_tables(folder, original, background, hierarchies, *counting)
    assert not isinstance(original, Table)
    if isinstance(release, Randomized):
        if knows is not None:
            raise InputError(f"{folder} is a randomized release: knows is not about it")
        return _attack_randomized(release, original, others.one_like(release), victims, seed, progress)
    if isinstance(release, NoisyBaskets):
        raise InputError(
            f"{folder}: no attack on releases by {release.method} is known to Shoal yet"
            + (": of two releases the epsilons add up" if others.folders else "")
        )
    from shoal.randomness import generator

    if isinstance(release, GeneralizedBaskets):
        from shoal.audit.attack import generalized_baskets

        others.refuse(
            "generalized baskets: whoever is found by some items in two of them is found by the rows that hold these "
            "in each, which no attack here intersects yet"
        )
        return generalized_baskets.attack(
            release,
            generator=generator(seed),
            original=original,
            hierarchy=hierarchy,
            knows=knows,
            n_victims=victims,
            progress=progress,
        )
    from shoal.audit.attack.disassociated import every_attack  # much code, and nobody else needs it
    from shoal.publish.disassociation import disassociate

    k, m = release.promise.k, release.promise.m

    def publish_as_one_cluster(data: Transactions) -> Disassociated:
        return disassociate(data, k, m, max_cluster_size=max(len(data), 2 * k - 1), refine_rounds=0, threads=1)

    return every_attack.attack(
        release,
        generator=generator(seed),
        original=original,
        other=others.one_like(release),
        knows=knows,
        n_victims=victims,
        struck=struck,
        publish=publish_as_one_cluster,
        progress=progress,
    )


@dataclass(frozen=True)
class _Others:
    """Other releases, which must be of the shape of the one that is attacked."""

    folder: Folder
    """The one that is attacked."""
    folders: tuple[Folder, ...]

    @classmethod
    def of(cls, folder: Folder, other: Folder | Sequence[Folder] | None) -> _Others:
        if other is None:
            return cls(folder, ())
        return cls(folder, (other,) if isinstance(other, str | os.PathLike) else tuple(other))

    def like(self, release: Shape) -> tuple[Shape, ...]:
        """All of them, read."""
        found = []
        for folder in self.folders:
            other = read_release(folder)
            if not isinstance(other, type(release)):
                raise InputError(
                    f"{folder} is a release by {other.method}, and {self.folder} one by {release.method}: shoal attack "
                    "plays releases of one shape together (shoal verify FOLDER says which a folder has)"
                )
            found.append(other)
        return tuple(found)

    def one_like(self, release: Shape) -> Shape | None:
        """The only one, read; None if there is none."""
        if len(self.folders) > 1:
            raise InputError(
                f"{len(self.folders)} other releases were given: of releases by {release.method} two are played "
                "together, so give one"
            )
        return next(iter(self.like(release)), None)

    def refuse(self, why: str) -> None:
        """Refuse them where no attack uses them."""
        if self.folders:
            raise InputError(f"{self.folder}: no second release is played against {why}: leave it out")


def _attack_randomized(
    release: Randomized,
    original: Transactions | None,
    other: Randomized | None,
    victims: int,
    seed: int | None,
    progress: Progress | None,
) -> Attacks:
    from shoal.audit.attack import randomized
    from shoal.limits import require_whole
    from shoal.publish.randomization import randomize_again
    from shoal.randomness import generator

    def drawn_anew(like: Randomized, seed: int | None) -> tuple[Randomized, Int64]:
        assert original is not None
        return randomize_again(like, original, seed=seed, progress=progress)

    second = None
    if other is not None:
        require_whole("victims", victims, least=1)
        # Not the chance of the first one: two releases that share it are one.
        anew = partial(drawn_anew, other, None if seed is None else seed + 1)
        second = randomized.Second(other, anew, generator(seed), victims)
    return randomized.attack(
        release, original=original, again=partial(drawn_anew, release, seed), other=second, progress=progress
    )
