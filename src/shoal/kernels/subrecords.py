"""Build the subrecords of chunks, in canonical order, from the items of each chunk."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I4_OUT, I8, I8_OUT, INT, kernel, types
from shoal.kernels.rows import sort_rows

_LAID = types.Tuple((I8_OUT, I4_OUT, I4_OUT, I4_OUT))


@kernel(_LAID, I8, I4, I8, I8, INT, I8, I4, I4, I4)
def lay_chunks(
    offsets: Int64,
    items: Int32,
    rows: Int64,
    bounds: Int64,
    n_items: int,
    placed_offsets: Int64,
    placed_items: Int32,
    placed_chunk: Int32,
    n_chunks: Int32,
) -> tuple[Int64, Int32, Int32, Int32]:
    """The chunks of the clusters rows[bounds[p]:bounds[p + 1]].

    The items that are in chunks stand in ``placed_items``, cluster by cluster, each with the number of its chunk in
    the cluster, which has ``n_chunks``. Returns, flat: the cluster of each chunk, its number of subrecords, the length
    of each subrecord, and the items of the subrecords.
    """
    n_clusters = len(bounds) - 1
    total, widest, largest, chunks = 0, 0, 0, 0
    for p in range(n_clusters):
        width = 0
        for i in range(bounds[p], bounds[p + 1]):
            width += offsets[rows[i] + 1] - offsets[rows[i]]
        total += width
        widest = max(widest, width)
        largest = max(largest, bounds[p + 1] - bounds[p])
        chunks += n_chunks[p]
    out_cluster = np.empty(chunks, np.int64)
    out_subrecords = np.empty(chunks, np.int32)
    out_length = np.empty(total, np.int32)
    out_items = np.empty(total, np.int32)
    n_laid, n_subrecords, n_cells = 0, 0, 0

    chunk_of = np.full(n_items, -1, np.int32)
    cell_start = np.zeros(largest + 1, np.int64)
    cell_item = np.empty(widest, np.int32)
    order = np.empty(largest, np.int64)
    scratch = np.empty(largest, np.int64)
    for p in range(n_clusters):
        for c in range(placed_offsets[p], placed_offsets[p + 1]):
            chunk_of[placed_items[c]] = placed_chunk[c]
        for chunk in range(n_chunks[p]):
            n_rows, n_gathered = 0, 0
            for i in range(bounds[p], bounds[p + 1]):
                before = n_gathered
                for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                    if chunk_of[items[j]] == chunk:
                        cell_item[n_gathered] = items[j]
                        n_gathered += 1
                if n_gathered > before:
                    order[n_rows] = n_rows
                    n_rows += 1
                    cell_start[n_rows] = n_gathered
            if n_rows == 0:  # its only item stepped back
                continue
            sort_rows(cell_start, cell_item, order, 0, n_rows, scratch)
            for r in range(n_rows):
                start, end = cell_start[order[r]], cell_start[order[r] + 1]
                out_length[n_subrecords] = end - start
                n_subrecords += 1
                for j in range(start, end):
                    out_items[n_cells] = cell_item[j]
                    n_cells += 1
            out_cluster[n_laid] = p
            out_subrecords[n_laid] = n_rows
            n_laid += 1
        for c in range(placed_offsets[p], placed_offsets[p + 1]):
            chunk_of[placed_items[c]] = -1
    return (
        out_cluster[:n_laid].copy(),
        out_subrecords[:n_laid].copy(),
        out_length[:n_subrecords].copy(),
        out_items[:n_cells].copy(),
    )
