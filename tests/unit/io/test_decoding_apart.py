"""What decodes a stranger's files: the same tables as in this process, and whatever it says or dies of, an answer."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DamagedRelease, InputError, OutOfResources
from shoal.io import decoding_apart
from shoal.io.raw_arrays import Garbled, pack, unpack
from shoal.io.release_folder import Opened, read_release
from tests.making.damaged_folders import sign
from tests.making.release_folders import RELEASES, write_all

CODED = pa.dictionary(pa.int32(), pa.string())
KINDS = {
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=9),
    pa.date32(): st.dates(),
    CODED: st.text(max_size=2),
    pa.list_(pa.int32()): st.lists(st.integers(0, 9), max_size=3),
    pa.list_(pa.field("element", CODED, nullable=False)): st.lists(st.text(max_size=2), max_size=3),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_all(tmp_path_factory.mktemp("releases"))


@pytest.mark.parametrize("name", [*RELEASES, "marked"])
def test_a_process_of_its_own_decodes_the_same(folders: dict[str, Path], name: str) -> None:
    with Opened(folders[name]) as apart, Opened(folders[name], trusted=True) as here:
        assert repr(apart.release) == repr(here.release)
        tables, others = apart.release.to_arrow(), here.release.to_arrow()
        assert list(tables) == list(others)
        assert all(tables[key].equals(others[key]) for key in tables)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrays_cross_as_plain_buffers(kind: pa.DataType) -> None:
    @given(st.lists(st.none() | KINDS[kind], max_size=20), st.integers(0, 3), st.integers(0, 20))
    def crosses(values: list[Any], start: int, length: int) -> None:
        plain = pa.array(values, kind if kind != CODED else pa.string())
        array = (plain.dictionary_encode() if kind == CODED else plain).slice(start, length)
        header, buffers = pack(array)
        raw = b"".join(buffer.to_pybytes() for buffer in buffers)
        at = 0

        def take(size: int) -> pa.Buffer:
            nonlocal at
            at += size
            return pa.py_buffer(raw[at - size : at])

        back = unpack(json.loads(json.dumps(header)), kind, take)
        assert at == len(raw)
        back.validate(full=True)
        assert back.to_pylist() == array.to_pylist()

    crosses()


@pytest.mark.parametrize("header", [{}, {"n": -1}, {"n": True}, {"n": 2**40}, {"n": "1"}, {"n": 1, "of": 3}], ids=str)
def test_a_header_that_describes_no_array_is_refused(header: dict[str, Any]) -> None:
    for kind in (CODED, pa.string(), pa.list_(pa.int32())):
        with pytest.raises(Garbled):
            unpack(header, kind, lambda size: pa.py_buffer(bytes(size)))


# What a child says that a file has taken over: nothing of it may be believed.
BRACES = {ord("{"): "{{", ord("}"): "}}"}
READY = (
    "import sys, os, json; say = lambda *m: [print(json.dumps(one), flush=True) for one in m]; say({'ready': True}); "
)
NEEDS = READY + "say({'needs': 10**6}); "
COLUMN = "{'n': 4, 'gaps': False}"
SIXTEEN = "sys.stdout.buffer.write(bytes([255]) * 16); sys.stdout.flush(); "
LIES = {
    "rows that are not sent": NEEDS + f"say({{'part': 0, 'rows': 4, 'columns': [[{COLUMN}]] * 3}})",
    "too few columns": NEEDS + f"say({{'part': 0, 'rows': 4, 'columns': [[{COLUMN}]]}}); {SIXTEEN}",
    "another number of rows": NEEDS + f"say({{'part': 0, 'rows': 5, 'columns': [[{COLUMN}]] * 3}}); {SIXTEEN * 3}",
    "a file that is none": NEEDS + "say({'part': 99, 'rows': 0, 'columns': []})",
    "a number for a file": NEEDS + "say({'part': 'x', 'rows': 0, 'columns': []})",
    "more than it announced": READY
    + f"say({{'needs': 3}}, {{'part': 0, 'rows': 4, 'columns': [[{COLUMN}]] * 3}}); {SIXTEEN * 3}",
    "an absurd length": NEEDS + "say({'part': 0, 'rows': 4, 'columns': [[{'n': 2**31 - 1}]] * 3})",
    "no JSON": NEEDS + "print('{')",
    "no object": NEEDS + "say(['end'])",
    "a line without an end": NEEDS + "sys.stdout.write('x' * 2**25); sys.stdout.flush()",
    "an end before the rows": NEEDS + "say({'end': True})",
    "numbers that point nowhere": NEEDS
    + f"say({{'part': 0, 'rows': 4, 'columns': [[{COLUMN}]] * 3}}); {SIXTEEN * 3} say({{'end': True}})",
    "a word to the reader": READY + "say({'refused': 'x' * 10})",
}


@pytest.mark.parametrize("lie", LIES)
def test_what_a_child_says_is_not_believed(folder: Path, monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    monkeypatch.setattr(decoding_apart, "_START", LIES[lie].translate(BRACES))
    with pytest.raises(DamagedRelease):
        read_release(folder)


DEATHS = {
    "killed": (READY + "os.kill(os.getpid(), 9)", OutOfResources, "SIGKILL.*most likely because memory ran out"),
    "stopped by somebody": (READY + "os.kill(os.getpid(), 15)", OutOfResources, "it received SIGTERM"),
    "aborted": (
        READY
        + "sys.stderr.write('terminate called\\n  what():  no page\\n'); sys.stderr.flush(); os.kill(os.getpid(), 6)",
        DamagedRelease,
        r"clusters\.parquet: decoding it crashed the process that did so \(SIGABRT\): .*no page",
    ),
    "out of its own memory": (
        READY + "say({'own': {'memory': True, 'time': True}}); sys.stderr.write('what(): std::bad_alloc'); "
        "sys.stderr.flush(); os.kill(os.getpid(), 6)",
        DamagedRelease,
        "needs more memory to decode than its pages declare",
    ),
    "out of memory that others limit": (
        READY + "say({'own': {'memory': False, 'time': True}}); sys.stderr.write('what(): std::bad_alloc'); "
        "sys.stderr.flush(); os.kill(os.getpid(), 6)",
        OutOfResources,
        "not enough memory, which says nothing about the data",
    ),
    "out of its own time": (
        READY + "say({'own': {'memory': True, 'time': True}}); os.kill(os.getpid(), 24)",
        DamagedRelease,
        "more CPU time than files of this size can need",
    ),
    "out of time that others limit": (READY + "os.kill(os.getpid(), 24)", OutOfResources, "raise ulimit -t"),
    "before it began": (
        "raise ImportError('libarrow.so: cannot allocate memory')",
        OutOfResources,
        "not enough memory",
    ),
    "because it cannot begin": ("raise ImportError('no Arrow')", InputError, "could not start.*no Arrow"),
}


@pytest.mark.parametrize("death", DEATHS)
def test_deaths_are_told_apart(folder: Path, monkeypatch: pytest.MonkeyPatch, death: str) -> None:
    code, kind, said = DEATHS[death]
    monkeypatch.setattr(decoding_apart, "_START", code.translate(BRACES))
    with pytest.raises(InputError, match=rf"(?s){said}") as caught:
        read_release(folder)
    assert type(caught.value) is kind
    monkeypatch.undo()
    assert read_release(folder)


def test_a_child_that_stays_silent_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_apart, "_START", READY.translate(BRACES) + "os.kill(os.getpid(), 19)")
    monkeypatch.setattr(decoding_apart, "_PATIENCE", 1)
    before = children()
    with pytest.raises(OutOfResources, match="silent for 1 s: this says nothing about the release"):
        read_release(folder)
    assert children() <= before


def children() -> set[str]:
    """Processes that this one has started; other tests have one that draws."""
    return {number for file in Path("/proc/self/task").glob("*/children") for number in file.read_text().split()}


def test_a_child_has_pipes_and_limits_and_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "secret")
    monkeypatch.setattr(
        decoding_apart,
        "_START",
        decoding_apart._START.replace(
            "main()\n",
            """
