"""What releases of baskets can promise."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import InputError
from shoal.limits import require_whole


@dataclass(frozen=True)
class _KAndM:
    """The two numbers of k^m-anonymity, whatever is promised by them."""

    k: int
    """How many records must remain that hold what is known; at least 2."""
    m: int
    """How many items of a record an adversary may know; at least 1."""

    def __post_init__(self) -> None:
        require_whole("k", self.k, least=2)
        require_whole("m", self.m, least=1)


def _candidates(k: int) -> str:
    """What a number of candidates does not say."""
    return (
        f"no bound on a probability: that at least {k} records remain possible does not make each of them one in {k} "
        "likely, and an adversary with outside knowledge may find one of them far more likely than the others"
    )


@dataclass(frozen=True)
class KmAnonymity(_KAndM):
    """Whoever knows up to ``m`` items of a record has to reckon with at least ``k`` records that may hold them.

    Formally (Terrovitis et al., VLDB 2012, Guarantee 1, read over all reconstructions of the release): for every set
    of at most m items of some original record there is a possible original, consistent with everything published,
    in which at least k records contain the set.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"For every set of up to {self.m} items that occur together in an original record there is a possible "
            f"original, consistent with this release, in which at least {self.k} records contain the set."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What is missing, and what an adversary may still do."""
        return (
            *_where_km_ends(self.k, self.m),
            "nothing about what was left out, if anything was (it is counted): a set with an item that was too rare, "
            "or with a sensitive item that was suppressed, may be in no possible original",
        )


def _where_km_ends(k: int, m: int) -> tuple[str, ...]:
    """What an adversary may still do, whatever was left out."""
    return (
        _candidates(k),
        f"nothing against an adversary who knows more than {m} items of a record",
        "nothing against an adversary who runs the public algorithm backwards and discards possible originals "
        "that it would have published differently",
        "nothing against an adversary who already knows nearly all the other records",
        "nothing against an adversary who holds a second release about the same people",
        "nothing about attributes: an item that every record of a cluster holds is known of all its people, and an "
        "item that occurs only together with another one gives that one away",
    )


@dataclass(frozen=True)
class SuppressedKm(_KAndM):
    """In every chunk every set of up to ``m`` items occurs never, or at least ``k`` times, after some were suppressed.

    Formally (Liu, Feng, Zhu 2022, with Lemma 2 of VLDB 2012): for every set of at most m items, either no possible
    original that is consistent with everything published has a record that contains it, or in one of them at least k
    records do. This is weaker than :class:`KmAnonymity`, which leaves the first alternative to no set of the original.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"In every chunk every set of up to {self.m} items occurs never or at least {self.k} times: a set of up to "
            f"{self.m} items is in no record of any possible original that is consistent with this release, or in at "
            f"least {self.k} records of one of them."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What is missing, and what an adversary may still do."""
        return (
            "occurrences of items were suppressed in single records (suppressed_instances, under what was left out, "
            "counts them): the original is not among the possible originals if there are any, and a set of items of an "
            "original record may be in none of them",
            "whoever knows such a set learns that something of that record was suppressed",
            *_where_km_ends(self.k, self.m),
        )


KmPromise = KmAnonymity | SuppressedKm
"""What a disassociated release promises first."""


@dataclass(frozen=True)
class KmGeneralized(_KAndM):
    """Every set of up to ``m`` published items that some record holds is held by at least ``k`` records.

    Formally (Terrovitis, Mamoulis, Kalnis, VLDB 2008, definition 1, read off the generalized records): items were
    replaced by nodes of a hierarchy, the same one everywhere, so that whoever knows up to m items of a person finds at
    least k records that hold what these were replaced by.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"Every set of up to {self.m} published items that some record holds is held by at least {self.k} records: "
            f"whoever knows up to {self.m} items of a person finds at least {self.k} records that may be theirs."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            _candidates(self.k),
            f"nothing against an adversary who knows more than {self.m} items of a record, or which items it does not "
            "hold",
            "nothing about attributes: where all records that hold some items hold another one, too, it is known of "
            "their people",
            "nothing against an adversary who runs the public algorithm backwards: that an item was generalized tells "
            "that it, or one beside it, was rare",
            "nothing against an adversary who holds a second release about the same people",
        )


@dataclass(frozen=True)
class LDiversity:
    """Each of the named sensitive items stays detached: it is published only as 'occurs somewhere in this cluster'.

    In every cluster that names a sensitive item there are at least ``l`` records, the item is in the term chunk only,
    and the other items alone could fill all the records, so that the release forces it on nobody.
    """

    l: int  # noqa: E741  (the literature's name)
    """A sensitive item belongs to at most one in ``l`` records of a cluster; at least 2."""
    sensitive: tuple[str, ...]
    """The sensitive items by name, sorted."""

    def __post_init__(self) -> None:
        require_whole("l", self.l, least=2)
        if not self.sensitive:
            raise InputError("l-diversity needs at least one sensitive item")
        if list(self.sensitive) != sorted(set(self.sensitive)):
            object.__setattr__(self, "sensitive", tuple(sorted(set(self.sensitive))))

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        items = "sensitive item appears" if len(self.sensitive) == 1 else "sensitive items appear"
        return (
            f"The {len(self.sensitive):,} {items} in term chunks only, in clusters of at least {self.l} records, and "
            "no cluster forces one on any of its records."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What cannot be read off the release."""
        return (
            f"the publisher kept every sensitive item to at most one in {self.l} records of its cluster, but a term "
            "chunk hides how often an item occurs, so this cannot be checked from the release alone",
            "nothing about the chance that an adversary with outside statistics assigns to a sensitive item",
        )


@dataclass(frozen=True)
class NoCertainLinks:
    """Nothing in a release says of an item with certainty which other items its people hold (the cover problem).

    For any two items that records of a cluster may hold, there is a possible original, consistent with everything
    published, in which a record of that cluster holds the one without the other.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            "No item implies another: for any two items that records of a cluster may hold, there is a possible "
            "original, consistent with this release, in which a record of that cluster holds the one without the other."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            "nothing about links that are nearly certain: all records of a cluster but one may hold an item",
            "nothing about links from several items together: all records that hold two items may hold a third",
            "occurrences of items were struck out of single records to this end (they are counted under what was left "
            "out), so that the original itself need not be among the possible originals",
        )
