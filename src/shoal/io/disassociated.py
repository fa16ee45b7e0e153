"""A disassociated release as four Parquet tables, and back.

Items are written as plain words (never as a dictionary column, which could contain unused words or show the order of
first appearance), without schema metadata, in the canonical order of the release.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.transactions import vocabulary_order
from shoal.errors import DamagedRelease
from shoal.io.decoded_parts import Part
from shoal.io.manifest import numbers_of
from shoal.io.part_columns import plain, require_ascending, require_numbered, require_range, word_codes
from shoal.io.promise_entries import basket_promises
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped

# Items of a row group, approximately: a reader can stream the file, and neither side ever holds all of it as words.
ITEMS_A_GROUP = 250_000
_ITEMS = pa.list_(pa.field("element", pa.string(), nullable=False))


def _schema(**columns: pa.DataType) -> pa.Schema:
    optional = {"joint"}
    return pa.schema([pa.field(name, kind, nullable=name in optional) for name, kind in columns.items()])


SCHEMAS = {
    "clusters.parquet": _schema(cluster=pa.int32(), size=pa.int32(), joint=pa.int32()),
    "chunks.parquet": _schema(chunk=pa.int32(), owner=pa.int32(), kind=pa.string()),
    "subrecords.parquet": _schema(chunk=pa.int32(), items=_ITEMS),
    "term_chunks.parquet": _schema(cluster=pa.int32(), items=_ITEMS),
}
PART_NAMES = tuple(SCHEMAS)
OPTIONAL: tuple[str, ...] = ()
"""The files that a release may lack."""


def layout(_manifest: dict[str, Any]) -> dict[str, pa.Schema]:
    """The files that a release may list, each with its columns."""
    return dict(SCHEMAS)


def entries(release: Disassociated) -> dict[str, Any]:
    """Further entries of the manifest, in addition to promises, counts and files."""
    return {"left_out": vars(release.dropped)}


def tables(release: Disassociated) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of a release, each as its name, its schema and its rows in batches."""
    schema = SCHEMAS["clusters.parquet"]
    joint = pa.array(release.cluster_parent, pa.int32(), mask=release.cluster_parent < 0)
    clusters = [np.arange(release.n_clusters, dtype=np.int32), release.cluster_size.astype(np.int32), joint]
    yield "clusters.parquet", schema, _batches(schema, clusters)

    schema = SCHEMAS["chunks.parquet"]
    kind = pa.array(["record", "shared"]).take(pa.array(release.chunk_shared.astype(np.int8)))
    chunks = [np.arange(release.n_chunks, dtype=np.int32), release.chunk_owner.astype(np.int32), kind]
    yield "chunks.parquet", schema, _batches(schema, chunks)

    chunk = np.repeat(np.arange(release.n_chunks, dtype=np.int32), np.diff(release.chunk_offsets))
    yield (
        "subrecords.parquet",
        SCHEMAS["subrecords.parquet"],
        _item_batches(
            SCHEMAS["subrecords.parquet"], chunk, release.subrecord_offsets, release.items, release.vocabulary
        ),
    )

    named = np.flatnonzero(np.diff(release.term_offsets)).astype(np.int32)
    offsets = np.concatenate([release.term_offsets[named], release.term_offsets[-1:]])
    yield (
        "term_chunks.parquet",
        SCHEMAS["term_chunks.parquet"],
        _item_batches(SCHEMAS["term_chunks.parquet"], named, offsets, release.term_items, release.vocabulary),
    )