import os, resource, shoal.io.decoding_process as child
from shoal.errors import DamagedRelease
def told(raw, of):
    limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0] for name in "CORE FSIZE NOFILE AS CPU".split()]
    raise DamagedRelease(repr((sorted(os.listdir("/proc/self/fd")), sorted(os.environ), limits, os.getcwd())))
child.open_part = told
main()
""".translate(BRACES),
        ),
    )
    inherited = os.dup(0)
    os.set_inheritable(inherited, True)
    try:
        with pytest.raises(DamagedRelease) as caught:
            read_release(folder)
    finally:
        os.close(inherited)
    files, environment, (core, size, descriptors, memory, seconds), where = eval(str(caught.value))
    assert files == ["0", "1", "2", "3"]  # the last one lists them
    assert {"PASSWORD", "HOME", "PATH"}.isdisjoint(environment)
    assert (core, size, where) == (0, 0, "/")
    assert descriptors <= 16
    assert 0 < memory < 2 * 2**30
    assert 0 < seconds < 60


def test_a_child_loads_no_more_than_it_needs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each costs as much CPU as decoding half a million records: a child is to cost a tenth of verifying them at most.
    needless = ("numpy", "cloudpickle", "pyarrow.compute", "pyarrow._s3fs", "pyarrow._gcsfs", "pyarrow._azurefs")
    monkeypatch.setattr(
        decoding_apart,
        "_START",
        decoding_apart._START.replace(
            "main()\n",
            f"""
