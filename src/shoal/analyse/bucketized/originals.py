"""Possible originals of a bucketized release: in each group, its values are dealt to its rows."""

from __future__ import annotations

from shoal.analyse.originals import Originals
from shoal.release.bucketized import Bucketized


def originals(release: Bucketized) -> Originals:
    """Draws tables."""
    return Originals(
        release.reconstruct,
        {"rows": release.n_rows},
        f"{release.n_rows:,} rows",
        "Each is a possible original: its rows and values give back exactly the groups of the release. None is the "
        f"original, unless by chance. Inside each group, which row has which value of {release.sensitive} is chance, "
        "whatever somebody may know beside, so take averages over several.",
    )
