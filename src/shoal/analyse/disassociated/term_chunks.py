"""How many records of its cluster hold an item of a term chunk: what a release leaves open, and what the model says."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
TermItems = Literal["once", "uniform"]
"""An item of a term chunk is in one record, or in any number of records up to the most, each equally likely."""


def require_term_items(value: str) -> None:
    """Refuse what is neither.

    Raises:
        InputError: that.
    """
    if value not in get_args(TermItems):
        raise InputError(f"term_items is {value!r}: choose one of {', '.join(get_args(TermItems))}")


def most_modelled(release: Disassociated, sizes: Int64) -> Int64:
    """The most records that the model has each term-chunk item in: fewer than k, unless it is sensitive.

    ``sizes`` are the records of each one's cluster.
    """
    return np.where(_sensitive(release), sizes, np.minimum(release.promise.k - 1, sizes))


def most_possible(release: Disassociated, sizes: Int64, cluster: Int64) -> Int64:
    """The most records that each term-chunk item, of the given cluster, may be in.

    Fewer than k, unless it is sensitive or had to step back into the term chunk: for Lemma 2 because there was no other
    plain item, or out of a chunk next to sensitive items only when certain links were undone.
    """
    sensitive = _sensitive(release)
    plain = np.bincount(cluster[~sensitive], minlength=release.n_clusters)
    named = np.bincount(cluster[sensitive], minlength=release.n_clusters) > 0
    stepped_back = (plain[cluster] == 1) | (named[cluster] & (release.links is not None))
    return np.where(sensitive | stepped_back, sizes, np.minimum(release.promise.k - 1, sizes))


def _sensitive(release: Disassociated) -> npt.NDArray[np.bool_]:
    secret = np.zeros(len(release.vocabulary), bool)
    if release.diversity is not None:
        names = set(release.diversity.sensitive)
        secret[[code for code, word in enumerate(release.words) if word in names]] = True
    return secret[release.term_items]
