"""Expected counts in a release of a table: the number of rows that meet conditions on their columns.

Releases of different shapes answer in one way. Each row has, in each quasi column, a *node*: a value, or its
replacement, which represents several values in equal parts. Each row is in a *group*, which gives the probability of
each sensitive value for its rows.

* An original table: nodes are values, and the rows of a group are those with one sensitive value.
* Bucketized (X. Xiao, Y. Tao: Anatomy, VLDB 2006): nodes are values; if c of the n rows of a group have a value, each
  of them has it with probability c / n.
* Generalized: nodes are values, or nodes of a hierarchy: a row counts for each leaf below in equal parts, whether or
  not any data have it; ``*`` without a hierarchy is all values of the original. Groups as in a table; in a release in
  which sensitive cells are nodes, too, the rows of a group are those with one node (``node_spreads``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import ROOT, Hierarchy
from shoal.data.table import Column, Role, Table, names_in
from shoal.errors import InputError
from shoal.quoting import named, shown
from shoal.release import TableRelease
from shoal.shapes import SHAPES

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Spread:
    """One quasi column: the node of each row, and the values that each node represents."""

    nodes: Int32
    """One node per row."""
    offsets: Int64
    """The values of node ``i`` are ``values[offsets[i]:offsets[i + 1]]``."""
    values: Int32
    """Codes of the original's values; one more than the last for a value that the original does not have."""
    n_values: int
    """The number of values of the original."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def sizes(self) -> Int64:
        """The number of values that each node represents."""
        return np.diff(self.offsets)

    def shares(self, wanted: Bools) -> Float64:
        """For each node the share of its values that are wanted."""
        hits = np.append(wanted, False)[self.values]
        running = np.concatenate([[0], np.cumsum(hits)])
        shares: Float64 = (running[self.offsets[1:]] - running[self.offsets[:-1]]) / self.sizes
        return shares

    def counts(self) -> Float64:
        """The expected number of rows of each of the original's values."""
        rows = np.bincount(self.nodes, minlength=len(self.sizes)) / self.sizes
        counts: Float64 = np.bincount(self.values, np.repeat(rows, self.sizes), self.n_values + 1)  # type: ignore[assignment]
        return counts[: self.n_values]


