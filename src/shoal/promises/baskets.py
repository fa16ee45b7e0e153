"""Promises of releases of baskets."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import InputError
from shoal.limits import require_whole


@dataclass(frozen=True)
class _KAndM:
    """The parameters of k^m-anonymity and its variants."""

    k: int
    """How many candidate records must remain; at least 2."""
    m: int
    """How many items of a record an adversary may know; at least 1."""

    def __post_init__(self) -> None:
        require_whole("k", self.k, least=2)
        require_whole("m", self.m, least=1)


def _candidates(k: int) -> str:
    """Why a number of candidates is not a probability."""
    return (
        f"no bound on a probability: at least {k} records remain possible, but they need not be equally likely; an "
        "adversary with outside knowledge may find one of them far more likely than the others"
    )


@dataclass(frozen=True)
class KmAnonymity(_KAndM):
    """For an adversary who knows up to ``m`` items of a record, at least ``k`` records remain possible.

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
        """Limits of the promise, and what an adversary may still do."""
        return (
            *_where_km_ends(self.k, self.m),
            "nothing about what was left out, if anything was (it is counted): a set that contains an item that was "
            "too rare, or a sensitive item that was suppressed, may be in no possible original",
        )


def _where_km_ends(k: int, m: int) -> tuple[str, ...]:
    """Limits of all kinds of k^m-anonymity for disassociated releases."""
    return (
        _candidates(k),
        f"nothing against an adversary who knows more than {m} items of a record",
        "nothing against an adversary who runs the public algorithm backwards and discards possible originals "
        "that it would have published differently",
        "nothing against an adversary who already knows nearly all the other records",
        "nothing against an adversary who holds a second release about the same people",
        "nothing about attributes: if every record of a cluster holds an item, an adversary learns that all people of "
        "the cluster hold it, and an item that occurs only together with another one reveals that one",
    )


@dataclass(frozen=True)
class SuppressedKm(_KAndM):
    """In every chunk, each set of up to ``m`` items occurs at least ``k`` times or never, after suppression.

    Formally (Liu, Feng, Zhu 2022, with Lemma 2 of VLDB 2012): for every set of at most m items, either no possible
    original that is consistent with everything published has a record that contains it, or in one of them at least k
    records do. This is weaker than :class:`KmAnonymity`, which excludes the first alternative for sets of the original.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"In every chunk, each set of up to {self.m} items occurs at least {self.k} times or never: for each set "
            f"of up to {self.m} items, either no record of any possible original, consistent with this release, "
            f"contains the set, or at least {self.k} records of one possible original do."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """Limits of the promise, and what an adversary may still do."""
        return (
            "occurrences of items may have been suppressed in single records (suppressed_instances counts them): if "
            "any were, the original is not among the possible originals, and a set of items of an original record may "
            "be in none of them",
            "an adversary who knows such a set learns that something of that record was suppressed",
            *_where_km_ends(self.k, self.m),
        )


KmPromise = KmAnonymity | SuppressedKm
"""The first promise of a disassociated release."""


@dataclass(frozen=True)
class KmGeneralized(_KAndM):
    """Every set of up to ``m`` published items that occurs in a record occurs in at least ``k`` records.

    Formally (Terrovitis, Mamoulis, Kalnis, VLDB 2008, definition 1, applied to the generalized records): each item was
    replaced by the same node of a hierarchy in all records. An adversary who knows up to m items of a person finds at
    least k records that hold the nodes that replaced these items.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"Every set of up to {self.m} published items that occurs in a record occurs in at least {self.k} records: "
            f"an adversary who knows up to {self.m} items of a person finds at least {self.k} records that may be that "
            "person's."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            _candidates(self.k),
            f"nothing against an adversary who knows more than {self.m} items of a record, or which items it does not "
            "hold",
            "nothing about attributes: if all records that hold certain items also hold another one, an adversary "
            "learns that all their people hold it",
            "nothing against an adversary who runs the public algorithm backwards: a generalized item shows that it, "
            "or one beside it, was rare",
            "nothing against an adversary who holds a second release about the same people",
        )


@dataclass(frozen=True)
class LDiversity:
    """Each named sensitive item is published only as 'occurs somewhere in this cluster'.

    Every cluster that names a sensitive item has at least ``l`` records and has the item in its term chunk only. The
    other items alone could fill all the records, so the release forces no record to hold it.
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
            "no cluster forces any of its records to hold one."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """Limits of the promise, and what the release alone does not show."""
        return (
            f"the publisher kept every sensitive item to at most one in {self.l} records of its cluster, but a term "
            "chunk hides how often an item occurs, so this cannot be checked from the release alone",
            "nothing about the chance that an adversary with outside statistics assigns to a sensitive item",
        )


@dataclass(frozen=True)
class NoCertainLinks:
    """No item implies another item of the same person with certainty (the cover problem).

    For any two items that records of a cluster may hold, there is a possible original, consistent with everything
    published, in which a record of that cluster holds the first without the second.
    """

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            "No item implies another: for any two items that records of a cluster may hold, there is a possible "
            "original, consistent with this release, in which a record of that cluster holds the first without the "
            "second."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            "nothing about links that are nearly certain: all records of a cluster except one may hold an item",
            "nothing about links from several items together: all records that hold two items may hold a third",
            "to this end, occurrences of items may have been struck out of single records (they are counted under what "
            "was left out), so the original itself need not be among the possible originals",
        )
