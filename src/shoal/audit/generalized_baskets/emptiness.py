"""Whether generalized baskets have any utility left."""

from __future__ import annotations

import numpy as np

from shoal.audit.emptiness import Emptiness
from shoal.audit.wording import LISTED, shorten
from shoal.release.generalized_baskets import GeneralizedBaskets


def emptiness(release: GeneralizedBaskets) -> tuple[Emptiness, ...]:
    """The reasons why the release is worthless; its structure was found valid."""
    held = np.flatnonzero(release.is_held)
    general = (release.tree.leaves[held] > 1) | (held == 0)
    if not (np.all(release.supports[held] == release.n_rows) and general.any()):
        return ()
    names = ", ".join(shorten(release.tree.labels[node]) for node in held[:LISTED].tolist())
    more = f" and {len(held) - LISTED:,} more" if len(held) > LISTED else ""
    words = (
        f"all {release.n_rows:,} published rows are the same ({names}{more}), so nothing distinguishes one record from "
        "another"
    )
    return (Emptiness("total loss", words),)
