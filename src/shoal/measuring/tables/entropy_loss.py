"""What generalizing quasi-identifiers loses, in bits: the non-uniform entropy of A. Gionis and T. Tassa (2009).

A cell that had the value v and has the node g costs -log2(n(v) / n(g)) bits, where n counts the rows of the original
that have the value, or one below the node: what it takes to tell v again, for one who knows how frequent each value is.
A suppressed row has the root in every cell. Summed over all rows, the first part, log2 n(v), depends on the original
only, and the second on the release only: which row became which need not be known.
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
            "the bits that it takes to tell the original's quasi-identifier cells again, by those that it would take "
            "if every cell were the root: -log2(n(v) / n(g)) for a value v under a node g, n rows of the original "
            "having it",
            "nothing: no column has two different values; a suppressed row has the root in every cell",
            part=name,
            details={"bits": bits, "of": greatest},
        )


def _bits(before: Spread, after: Spread, suppressed: int) -> tuple[float, float]:
    """The bits that a column has lost, and those that it can lose."""
    counts = np.bincount(before.nodes, minlength=before.n_values)
    n = len(before.nodes)
    below = rows_below(after, counts)
    held = np.bincount(after.nodes, minlength=len(below))
    # Sums that do not depend on the order: nothing lost is exactly 0.
    values = [-rows * math.log2(rows) for rows in counts.tolist()]
    nodes = [rows * math.log2(of) for rows, of in zip(held.tolist(), below.tolist(), strict=True) if rows]
    root = math.log2(n)
    most = max(0.0, math.fsum([*values, n * root]))
    return min(most, max(0.0, math.fsum([*values, *nodes, suppressed * root]))), most
