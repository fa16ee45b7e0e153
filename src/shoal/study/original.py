"""The data to publish, with hierarchies: as one value, as a stream between processes, as a fingerprint.

The stream is in Arrow's format, so that the original is not written to disk, and no record becomes a Python object.
Items and values are sent as numbers and a list of words, as in memory.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Literal

import numpy as np
import pyarrow as pa

from shoal.data import hierarchy_builders, item_hierarchies
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Column, Role, Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.quoting import named

About = Literal["baskets", "tables"]
_ITEMS = "items"
_ROLE = b"role"


@dataclass(frozen=True, eq=False)
class Original:
    """Baskets with a hierarchy of their items, or a table with a hierarchy for each of its columns.

    Example:
        >>> Original.of(Transactions.from_records([{"tea", "milk"}, {"tea"}])).hierarchy.leaves
        ('milk', 'tea')
    """

    data: Transactions | Table
    """For a table the quasi-identifiers and the sensitive columns: no method publishes any other."""
    hierarchies: Mapping[str, Hierarchy]
    made: tuple[str, ...] = ()
    """The hierarchies that were not given, but built as in publishing."""

    @classmethod
    def of(cls, data: Transactions | Table, hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None) -> Original:
        """Data with the given hierarchies, and with those that publishing builds for the rest.

        Args:
            data: baskets, or a table with quasi-identifiers.
            hierarchy: of baskets, that of the items; of a table, by column.

        Raises:
            InputError: a hierarchy does not fit the data, or there is no quasi-identifier.
        """
        if isinstance(data, Transactions):
            if hierarchy is None:
                return cls(data, {_ITEMS: item_hierarchies.neighbours(data.words)}, (_ITEMS,))
            if not isinstance(hierarchy, Hierarchy):
                raise InputError(
                    "baskets have one hierarchy, that of their items: give one hierarchy, not one per column"
                )
            return cls(data, {_ITEMS: hierarchy.check_against(data.words)})
        if isinstance(hierarchy, Hierarchy):
            raise InputError("a table has a hierarchy for each column: give a mapping from columns to hierarchies")
        columns = tuple(column for column in data if column.role in (Role.QUASI, Role.SENSITIVE))
        if not any(column.role is Role.QUASI for column in columns):
            raise InputError("no column is a quasi-identifier: name the columns that others may know (quasi)")
        given = dict(hierarchy or {})
        strange = [name for name in given if name not in {column.name for column in columns}]
        if strange:
            raise InputError(f"a hierarchy is given for {named(strange[0])}, which is neither quasi nor sensitive")
        trees = {
            column.name: given[column.name].check_against(column)
            if column.name in given
            else hierarchy_builders.usual(column)
            for column in columns
        }
        return cls(Table(columns), trees, tuple(name for name in trees if name not in given))

    @property
    def about(self) -> About:
        """The kind of data."""
        return "baskets" if isinstance(self.data, Transactions) else "tables"

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the items of baskets."""
        return self.hierarchies[_ITEMS]

    @property
    def baskets(self) -> Transactions:
        """The data, which are baskets."""
        assert isinstance(self.data, Transactions)
        return self.data

    @property
    def table(self) -> Table:
        """The data, which are a table."""
        assert isinstance(self.data, Table)
        return self.data

    def trees(self, *, made: bool) -> dict[str, Any]:
        """The hierarchies as publishers take them: including those that were built, or only the given ones."""
        if self.about == "baskets":
            return {"hierarchy": self.hierarchy if made or not self.made else None}
        return {"hierarchies": {name: tree for name, tree in self.hierarchies.items() if made or name not in self.made}}

    def require_nodes(self) -> None:
        """Refuse hierarchies that cannot generalize the data: published nodes need unique names.

        Raises:
            InputError: a label is at two places for different values.
        """
        for tree in self.hierarchies.values():
            NodeTree.from_hierarchy(tree)

    def fingerprint(self) -> str:
        """A text that is different for other data, and for other hierarchies."""
        sink = _Digest()
        send(self, sink)
        return sink.digest.hexdigest()


def send(original: Original, sink: IO[bytes] | io.RawIOBase) -> None:
    """Write an original as a line of JSON, its hierarchies, and an Arrow stream, its data."""
    trees = {name: _plain(tree) for name, tree in original.hierarchies.items()}
    sink.write(json.dumps({"hierarchies": trees, "made": original.made}).encode() + b"\n")
    if isinstance(original.data, Transactions):
        data = original.data
        items = pa.DictionaryArray.from_arrays(pa.array(data.items), data.vocabulary)
        arrays: list[pa.Array] = [pa.LargeListArray.from_arrays(pa.array(data.offsets), items)]
        fields = [pa.field(_ITEMS, arrays[0].type)]
    else:
        columns = original.data.columns
        # A missing value is a word of its own, the last one: not every Arrow program accepts that, ours does.
        arrays = [pa.DictionaryArray.from_arrays(pa.array(c.codes), c.values, safe=False) for c in columns]
        fields = [
            pa.field(column.name, array.type, metadata={_ROLE: column.role.value})
            for column, array in zip(columns, arrays, strict=True)
        ]
    schema = pa.schema(fields, metadata={"about": original.about})
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    sink.flush()


def receive(source: IO[bytes]) -> Original:
    """Read what :func:`send` wrote, and nothing after it."""
    head = json.loads(source.readline())
    trees = {name: _tree(entry) for name, entry in head["hierarchies"].items()}
    batch = pa.ipc.open_stream(source).read_next_batch()
    data: Transactions | Table
    if batch.schema.metadata[b"about"] == b"baskets":
        lists = batch.column(0)
        words = lists.values.dictionary
        data = Transactions(lists.offsets.to_numpy(), lists.values.indices.to_numpy(), words)
    else:
        data = Table(
            tuple(
                Column(field.name, Role(field.metadata[_ROLE].decode()), array.indices.to_numpy(), array.dictionary)
                for field, array in zip(batch.schema, batch.columns, strict=True)
            )
        )
    return Original(data, trees, tuple(head["made"]))


def _plain(tree: Hierarchy) -> dict[str, Any]:
    return {"name": tree.name, "labels": tree.labels, "codes": tree.codes.tolist(), "making": tree.making}


def _tree(entry: Mapping[str, Any]) -> Hierarchy:
    codes = np.array(entry["codes"], np.int32)
    return Hierarchy(entry["name"], tuple(map(tuple, entry["labels"])), codes, entry["making"])


class _Digest(io.RawIOBase):
    """A file that only keeps the SHA-256 of what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return memoryview(data).nbytes
