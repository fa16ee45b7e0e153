"""Write a hierarchy of items as one Parquet table, node by node, each after its parent, and read it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.data.node_tree import NodeTree
from shoal.errors import DamagedRelease
from shoal.io.part_columns import plain, require_numbered, texts
from shoal.quoting import shown

TREE = "hierarchy.parquet"
TREE_SCHEMA = pa.schema(
    [
        pa.field("item", pa.int32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("parent", pa.int32()),
        pa.field("leaves", pa.int64(), nullable=False),
    ]
)


def tree_batch(tree: NodeTree) -> pa.RecordBatch:
    """A tree as the rows of its table."""
    numbers = pa.array(np.arange(len(tree), dtype=np.int32))
    parents = pa.array(tree.parents, pa.int32(), mask=tree.parents < 0)
    arrays = [numbers, pa.array(tree.labels, pa.string()), parents, pa.array(tree.leaves, pa.int64())]
    return pa.RecordBatch.from_arrays(arrays, schema=TREE_SCHEMA)


def tree_of(table: pa.Table) -> NodeTree:
    """The tree that a table describes; the auditor checks its shape and its numbers of leaves."""
    if any(table[field.name].null_count for field in TREE_SCHEMA if not field.nullable):
        raise DamagedRelease(f"{TREE} has missing values")
    require_numbered(TREE, "item", plain(TREE, table, "item"))
    names = texts(table, "name")
    if not table.num_rows:
        raise DamagedRelease(f"{TREE} has no rows: a hierarchy has at least a root")
    times = np.bincount(names.codes)
    if times.max() > 1:
        raise DamagedRelease(f"{TREE} has the name {shown(names.words[int(times.argmax())].as_py())} twice")
    labels = names.words.take(pa.array(names.codes)).to_pylist()
    missing = table["parent"].is_null().to_numpy()
    parents = table["parent"].fill_null(-1).to_numpy().astype(np.int32)
    wrong = np.flatnonzero((missing != (np.arange(len(labels)) == 0)) | (~missing & (parents < 0)))
    late = np.flatnonzero(parents >= np.arange(len(labels)))
    if len(wrong) or len(late):
        at = int(min(*wrong[:1], *late[:1], len(labels)))
        raise DamagedRelease(
            f"{TREE}: row {at} ({shown(labels[at])}): the root comes first, and every other node after its parent"
        )
    return NodeTree(tuple(labels), parents, plain(TREE, table, "leaves"))
