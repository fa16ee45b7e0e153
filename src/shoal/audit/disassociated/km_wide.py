"""Search one chunk that has too many itemsets to enumerate for an itemset that occurs fewer than k times.

Terrovitis et al., VLDB 2012, section 2 (k^m-anonymity). The search is exact and goes depth first over prefixes. At a
prefix only the subrecords that contain it matter, and of these

* equal subrecords are merged, and one that occurs k times settles all its itemsets;
* a subrecord no longer than the itemsets still searched is settled by counting it: its subsets occur at least as often
  as it does;
* items that occur in the same subrecords are one item, and an item of all the subrecords adds nothing;
* the last two items are found together, by a matrix product.

The rest is paid for from a budget; when it is used up, the search says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from shoal.audit.budget import Budget
from shoal.data.arrays import Bools, Int32, Int64, UInt8

Found = tuple[list[int], int]

DENSE_CELLS = 2_000_000
"""A matrix of at most so many cells is held densely."""
PRODUCT_CELLS = 2_000_000
"""How many cells of a product are held together."""
_NODE_WORK = 300_000
"""The least cost of visiting a prefix, in cells."""


@dataclass
class _Prefix:
    """A node of the search: the items taken, the rows that contain them, and the items that may come next."""

    taken: list[int]
    rows: Int64
    columns: Int64
    next: int
    size: int


def search(offsets: Int64, local: Int32, n_columns: int, weight: Int64, k: int, m: int, budget: Budget) -> Found | None:
    """Find an itemset of 1..m items that occurs in fewer than k rows, or show that there is none.

    Args:
        offsets: Where each distinct subrecord starts in ``local``.
        local: The items of the subrecords, numbered from 0.
        n_columns: How many different items there are.
        weight: How often each distinct subrecord occurs.
        k: How often an itemset must occur.
        m: The largest size of an itemset.
        budget: The most that the search may cost; shared between chunks.

    Returns:
        The itemset and its number of occurrences, or None if every itemset that occurs does so k times.

    Raises:
        OutOfBudget: If neither could be established.
    """
    everything = sp.csr_matrix((np.ones(len(local), np.int64), local, offsets), shape=(len(offsets) - 1, n_columns))
    matrix: sp.csr_matrix | Bools = everything
    if everything.shape[0] * n_columns <= DENSE_CELLS:
        budget.spend(everything.shape[0] * n_columns)
        matrix = everything.toarray() > 0
    start = _Prefix([], np.arange(len(weight), dtype=np.int64), np.arange(n_columns, dtype=np.int64), 0, m)
    stack = [start]
    found = _examine(matrix, weight, start, k, budget)
    while stack and found is None:
        node = stack[-1]
        if node.next >= len(node.columns):
            stack.pop()
            continue
        column = int(node.columns[node.next])
        node.next += 1
        child = _Prefix(
            [*node.taken, column],
            node.rows[_holds(matrix, node.rows, column)],
            node.columns[node.next :],
            0,
            node.size - 1,
        )
        found = _examine(matrix, weight, child, k, budget)
        if len(child.columns):
            stack.append(child)
    return found


def _holds(matrix: sp.csr_matrix | Bools, rows: Int64, column: int) -> Bools:
    if isinstance(matrix, np.ndarray):
        held: Bools = matrix[rows, column]
        return held
    dense: Bools = matrix[rows][:, [column]].toarray().ravel() > 0
    return dense


def _examine(matrix: sp.csr_matrix | Bools, weight: Int64, node: _Prefix, k: int, budget: Budget) -> Found | None:
    """Settle what can be settled at a prefix, and leave the items to try next in ``node.columns``."""
    cells = len(node.rows) * len(node.columns)
    budget.spend(_NODE_WORK)
    if isinstance(matrix, np.ndarray):
        budget.spend(4 * cells)
        part = matrix[np.ix_(node.rows, node.columns)]
    else:
        budget.spend(10 * matrix.nnz)
        sparse = matrix[node.rows][:, node.columns]
        if cells > DENSE_CELLS:
            return _examine_sparse(sparse, weight[node.rows], node, k, budget)
        part = sparse.toarray() > 0
    return _examine_dense(part, weight[node.rows], node, k, budget)


def _examine_dense(part: Bools, weight: Int64, node: _Prefix, k: int, budget: Budget) -> Found | None:
    columns = node.columns
    node.columns = columns[:0]
    # Half the memory if counts are certain to be exact in it.
    exact: type[np.float32] | type[np.float64] = np.float32 if int(weight.sum()) < 2**24 else np.float64
    support = (weight.astype(np.float64) @ part).astype(np.int64)
    few = np.flatnonzero((support > 0) & (support < k))
    if len(few):
        return [*node.taken, int(columns[few[0]])], int(support[few[0]])
    if node.size == 1:
        return None
    useful = np.flatnonzero((support > 0) & (support < int(weight.sum())))
    part, weight, useful = _condense(part[:, useful], weight, useful, k, budget)
    if part.size == 0:
        return None
    short = np.flatnonzero((weight < k) & (part.sum(1) <= node.size))
    if len(short):
        budget.spend(len(short) * part.size / 8 + len(short) * len(part))
        for first in range(0, len(short), max(1, PRODUCT_CELLS // len(part))):
            block = short[first : first + max(1, PRODUCT_CELLS // len(part))]
            held = part[block].astype(exact) @ part.T.astype(exact) == part[block].sum(1)[:, None]
            counts = (held @ weight.astype(np.float64)).astype(np.int64)
            below = np.flatnonzero(counts < k)
            if len(below):
                members = useful[np.flatnonzero(part[block[below[0]]])]
                return [*node.taken, *(int(columns[member]) for member in members)], int(counts[below[0]])
    # Only sets in a subrecord that is neither frequent nor settled can still be below k.
    open_rows = (weight < k) & (part.sum(1) > node.size)
    left = np.flatnonzero(part[open_rows].any(0))
    if len(left) < 2:
        return None
    part, useful = part[:, left], useful[left]
    if node.size > 2:
        node.columns = columns[useful[np.argsort(support[useful], kind="stable")]]
        return None
    budget.spend(part.shape[0] * float(part.shape[1]) ** 2 / 8 + 2.0 * part.shape[1] ** 2)
    weighted: npt.NDArray[np.floating] = (part * weight[:, None]).astype(exact)
    plain: npt.NDArray[np.floating] = part.astype(exact)
    step = max(1, PRODUCT_CELLS // part.shape[1])
    for first in range(0, part.shape[1], step):
        together: npt.NDArray[np.floating] = weighted[:, first : first + step].T @ plain
        few_together = (together > 0) & (together < k)
        if few_together.any():
            one, two = divmod(int(few_together.argmax()), part.shape[1])
            one += first
            return [*node.taken, int(columns[useful[one]]), int(columns[useful[two]])], int(together[one - first, two])
    return None


def _condense(part: Bools, weight: Int64, columns: Int64, k: int, budget: Budget) -> tuple[Bools, Int64, Int64]:
    """Merge equal rows and equal columns, and drop columns that no row below k holds, until nothing changes."""
    while part.size:
        budget.spend(8 * part.size + 100 * sum(part.shape))
        before = part.shape
        packed = np.packbits(part, axis=1)
        _, first, which = np.unique(_as_keys(packed), return_index=True, return_inverse=True)
        weight = np.bincount(which.ravel(), weights=weight, minlength=len(first)).astype(np.int64)
        part = part[first]
        keep = part[weight < k].any(0)
        part, columns = part[:, keep], columns[keep]
        if not part.size:
            break
        _, first = np.unique(_as_keys(np.packbits(part.T, axis=1)), return_index=True)
        first = np.sort(first)
        part, columns = part[:, first], columns[first]
        if part.shape == before:
            break
    return part, weight, columns


def _as_keys(packed: UInt8) -> npt.NDArray[np.void]:
    """One opaque value per row, to compare whole rows."""
    packed = np.ascontiguousarray(packed)
    keys: npt.NDArray[np.void] = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    return keys


def _examine_sparse(part: sp.csr_matrix, weight: Int64, node: _Prefix, k: int, budget: Budget) -> Found | None:
    """The same for a prefix whose matrix is too large to be dense; merges nothing."""
    columns = node.columns
    node.columns = columns[:0]
    budget.spend(20 * part.nnz)
    support = np.asarray(part.T @ weight).ravel()
    few = np.flatnonzero((support > 0) & (support < k))
    if len(few):
        return [*node.taken, int(columns[few[0]])], int(support[few[0]])
    lengths = np.diff(part.indptr)
    suspect = weight < k
    if node.size == 1 or not suspect.any():
        return None
    by_column = part.T.tocsr()
    cost = np.asarray(part @ np.diff(by_column.indptr)).ravel()
    settled = suspect & (lengths <= node.size) & (lengths > 0)
    for block in _blocks(np.flatnonzero(settled), cost, budget):
        common = part[block] @ by_column
        held = common.data == np.repeat(lengths[block], np.diff(common.indptr))
        row = np.repeat(np.arange(len(block)), np.diff(common.indptr))[held]
        counts = np.bincount(row, weights=weight[common.indices[held]], minlength=len(block)).astype(np.int64)
        below = np.flatnonzero(counts < k)
        if len(below):
            at = int(block[below[0]])
            members = part.indices[part.indptr[at] : part.indptr[at + 1]]
            return [*node.taken, *(int(columns[member]) for member in members)], int(counts[below[0]])
    unsettled = part[np.flatnonzero(suspect & ~settled)]
    left = np.unique(unsettled.indices)
    if node.size > 2:
        node.columns = columns[left[np.argsort(support[left], kind="stable")]]
        return None
    weighted = part.copy()
    weighted.data = np.repeat(weight, lengths)
    for block in _blocks(left, np.asarray(by_column @ lengths).ravel(), budget):
        together = by_column[block] @ weighted
        pairs = np.flatnonzero((together.data > 0) & (together.data < k))
        if len(pairs):
            one = int(np.searchsorted(together.indptr, pairs[0], side="right")) - 1
            pair = [int(columns[block[one]]), int(columns[together.indices[pairs[0]]])]
            return [*node.taken, *pair], int(together.data[pairs[0]])
    return None


def _blocks(rows: Int64, cost: Int64, budget: Budget) -> list[Int64]:
    """Cut rows into blocks whose product has a bounded number of terms, and pay for all of them."""
    if len(rows) == 0:
        return []
    budget.spend(12.0 * float(cost[rows].sum()))
    block = np.cumsum(cost[rows]) // PRODUCT_CELLS
    return np.split(rows, np.flatnonzero(np.diff(block)) + 1)
