"""Disassociated baskets as an analyst reads them (Terrovitis et al., VLDB 2012).

One random reconstruction, and the supports of pairs that are expected over all of them, in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.data.arrays import Float64
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import Compared, compare
from shoal.measuring.baskets.pair_errors import Pairs, counted, expected
from shoal.measuring.baskets.views import Rows, View
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run


@dataclass(frozen=True, eq=False)
class _Reconstruction(Rows):
    """A disassociated release by one of its reconstructions."""

    reading: ClassVar[str] = (
        "itemsets of one random reconstruction; supports of pairs as expected over all reconstructions, in closed "
        "form; each term-chunk item in one record of its cluster, which is the least"
    )
    compared: Compared

    def pairs(self, pairs: Pairs, run: Run) -> Float64:
        return expected(self.compared, pairs, run)

    def certain(self, pairs: Pairs) -> Float64 | None:
        """Inside chunks."""
        return counted(self.compared.chunks(), pairs).astype(float)


def view(
    original: Transactions,
    release: Disassociated,
    *,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> View:
    """A reconstruction, and what is expected over all of them."""
    del hierarchy
    compared = compare(original, release)
    drawn = next(compared.reconstructions(1, run=run))
    return _Reconstruction(original, drawn, release.n_records, compared)
