"""Folders made to exhaust whoever reads them: `shoal verify` ends soon, within its memory, and with an answer."""

from __future__ import annotations

import dataclasses
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DamagedRelease, InputError
from shoal.io import part_decoding
from shoal.io.parquet_pages import count_pages
from shoal.io.part_decoding import as_codes
from shoal.io.release_folder import MANIFEST, read_release, write_release
from shoal.shapes import SHAPES
from tests.making.damaged_folders import edit_manifest, sign
from tests.making.disassociated_releases import disassociated
from tests.making.release_folders import RELEASES

GIGABYTE = 2**30
SUBRECORDS, CHUNKS = "subrecords.parquet", "chunks.parquet"
SECONDS = 600
"""Far above what any of them takes; without the defences they take for ever, or all memory."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "release"
    made.mkdir()
    write_release(disassociated([(2, [["a", "a"]], "b")]), made)
    return made


def verified(folder: Path, *, memory: int = 2 * GIGABYTE) -> subprocess.CompletedProcess[str]:
    """``shoal verify`` in a process with little memory; never a traceback, never killed."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "verify", str(folder)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
        check=False,
    )
    print(f"{time.monotonic() - started:.1f} s")
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stdout) + len(done.stderr) < 10_000
    return done


def write_lists(path: Path, counts: list[int], column: pa.Array, **options: Any) -> None:
    """A file of item lists: ``counts[i]`` items in row i, cut from a column that may hold codes."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    element = pa.field("element", column.type, nullable=False)
    lists = pa.ListArray.from_arrays(pa.array(offsets), column, type=pa.list_(element))
    schema = pa.schema([pa.field("chunk", pa.int32(), False), pa.field("items", lists.type, False)])
    table = pa.table([pa.array(np.zeros(len(counts), np.int32)), lists], schema=schema)
    pq.write_table(table, path, compression="zstd", store_schema=False, **options)


def repeated(word: str, times: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int8)), pa.array([word]))


def test_a_small_file_with_very_many_rows_is_refused_for_its_memory(folder: Path) -> None:
    rows = 30_000_000
    write_lists(folder / SUBRECORDS, [1] * rows, repeated("a", rows), row_group_size=rows)
    sign(folder)
    assert (folder / SUBRECORDS).stat().st_size < 1_000_000
    done = verified(folder)
    assert done.returncode == 2
    assert re.search(r"too large for this machine: it needs about 2\.\d GB of memory, and there are 1\.\d", done.stderr)


def test_more_values_than_are_ever_read_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_decoding, "MAX_VALUES", 3)
    with pytest.raises(DamagedRelease, match=r"subrecords\.parquet holds 4 values; the limit is 3"):
        read_release(folder, trusted=True)


def test_more_row_groups_than_are_ever_read_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_decoding, "MAX_ROW_GROUPS", 3)
    write_lists(folder / SUBRECORDS, [1] * 4, repeated("a", 4), row_group_size=1)
    sign(folder)
    with pytest.raises(DamagedRelease, match=r"subrecords\.parquet has 4 row groups; the limit is 3"):
        read_release(folder, trusted=True)


def varint(number: int) -> bytes:
    """A signed number as Thrift's compact protocol writes it."""
    left, out = number * 2, bytearray()
    while left >= 128:
        out.append(left & 127 | 128)
        left >>= 7
    return bytes([*out, left])


def test_a_footer_that_hides_what_the_pages_hold_is_found_out(folder: Path) -> None:
    path, items, claimed = folder / SUBRECORDS, 30_000_000, 1_500_000
    write_lists(path, [items], repeated("a", items), data_page_size=GIGABYTE, write_statistics=False)
    raw = path.read_bytes()
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    assert len(varint(items)) == len(varint(claimed))
    path.write_bytes(raw[:footer] + raw[footer:].replace(varint(items), varint(claimed)))
    sign(folder)
    assert path.stat().st_size < 1_000
    # Arrow believes the pages: without the check one row of a file of 430 bytes fills as much memory as they like.
    assert pq.ParquetFile(path).metadata.row_group(0).column(1).num_values == claimed
    with pytest.raises(DamagedRelease, match="claims 1,500,000 values, but its pages hold 30,000,000"):
        read_release(folder)


