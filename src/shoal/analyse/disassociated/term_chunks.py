"""How many records of its cluster hold an item of a term chunk: what a release leaves open, and what the model says.

Terrovitis et al., VLDB 2012, leave open how often such an item occurs. A release says that it is there, and the method
says that it is in fewer than k records, with exceptions (``most_possible``). Between these bounds lies a choice:
``"uniform"`` has every number as likely, ``"once"`` takes the least. Answers to analysts (queries, mining, charts of
supports) take the first by default. Reconstructions and the papers' metrics take the second, as they always did.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

import numpy as np

from shoal.data.arrays import Bools, Int64
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated

TermItems = Literal["once", "uniform"]
"""An item of a term chunk is in one record, or in any number of records up to the most, each equally likely."""

ANSWERS: Final[TermItems] = "uniform"
"""The model of answers to analysts, unless they ask for another."""
DRAWN: Final[TermItems] = "once"
"""The model of reconstructions, and of the metrics that the papers define on them."""


def require_term_items(value: str) -> None:
    """Refuse what is neither.

    Raises:
        InputError: that.
    """
    if value not in get_args(TermItems):
        raise InputError(f"term_items is {shown(value)}: choose one of {', '.join(get_args(TermItems))}")


def term_clusters(release: Disassociated) -> Int64:
    """The cluster of each term-chunk item."""
    return np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))


def most_possible(release: Disassociated) -> Int64:
    """The most records of its cluster that each term-chunk item may be in.

    Fewer than k, unless it is sensitive or may have stepped back into the term chunk: for Lemma 2 because there was no
    other plain item and chunks had too few subrecords, or next to sensitive items when certain links were undone.

    An item that steps back for Lemma 2 takes away subrecords, or a chunk and the k or more subrecords that are in it.
    So where the chunks that are left have enough of them, there were enough before, and none had to step back.
    """
    cluster, sensitive = term_clusters(release), _sensitive(release)
    sizes = release.cluster_size[cluster]
    plain = np.bincount(cluster[~sensitive], minlength=release.n_clusters)
    named = np.bincount(cluster[sensitive], minlength=release.n_clusters) > 0
    if release.links is None:
        stepped_back = (plain[cluster] == 1) & _too_few_subrecords(release)[cluster]
    else:  # which may have given items chunks of their own since
        stepped_back = (plain[cluster] == 1) | named[cluster]
    return np.where(sensitive | stepped_back, sizes, np.minimum(release.promise.k - 1, sizes))


def model_words(release: Disassociated, term_items: TermItems) -> str:
    """What the mean and the deviation of an answer take for granted, as what follows an "if".

    Example:
        >>> import shoal
        >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}]), k=3, m=2)
        >>> model_words(release, "once")
        'chunks are placed at random and each term-chunk item is in one record of its cluster'
    """
    placed = "chunks are placed at random"
    if not len(release.term_items):
        return placed
    most, usual = most_possible(release), release.promise.k - 1
    if term_items == "once" or most.max() == 1:
        return f"{placed} and each term-chunk item is in one record of its cluster"
    span = f"1 to {usual} records" if usual > 1 else "one record"
    more = " (in 1 to all, if it is sensitive or may have been moved there)" if most.max() > usual else ""
    return f"{placed} and each term-chunk item is in {span} of its cluster{more}, every number as likely"


def _too_few_subrecords(release: Disassociated) -> Bools:
    """Which clusters Lemma 2 asks a term chunk of, by their record chunks."""
    own = ~release.chunk_shared
    chunks = np.bincount(release.chunk_owner[own], minlength=release.n_clusters)
    subrecords = np.zeros(release.n_clusters, np.int64)
    np.add.at(subrecords, release.chunk_owner[own], np.diff(release.chunk_offsets)[own])
    promise = release.promise
    few: Bools = subrecords < release.cluster_size + promise.k * (np.clip(chunks, 1, promise.m) - 1)
    return few


def _sensitive(release: Disassociated) -> Bools:
    secret = np.zeros(len(release.vocabulary), bool)
    if release.diversity is not None:
        names = set(release.diversity.sensitive)
        secret[[code for code, word in enumerate(release.words) if word in names]] = True
    return secret[release.term_items]
