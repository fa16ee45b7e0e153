"""A disassociated release as text that other programs read: JSON lines, CSV, FIMI-like.

Words are joined to lines by Arrow, level by level: items to subrecords, subrecords to chunks, chunks to clusters.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from shoal.data.arrays import Int32, Int64
from shoal.errors import InputError
from shoal.io.export.exported import Export, Format
from shoal.io.formulas import escape, number_of
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated

# Rows or lines handed to the file at a time.
_ROWS = 131_072
_CSV_SCHEMA = pa.schema(
    [
        ("cluster", pa.int64()),
        ("size", pa.int64()),
        ("kind", pa.string()),
        ("chunk", pa.int64()),
        ("subrecord", pa.int64()),
        ("item", pa.string()),
    ]
)


def export(release: Disassociated, format: Format) -> Export:
    """Its clusters: each on a line, or item by item, or below headings."""
    if format.name == "csv":
        write = partial(export_csv, release, raw=format.raw)
        return Export(write, partial(number_of, release.vocabulary), "items")
    return Export(partial(export_jsonl if format.name == "jsonl" else export_fimi, release))


def export_jsonl(release: Disassociated, out: BinaryIO) -> None:
    """One JSON object a line for each cluster: its size, the joint it belongs to, its chunks, its term chunk."""
    quoted = pa.array([json.dumps(word, ensure_ascii=False) for word in release.words], pa.string())
    subrecords = _joined(_named(release.items, quoted), release.subrecord_offsets, ", ")
    chunks = _joined(_text("[", subrecords, "]"), release.chunk_offsets, ", ")
    lines = _text(
        '{"cluster": ',
        np.arange(release.n_clusters),
        ', "size": ',
        release.cluster_size,
        ', "joint": ',
        pc.if_else(pa.array(release.cluster_parent < 0), "null", _text(release.cluster_parent)),
        pc.if_else(pa.array(release.is_leaf), ', "record_chunks": [', ', "shared_chunks": ['),
        _joined(_text("[", chunks, "]"), _chunks_upto(release), ", "),
        '], "term_chunk": [',
        _joined(_named(release.term_items, quoted), release.term_offsets, ", "),
        "]}",
    )
    _write_lines(out, lines)


def export_csv(release: Disassociated, out: BinaryIO, *, raw: bool = False) -> None:
    """One row for each item of each subrecord and of each term chunk: cluster, size, kind, chunk, subrecord, item.

    Items that a spreadsheet would take for formulas are escaped, unless they are wanted ``raw``.
    """
    words = release.vocabulary if raw else escape(release.vocabulary).cast(pa.string())
    chunk_of = np.repeat(np.arange(release.n_chunks), np.diff(release.chunk_offsets))
    with pa.csv.CSVWriter(out, _CSV_SCHEMA) as writer:
        for first in range(0, release.n_subrecords, _ROWS):
            offsets = release.subrecord_offsets[first : first + _ROWS + 1]
            subrecord = np.repeat(np.arange(first, first + len(offsets) - 1), np.diff(offsets))
            chunk = chunk_of[subrecord]
            cluster = release.chunk_owner[chunk]
            kind = pa.array(["record", "shared"]).take(pa.array(release.chunk_shared[chunk].astype(np.int8)))
            items = _named(release.items[offsets[0] : offsets[-1]], words)
            columns = [cluster, release.cluster_size[cluster], kind, chunk, subrecord, items]
            writer.write(pa.table([pa.array(column) for column in columns], schema=_CSV_SCHEMA))
        cluster = np.repeat(np.arange(release.n_clusters), np.diff(release.term_offsets))
        nothing = pa.nulls(len(cluster), pa.int64())
        kind = pa.array(["term"]).take(pa.array(np.zeros(len(cluster), np.int8)))
        items = _named(release.term_items, words)
        columns = [cluster, release.cluster_size[cluster], kind, nothing, nothing, items]
        writer.write(pa.table([pa.array(column) for column in columns], schema=_CSV_SCHEMA))


def export_fimi(release: Disassociated, out: BinaryIO) -> None:
    """Each subrecord and each term chunk on a line, items separated by blanks, under headings that begin with ``#``."""
    odd = pc.filter(release.vocabulary, pc.match_substring_regex(release.vocabulary, r"\s|^#|^$"))
    if len(odd):
        raise InputError(
            f"{len(odd):,} items, such as {shown(odd[0].as_py())}, hold a blank or begin with '#', which this format "
            "cannot carry: export as jsonl or csv"
        )
    subrecords = _joined(_named(release.items, release.vocabulary), release.subrecord_offsets, " ")
    kind = pc.if_else(pa.array(release.chunk_shared), "\n# shared chunk ", "\n# record chunk ")
    lines = _joined(_text("\n", subrecords), release.chunk_offsets, "")
    chunks = _text(kind, np.arange(release.n_chunks), lines)
    terms = _joined(_named(release.term_items, release.vocabulary), release.term_offsets, " ")
    within = pc.if_else(pa.array(release.cluster_parent < 0), "", _text(", in joint cluster ", release.cluster_parent))
    clusters = _text(
        "# cluster ",
        np.arange(release.n_clusters),
        ": ",
        release.cluster_size,
        " records",
        within,
        _joined(chunks, _chunks_upto(release), ""),
        pc.if_else(pa.array(np.diff(release.term_offsets) == 0), "", _text("\n# term chunk\n", terms)),
    )
    _write_lines(out, clusters)


def _chunks_upto(release: Disassociated) -> Int64:
    """Where the chunks of each cluster start."""
    return np.searchsorted(release.chunk_owner, np.arange(release.n_clusters + 1)).astype(np.int64)


def _named(codes: Int32, vocabulary: pa.Array) -> pa.Array:
    return vocabulary.take(pa.array(codes))


def _text(*parts: Any) -> pa.Array:
    """The parts written one after the other, row by row; a part is a text, an array of texts or an array of numbers."""
    texts = [
        pa.scalar(part, pa.large_string()) if isinstance(part, str) else pa.array(part).cast(pa.large_string())
        for part in (*parts, "")
    ]
    return pc.binary_join_element_wise(*texts)


def _joined(texts: pa.Array, offsets: Int64, separator: str) -> pa.Array:
    """texts[offsets[i]:offsets[i + 1]] joined to one text, for every i."""
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), texts.cast(pa.large_string()))
    return pc.binary_join(lists, pa.scalar(separator, pa.large_string()))


def _write_lines(out: BinaryIO, lines: pa.Array) -> None:
    for first in range(0, len(lines), _ROWS):
        part = lines.slice(first, _ROWS)
        text = _joined(_text(part, "\n"), np.array([0, len(part)]), "")[0]
        out.write(text.as_buffer())