@dataclass(frozen=True, eq=False)
class Reconstructed:
    """Rows of a release with the values they may have, in the codes of the original."""

    quasi: tuple[Spread, ...]
    groups: Int64
    """The group of each row."""
    bucket_offsets: Int64
    bucket_values: Int32
    bucket_shares: Float64
    """The probability of each of the group's values for a row of the group."""
    n_sensitive: int
    """The number of sensitive values of the original."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def n_rows(self) -> int:
        """The number of rows of the release."""
        return len(self.groups)

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.bucket_offsets) - 1

    @cached_property
    def bucket_groups(self) -> Int64:
        """The group of each entry of ``bucket_values``."""
        return np.repeat(np.arange(self.n_groups), np.diff(self.bucket_offsets))

    @property
    def sensitive_counts(self) -> Float64:
        """The expected number of rows with each sensitive value."""
        rows = np.bincount(self.groups, minlength=self.n_groups)[self.bucket_groups]
        return np.bincount(self.bucket_values, rows * self.bucket_shares, self.n_sensitive)  # type: ignore[return-value]

    def count(self, wanted: Mapping[int, Bools], sensitive: Bools) -> float:
        """The expected number of rows with wanted values in these quasi columns and a wanted sensitive value."""
        shares = [(self.quasi[place].nodes, self.quasi[place].shares(values)) for place, values in wanted.items()]
        rows = np.arange(self.n_rows)
        for at, (nodes, share) in enumerate(shares):
            # Most rows are excluded by the first one or two columns: only the others are considered then.
            rows = rows[(share > 0)[nodes[rows]]] if at else np.flatnonzero((share > 0)[nodes])
        weights = np.ones(len(rows))
        for nodes, share in shares:
            weights *= share[nodes[rows]]
        in_group = np.bincount(self.groups[rows], weights, self.n_groups)
        buckets = np.flatnonzero(sensitive[self.bucket_values])
        return float((in_group[self.bucket_groups[buckets]] * self.bucket_shares[buckets]).sum())


@dataclass(frozen=True, eq=False)
class Schema:
    """The columns of an original that are in a release."""

    quasi: tuple[Column, ...]
    sensitive: Column
    """For a release without sensitive columns, a column without a name, in which all rows have the same value."""

    @property
    def names(self) -> list[str]:
        """The names of the quasi columns."""
        return [column.name for column in self.quasi]


def schema_of(
    original: Table,
    release: TableRelease | Table,
    *,
    quasi: str | Iterable[str] | None = None,
    sensitive: str | None = None,
) -> Schema:
    """The columns to compare: those of a release, or the named ones, or those with these roles.

    Raises:
        InputError: a column does not exist, or there is no sensitive column or more than one.
    """
    if not isinstance(original, Table) or not isinstance(release, TableRelease | Table):
        raise InputError("the original must be a Table, and the release a release of a table, or a generalized Table")
    if not len(original) or not (len(release) if isinstance(release, Table) else release.n_rows):
        raise InputError("the original and the release must have rows")
    if isinstance(release, TableRelease):
        found: Schema = SHAPES[release.shape].load("table_form").schema(original, release, quasi, sensitive)
        return found
    names = original.names_of(Role.QUASI) if quasi is None else list(dict.fromkeys(names_in(quasi)))
    secrets = original.names_of(Role.SENSITIVE) if sensitive is None else [sensitive]
    if not names or len(secrets) != 1 or secrets[0] in names:
        raise InputError("name the quasi columns, and one sensitive column that is not among them (quasi, sensitive)")
    for name in (*names, *secrets):
        release.column(name)
    return Schema(tuple(original.column(name) for name in names), original.column(secrets[0]))


def of_original(schema: Schema) -> Reconstructed:
    """The original itself: everything is certain."""
    return _of_rows(schema, schema.sensitive.codes, tuple(plain(column.codes, column) for column in schema.quasi))


def of_generalized(release: Table, schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> Reconstructed:
    """A table in which quasi values may be nodes of hierarchies.

    Raises:
        InputError: a hierarchy is not for a quasi column, lacks a value of the original or has one label for two nodes;
            quasi value is neither the original's nor a node; a sensitive value is not in the original, or too frequent.
    """
    strange = [name for name in hierarchies if name not in schema.names]
    if strange:
        raise InputError(f"a hierarchy is given for {named(strange[0])}, which is not a quasi column")
    quasi = tuple(_nodes(release.column(column.name), column, hierarchies.get(column.name)) for column in schema.quasi)
    secret = release.column(schema.sensitive.name)
    codes = codes_in(secret, schema.sensitive)
    require_no_more(secret, codes, secret.counts, schema.sensitive)
    return _of_rows(schema, codes[secret.codes], quasi)


def _of_rows(schema: Schema, sensitive: Int32, quasi: tuple[Spread, ...]) -> Reconstructed:
    """Rows whose sensitive values are known: rows with the same value are a group."""
    n = len(schema.sensitive.values)
    every = np.arange(n)
    return Reconstructed(quasi, sensitive.astype(np.int64), np.arange(n + 1), every.astype(np.int32), np.ones(n), n)


def plain(codes: Int32, original: Column) -> Spread:
    """A column in which each node is a value."""
    n = len(original.values)
    return Spread(codes, np.arange(n + 1), np.arange(n, dtype=np.int32), n)


def codes_in(published: Column, original: Column) -> Int32:
    """For each published value its code in the original."""
    known = {text: code for code, text in enumerate(original.texts)}
    texts = published.texts
    unknown = [text for text in texts if text not in known]
    if unknown:
        raise InputError(
            f"this is not a release of this original: column {named(original.name)} has values there that the original "
            f"does not have ({len(unknown):,}): {listed(unknown)}"
        )
    return np.array([known[text] for text in texts], np.int32)


def require_no_more(published: Column, codes: Int32, times: Int64, original: Column) -> None:
    """A release has no more rows of a value than the original; it may have fewer, if rows were left out."""
    most = original.counts[codes]
    more = np.flatnonzero(times > most)
    if len(more):
        first = int(more[0])
        raise InputError(
            f"this is not a release of this original: {int(times[first]):,} of its rows have "
            f"{shown(published.texts[first])} in column {named(original.name)}, and only {int(most[first]):,} of the "
            "original's"
        )


def _nodes(published: Column, original: Column, hierarchy: Hierarchy | None) -> Spread:
    """A column in which nodes may represent several values."""
    known = {text: np.array([code]) for code, text in enumerate(original.texts)}
    inner = {ROOT: np.arange(len(known))} if hierarchy is None else _leaves(hierarchy, original)
    labels = published.texts
    unknown = [text for text in labels if text not in known and text not in inner]
    if unknown:
        where = "its hierarchy" if hierarchy is not None else "a hierarchy: none is given for it (--hierarchy COL=FILE)"
        raise InputError(
            f"column {named(original.name)} of the release has values that are neither the original's nor nodes of "
            f"{where} ({len(unknown):,}): {listed(unknown)}"
        )
    parts = [known[text] if text in known else inner[text] for text in labels]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Spread(published.codes, offsets, np.concatenate(parts).astype(np.int32), len(known))


def _leaves(hierarchy: Hierarchy, original: Column) -> dict[str, Int64]:
    """The values below each node, by label; leaves that the original does not have share one code after the last."""
    codes = np.full(hierarchy.n_leaves, len(original.values))
    codes[hierarchy.places(original)] = np.arange(len(original.values))
    found: dict[str, Int64] = {}
    for level in range(hierarchy.height + 1):
        above = hierarchy.level_codes(level)
        order = np.argsort(above, kind="stable")
        parts = np.split(codes[order], np.cumsum(hierarchy.leaf_counts(level))[:-1])
        for label, part in zip(hierarchy.labels[level], parts, strict=True):
            if label in found and sorted(found[label].tolist()) != sorted(part.tolist()):
                raise InputError(
                    f"hierarchy of {named(original.name)}: the label {shown(label)} is at two levels for different "
                    "values: give one of them another name, in the hierarchy and in the release"
                )
            found[label] = part
    return found


def listed(texts: Sequence[str]) -> str:
    """The first of some texts, and the number of others."""
    more = f", ... and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    return ", ".join(map(shown, texts[:_SHOWN])) + more