def _batches(schema: pa.Schema, columns: list[Any]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _item_batches(
    schema: pa.Schema, key: Int32, offsets: Int64, items: Int32, vocabulary: pa.Array
) -> Iterator[pa.RecordBatch]:
    # Groups end where the items pass a multiple of the group's size, so that a few long lists make no long group.
    ends = np.searchsorted(offsets[1:] - offsets[0], np.arange(ITEMS_A_GROUP, len(items), ITEMS_A_GROUP)) + 1
    bounds = np.unique(np.concatenate([[0], ends, [len(key)]])).tolist()
    for first, last in pairwise(bounds):
        words = vocabulary.take(pa.array(items[offsets[first] : offsets[last]]))
        starts = pa.array((offsets[first : last + 1] - offsets[first]).astype(np.int32))
        lists = pa.ListArray.from_arrays(starts, words, type=_ITEMS)
        yield pa.RecordBatch.from_arrays([pa.array(key[first:last], pa.int32()), lists], schema=schema)


def from_files(files: dict[str, Part], manifest: dict[str, Any]) -> Disassociated:
    """Build the release from its opened files; raise DamagedRelease if they do not have its shape."""
    promise, diversity, links = basket_promises(manifest)
    dropped = Dropped(**numbers_of(manifest, "left_out", vars(Dropped())))
    clusters = files["clusters.parquet"].read()
    n_clusters = clusters.num_rows
    require_numbered("clusters.parquet", "cluster", plain("clusters.parquet", clusters, "cluster"))
    parent = pc.fill_null(clusters["joint"], -1).to_numpy().astype(np.int64)
    require_range("clusters.parquet", "joint", parent, -1, n_clusters)

    chunks = files["chunks.parquet"].read()
    n_chunks = chunks.num_rows
    require_numbered("chunks.parquet", "chunk", plain("chunks.parquet", chunks, "chunk"))
    owner = plain("chunks.parquet", chunks, "owner")
    require_range("chunks.parquet", "owner", owner, 0, n_clusters)
    require_ascending("chunks.parquet", "owner", owner)
    shared = _shared(chunks["kind"])

    chunk, offsets, words, vocabularies = _read_items("subrecords.parquet", files["subrecords.parquet"], "chunk")
    require_range("subrecords.parquet", "chunk", chunk, 0, n_chunks)
    require_ascending("subrecords.parquet", "chunk", chunk)
    named, term_starts, term_words, more = _read_items("term_chunks.parquet", files["term_chunks.parquet"], "cluster")
    require_range("term_chunks.parquet", "cluster", named, 0, n_clusters)
    require_ascending("term_chunks.parquet", "cluster", named, strictly=True)

    vocabulary = pc.unique(pa.chunked_array([*vocabularies, *more], pa.string()))
    vocabulary = vocabulary.take(pa.array(vocabulary_order(vocabulary)))
    term_lengths = np.zeros(n_clusters, np.int64)
    term_lengths[named] = np.diff(term_starts)
    return Disassociated(
        promise=promise,
        vocabulary=vocabulary,
        cluster_size=plain("clusters.parquet", clusters, "size"),
        cluster_parent=parent,
        chunk_owner=owner,
        chunk_shared=shared,
        chunk_offsets=np.searchsorted(chunk, np.arange(n_chunks + 1)).astype(np.int64),
        subrecord_offsets=offsets,
        items=_recode(words, vocabularies, vocabulary),
        term_offsets=np.concatenate([[0], np.cumsum(term_lengths)]).astype(np.int64),
        term_items=_recode(term_words, more, vocabulary),
        diversity=diversity,
        links=links,
        dropped=dropped,
    )


def _shared(kinds: pa.ChunkedArray) -> Bools:
    """Which chunks are shared, from words that were read as codes."""
    if kinds.null_count:
        raise DamagedRelease("chunks.parquet: column 'kind' has missing values")
    parts = [np.empty(0, bool)]
    for part in kinds.chunks:
        words = part.dictionary
        meaning = pc.index_in(words, pa.array(["record", "shared"]))
        if meaning.null_count:
            odd = words[pc.index(meaning.is_null(), True).as_py()].as_buffer()[:40].to_pybytes()
            raise DamagedRelease(
                f"chunks.parquet: column 'kind' must be 'record' or 'shared', found "
                f"{shown(odd.decode(errors='replace'))}"
            )
        flags = meaning.to_numpy(zero_copy_only=False).astype(bool)
        parts.append(flags[word_codes("chunks.parquet", "kind", part)])
    return np.concatenate(parts)


def _read_items(name: str, file: Part, key: str) -> tuple[Int64, Int64, list[Int32], list[pa.Array]]:
    """A table of item lists, group by group: its key, the lists' offsets, and codes into each group's own words."""
    keys, lengths, codes, words = [], [], [], []
    for table in file.groups:
        keys.append(plain(name, table, key))
        lists = table["items"].combine_chunks()
        values = lists.flatten()
        if lists.null_count or values.null_count:
            raise DamagedRelease(f"{name}: column 'items' has missing values")
        lengths.append(np.diff(lists.offsets.to_numpy()).astype(np.int64))
        codes.append(word_codes(name, "items", values))
        words.append(values.dictionary.cast(pa.string()))
    every = np.concatenate([np.zeros(1, np.int64), *lengths])
    return np.concatenate([np.empty(0, np.int64), *keys]), np.cumsum(every), codes, words


def _recode(codes: list[Int32], words: list[pa.Array], vocabulary: pa.Array) -> Int32:
    """Codes into one vocabulary from codes into the words of each row group."""
    parts = []
    for part, local in zip(codes, words, strict=True):
        place = pc.index_in(local, vocabulary).to_numpy(zero_copy_only=False).astype(np.int32)
        parts.append(place[part])
    return np.concatenate([np.empty(0, np.int32), *parts])