import json, shoal.io.decoding_process as child
from shoal.errors import DamagedRelease
decode = child._decode
def decoded(source, say):
    decode(source, lambda message, *more: say(message, *more) if "end" not in message else None)
    raise DamagedRelease(repr([name for name in {needless} if sys.modules.get(name)]))
child._decode = decoded
main()
""".translate(BRACES),
        ),
    )
    with pytest.raises(DamagedRelease) as caught:
        read_release(folder)
    assert eval(str(caught.value)) == []


@pytest.mark.parametrize("trusted", [False, True])
def test_memory_of_arrays_is_used_again_after_reading(folder: Path, trusted: bool) -> None:
    # Else each array that is larger than those before it comes from the system page by page, and half a million records
    # take a sixth more CPU where a process of its own decodes them.
    here = f"""
import resource, numpy as np, shoal
shoal.read_release({str(folder)!r}, trusted={trusted})
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for size in range(1_000_000, 4_000_000, 100_000):  # larger ones get large pages
    np.ones(size, np.uint8)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
    done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2 * 4_000_000 // resource.getpagesize()  # 75 MB are written


def test_statistics_that_are_no_text_are_refused_where_all_words_are(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    RELEASES["mask"]().write(folder)
    path = folder / "items.parquet"
    whole = path.read_bytes()
    begin = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    least = pq.read_metadata(path).row_group(0).column(1).statistics.min.encode()
    hidden = b"\xff" + least[1:]
    assert len(hidden) == len(least)
    assert least in whole[begin:]
    path.write_bytes(whole[:begin] + whole[begin:].replace(least, hidden))
    sign(folder)
    with pytest.raises(DamagedRelease, match=r"items\.parquet: statistics of column 'name' name what is not UTF-8"):
        read_release(folder)


def test_without_a_python_to_start_it_says_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for executable in ("", None, "/nowhere/python"):
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.raises(InputError, match=r"in a separate process, (and there is no Python|which cannot be)"):
            read_release(folder)
    assert read_release(folder, trusted=True)


def test_it_works_where_children_are_not_waited_for_and_in_any_thread(folder: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: repr(read_release(folder)), range(8)))
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert len(set(found)) == 1


def test_words_that_are_written_out_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.io import decoded_parts

    monkeypatch.setattr(decoded_parts, "MAX_SPELT", 10)
    with pytest.raises(DamagedRelease, match=r"chunks\.parquet: column 'kind' has 18 bytes with each of its words"):
        read_release(folder)


def test_equal_words_are_one_object() -> None:
    from shoal.io.part_columns import texts

    one = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int32()), pa.array(["tea", "milk"]))
    two = pa.DictionaryArray.from_arrays(pa.array([1, 1], pa.int32()), pa.array(["jam", "tea"]))
    empty = pa.DictionaryArray.from_arrays(pa.array([None], pa.int32()), pa.array([], pa.string()))
    column = texts(pa.table({"name": pa.chunked_array([one, empty, two])}), "name")
    words = column.one_by_one()
    assert words == ["tea", "milk", None, "tea", None, "tea", "tea"]
    assert len({id(word) for word in words if word == "tea"}) == 1
    assert column.codes.dtype == np.int32
    assert [column[row] for row in range(7)] == words
