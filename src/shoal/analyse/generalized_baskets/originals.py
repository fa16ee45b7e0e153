"""Possible originals of generalized baskets: in each row, groups become one of their items."""

from __future__ import annotations

from functools import partial

from shoal.analyse.originals import Originals
from shoal.data.hierarchy import Hierarchy
from shoal.release.generalized_baskets import GeneralizedBaskets


def originals(release: GeneralizedBaskets, *, hierarchy: Hierarchy | None = None) -> Originals:
    """Draws records; the hierarchy says which items groups stand for, unless the release has all of it."""
    return Originals(
        partial(release.reconstruct, hierarchy=hierarchy),
        {"records": release.n_rows},
        f"{release.n_rows:,} records",
        "Each is a possible original: generalized, its records give back exactly the rows of the release. None is the "
        "original, unless by chance. Each group in a row became one of its items, each as likely, though records may "
        "have held several: items of groups have chance neighbours, so take averages over several.",
    )