def test_counting_pages_agrees_with_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    words = pa.array([f"word {number % 999}" * 50 for number in range(20_000)])
    for options in ({}, {"data_page_version": "2.0"}, {"use_dictionary": False}, {"data_page_size": 1000}):
        write_lists(path, [3, 0, 7] * 2000, words, row_group_size=1500, **options)
        held = count_pages(memoryview(path.read_bytes()), pq.read_metadata(path))
        assert held.values == 6000 + 20_000 + 2000  # the keys, the items, and one for each empty list
        assert held.bytes > 999 * 300


def test_a_giant_word_repeated_is_held_once(folder: Path) -> None:
    word, times = "x" * 50_000_000, 5_000
    write_lists(folder / SUBRECORDS, [1] * times, repeated(word, times))
    sign(folder)
    assert (folder / SUBRECORDS).stat().st_size < 1_000_000
    done = verified(folder)
    assert done.returncode == 1
    assert "column 'items' has 250,000,000,000 bytes with each of its words written out" in done.stdout


def test_a_giant_word_for_the_kind_of_a_chunk_is_held_once(folder: Path) -> None:
    times = 5_000
    ids = pa.array(np.arange(times), pa.int32())
    schema = pa.schema([pa.field("chunk", pa.int32(), False), pa.field("owner", pa.int32(), False)])
    table = pa.table([ids, pa.array(np.zeros(times, np.int32))], schema=schema)
    kinds = repeated("k" * 50_000_000, times)
    table = table.append_column(pa.field("kind", kinds.type, False), kinds)
    pq.write_table(table, folder / CHUNKS, compression="zstd", store_schema=False)
    sign(folder)
    assert (folder / CHUNKS).stat().st_size < 1_000_000
    done = verified(folder)
    assert done.returncode == 1
    assert "column 'kind' has 250,000,000,000 bytes with each of its words written out" in done.stdout


def test_a_million_chunks_get_a_verdict(folder: Path) -> None:
    n = 1_000_000
    names = pa.array([f"i{number:07}" for number in range(n)])
    release = dataclasses.replace(
        disassociated([(2, [["a", "a"]], "")]),
        vocabulary=names,
        chunk_owner=np.zeros(n, np.int64),
        chunk_shared=np.zeros(n, bool),
        chunk_offsets=np.arange(n + 1) * 2,
        subrecord_offsets=np.arange(2 * n + 1),
        items=np.repeat(np.arange(n, dtype=np.int32), 2),
    )
    write_release(release, folder)
    done = verified(folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_very_long_subrecords_with_a_large_m_get_an_answer(folder: Path) -> None:
    names = [f"i{number:05}" for number in range(10_000)]
    rows = [names, names[:-1], names[:-1], names[1:], names[2:], names[2:]]
    write_release(disassociated([(6, [rows], "")], k=2, m=4), folder)
    done = verified(folder)
    assert done.returncode in (0, 1)
    assert "record chunks" in done.stdout


def test_a_million_sensitive_items_get_an_answer(folder: Path) -> None:
    names = [f"secret {number}" for number in range(1_000_000)]
    write_release(disassociated([(2, [["a", "a"]], "b")], sensitive=["b"]), folder)
    edit_manifest(folder, lambda manifest: manifest["promises"][1].update(sensitive=names))
    done = verified(folder)
    assert done.returncode in (0, 1)
    assert (folder / MANIFEST).stat().st_size > 10_000_000


def test_a_release_that_fits_is_not_refused(folder: Path) -> None:
    assert verified(folder).returncode == 0


def test_the_limit_of_the_process_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = resource.getrlimit

    def little(which: int) -> tuple[int, int]:
        return (100, resource.RLIM_INFINITY) if which == resource.RLIMIT_AS else limits(which)

    monkeypatch.setattr(resource, "getrlimit", little)
    with pytest.raises(InputError, match=r"too large for this machine.*there are 0\.0 GB"):
        read_release(folder)


def test_words_of_all_shapes_are_read_as_codes() -> None:
    for name, publish in RELEASES.items():
        release = publish()
        shape = SHAPES[release.shape].load("files")
        for file, schema, _ in shape.tables(release):
            for field in as_codes(schema):
                kind = field.type.value_type if pa.types.is_list(field.type) else field.type
                assert not pa.types.is_string(kind), (name, file, field)
