"""The loss of generalizing quasi-identifiers, in bits: the non-uniform entropy of A. Gionis and T. Tassa (2009).

A cell that had the value v and has the node g costs -log2(n(v) / n(g)) bits, where n counts the rows of the original
that have the value, or one below the node: the bits needed to recover v, if the frequency of each value is known. A
suppressed row has the root in every cell. Summed over all rows, the first part, log2 n(v), depends only on the
original, and the second only on the release: it is not needed to know which row became which.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from shoal.measuring.metric import Metric
from shoal.measuring.tables.node_spreads import rows_below
from shoal.measuring.tables.reconstructed import Reconstructed, Spread


def entropy_loss(original: Reconstructed, release: Reconstructed, names: Sequence[str]) -> Iterator[Metric]:
    """The loss of all quasi-identifiers, and of each, as a share of the greatest possible one."""
    suppressed = original.n_rows - release.n_rows
    lost, most = [], []
    for before, after in zip(original.quasi, release.quasi, strict=True):
        bits, all_bits = _bits(before, after, suppressed)
        lost.append(bits)
        most.append(all_bits)
    for name, bits, greatest in zip(("", *names), (math.fsum(lost), *lost), (math.fsum(most), *most), strict=True):
        yield Metric(
            "entropy loss",
            bits / greatest if greatest else None,
            "lower is better",
            (0.0, 1.0),
            "the bits needed to recover the original's quasi-identifier cells, divided by the bits needed if every "
            "cell were the root: -log2(n(v) / n(g)) for a value v under a node g, where n counts the rows of the "
            "original that have it",
            "nothing: no column has two different values; a suppressed row has the root in every cell",
            part=name,
            details={"bits": bits, "of": greatest},
        )


def _bits(before: Spread, after: Spread, suppressed: int) -> tuple[float, float]:
    """The bits that a column has lost, and the bits that it can lose."""
    counts = np.bincount(before.nodes, minlength=before.n_values)
    n = len(before.nodes)
    below = rows_below(after, counts)
    held = np.bincount(after.nodes, minlength=len(below))
    # Sums that do not depend on the order: no loss is exactly 0.
    values = [-rows * math.log2(rows) for rows in counts.tolist()]
    nodes = [rows * math.log2(of) for rows, of in zip(held.tolist(), below.tolist(), strict=True) if rows]
    root = math.log2(n)
    most = max(0.0, math.fsum([*values, n * root]))
    return min(most, max(0.0, math.fsum([*values, *nodes, suppressed * root]))), most
