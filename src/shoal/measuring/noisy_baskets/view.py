"""Noisy counts of baskets as an analyst reads them (Chen et al., PVLDB 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.analyse.node_rows.row_baskets import row_baskets
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import as_records, refuse_strange
from shoal.measuring.baskets.views import Rows, View
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import DEFAULT_RUN, Run


@dataclass(frozen=True, eq=False)
class _NoisyRows(Rows):
    """Baskets, each as often as its noisy count."""

    reading: ClassVar[str] = "every published basket as often as its noisy count"


def view(
    original: Transactions,
    release: NoisyBaskets,
    *,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> View:
    """Every basket as often as its count."""
    del hierarchy, run
    refuse_strange(original, release)
    data = row_baskets(release) if release.n_rows else original.keep_items(np.zeros(original.n_items, bool))
    return _NoisyRows(original, _in_codes_of(original, data), release.n_records)


def _in_codes_of(original: Transactions, data: Transactions) -> Transactions:
    """Data in the original's codes; other items get codes after them."""
    found = pc.index_in(data.vocabulary, original.vocabulary)
    strange = found.is_null().to_numpy(zero_copy_only=False)
    codes = pc.fill_null(found, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    codes[strange] = original.n_items + np.arange(np.count_nonzero(strange))
    words = pa.concat_arrays([original.vocabulary, data.vocabulary.filter(pa.array(strange))])
    return as_records(np.repeat(np.arange(len(data)), data.lengths), codes[data.items], words)
