"""Folders of strangers: bombs, files that make Arrow abort, files that change while they are read."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.io.release_folder import write_release
from tests.making.damaged_folders import sign
from tests.making.disassociated_releases import disassociated
from tests.making.release_folders import RELEASES

GIGABYTE = 2**30
WORD = 40_000_000
TIMES = 5_000
SHOAL = [sys.executable, "-m", "shoal"]


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("releases")


@pytest.fixture
def made(releases: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a release by its name in RELEASES."""

    def copy(name: str) -> Path:
        if not (releases / name).exists():
            RELEASES[name]().write(releases / name)
        return Path(shutil.copytree(releases / name, tmp_path / "release"))

    return copy


def ran(*arguments: object, memory: int = 2 * GIGABYTE, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SHOAL, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
        **options,
    )


def bomb(path: Path, column: str, *, of: int = WORD, times: int = TIMES) -> None:
    """Repeat the rows of a file, and let one long word stand in all rows of a column of words."""
    table = pq.read_table(path)
    table = table.take(pa.array(np.zeros(times, np.int64)))
    field = table.schema.field(column)
    kind = field.type.value_type if pa.types.is_list(field.type) else field.type
    assert pa.types.is_string(kind)
    long: Any = pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array(["x" * of]))
    if pa.types.is_list(field.type):
        element = field.type.value_field.with_type(long.type)
        long = pa.ListArray.from_arrays(pa.array(np.arange(times + 1), pa.int32()), long, type=pa.list_(element))
    table = table.set_column(table.column_names.index(column), field.with_type(long.type), long)
    pq.write_table(table, path, compression="zstd", store_schema=False)
    sign(path.parent)
    assert path.stat().st_size < 100_000


BOMBS = [
    ("bottom-up", "hierarchies.parquet", "column"),
    ("bottom-up", "hierarchies.parquet", "label"),
    ("bottom-up", "hierarchies.parquet", "parent"),
    ("bottom-up", "rows.parquet", "age"),
    ("bottom-up", "rows.parquet", "diagnosis"),
    ("generalized baskets", "hierarchy.parquet", "name"),
    ("noisy baskets", "hierarchy.parquet", "name"),
    ("mask", "items.parquet", "name"),
    ("anatomy", "quasi_identifiers.parquet", "sex"),
    ("anatomy", "sensitive.parquet", "diagnosis"),
    ("injector, rules disclosed", "rules.parquet", "excluded"),
    ("injector, rules disclosed", "rules.parquet", "column"),
    ("injector, rules disclosed", "rules.parquet", "label"),
    ("injector, rules disclosed", "rules.parquet", "values"),
    ("disassociated", "chunks.parquet", "kind"),
    ("disassociated", "term_chunks.parquet", "items"),
    ("disassociated", "subrecords.parquet", "items"),
]


def test_every_file_of_words_of_every_shape_gets_a_bomb() -> None:
    made = {name: publish() for name, publish in RELEASES.items()}
    of_words = {
        (type(release), f"{file}.parquet")
        for release in made.values()
        for file, table in release.to_arrow().items()
        if any(pa.types.is_string(getattr(kind, "value_type", kind)) for kind in table.schema.types)
    }
    assert {(type(made[name]), file) for name, file, _ in BOMBS} == of_words


@pytest.mark.parametrize(("name", "file", "column"), BOMBS)
def test_one_long_word_in_all_rows_takes_no_memory(
    made: Callable[[str], Path], name: str, file: str, column: str
) -> None:
    folder = made(name)
    bomb(folder / file, column)
    done = ran("verify", folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"{file}: column '{column}' has {WORD * TIMES:,} bytes with each of its words written out" in done.stdout


@pytest.mark.parametrize(("name", "file", "column"), BOMBS)
def test_words_that_may_be_written_out_are_held_once(
    made: Callable[[str], Path], name: str, file: str, column: str
) -> None:
    folder = made(name)
    bomb(folder / file, column, of=10_000_000, times=1_000)  # 10 GB written out, which passes the bound
    done = ran("verify", folder)
    # A rule about what nobody has excludes nothing, and one about a column that is not there cannot be checked.
    code = 0 if file == "rules.parquet" and column != "column" else 1
    assert (done.returncode, done.stderr) == (code, "")
    assert ("FAILS   folder" in done.stdout) == (file != "rules.parquet")


def test_words_that_share_beginnings_are_not_unfolded(made: Callable[[str], Path]) -> None:
    # In this encoding a word says how much of the last one it begins with: a page of 40 MB holds 200 GB.
    path = made("mask") / "items.parquet"
    rows = pa.table(
        {"item": np.arange(3, dtype=np.int32), "name": ["x" * 99, "x" * 99 + "a", "x" * 99 + "b"]}, pq.read_schema(path)
    )
    pq.write_table(
        rows, path, compression="zstd", store_schema=False, use_dictionary=False,
        column_encoding={"name": "DELTA_BYTE_ARRAY", "item": "PLAIN"},
    )  # fmt: skip
    sign(path.parent)
    done = ran("verify", path.parent)
    assert done.returncode == 1
    assert "column 'name' of row group 0 has a page in encoding 7, which no release uses" in done.stdout


def test_a_dictionary_that_claims_more_words_than_it_has_room_for(made: Callable[[str], Path]) -> None:
    path = made("mask") / "items.parquet"
    n = pq.read_metadata(path).num_rows
    raw = bytearray(path.read_bytes())
    start = pq.read_metadata(path).row_group(0).column(1).dictionary_page_offset
    # A page header: 15 kind, 15 unpacked, 15 packed, 4c (dictionary) 15 its number of values.
    at = raw.index(bytes([0x4C, 0x15, 2 * n]), start) + 2
    raw[at] = 2 * n + 60
    path.write_bytes(raw)
    sign(path.parent)
    done = ran("verify", path.parent)
    assert done.returncode == 1
    assert f"has a dictionary that cannot hold {n + 30:,} values" in done.stdout or "unreadable pages" in done.stdout


@pytest.fixture
def aborting(tmp_path: Path) -> Path:
    """A release whose footer has a histogram of levels with one place too many, which no library expects."""
    folder = tmp_path / "aborting"
    folder.mkdir()
    write_release(disassociated([(2, [["a", "a"]], "b")]), folder)
    path = folder / "clusters.parquet"
    raw = path.read_bytes()
    footer, size = raw[:-8], int.from_bytes(raw[-8:-4], "little")
    begin = len(footer) - size
    # Size statistics of a column: 29 06 (no repetition levels), 19 26 (two definition levels), 00 (their end).
    old, new = bytes.fromhex("29061926020000"), bytes.fromhex("2906193602000000")
    assert footer[begin:].count(old) == 1
    changed = footer[begin:].replace(old, new, 1)
    path.write_bytes(footer[:begin] + changed + len(changed).to_bytes(4, "little") + b"PAR1")
    sign(folder)
    return folder


def test_a_footer_that_makes_arrow_abort_is_refused_and_the_reason_said(aborting: Path) -> None:
    here = "import sys, shoal; shoal.read_release(sys.argv[1], trusted=True)"
    alone = subprocess.run([sys.executable, "-c", here, aborting], capture_output=True, check=False)
    assert alone.returncode == -signal.SIGABRT  # or there is nothing to be shown
    for arguments in (["verify"], ["verify", "--json"]):
        done = ran(*arguments, aborting)
        assert (done.returncode, done.stderr) == (1, "")
        said = " ".join(done.stdout.split())
        assert "clusters.parquet: decoding it crashed the process that did so (SIGABRT): " in said
        assert "histogram" in said
    beside = aborting.parent
    (beside / "original.dat").write_text("a b\na\n")
    for command in (
        ["query", aborting, "a"], ["mine", aborting, "--min-support", "1"], ["show", aborting], ["export", aborting],
        ["info", aborting], ["attack", aborting], ["measure", beside / "original.dat", aborting],
        ["report", "--public", aborting, "-o", beside / "report.html"],
        ["reconstruct", aborting, "-o", beside / "drawn"],
    ):  # fmt: skip
        done = ran(*command)
        assert done.returncode == 1, (command, done.stdout, done.stderr)
        assert "decoding it crashed the process that did so" in done.stderr, command


# Run within a process that watches what is opened in the folder, and exchanges files when asked to.
WATCHED = """
import json, os, sys, shutil
folder, exchange, replacement, *arguments = json.loads(sys.argv[1])
opened = []
inside = {name for name in os.listdir(folder)} | {folder}
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.fspath(arguments[0])
        path = path.decode() if isinstance(path, bytes) else path
        short = path.removeprefix(folder + "/")
        if short in inside:
            opened.append("." if short == folder else short)
    at = event if event != "open" or not opened else "open " + opened[-1]
    if exchange and at == exchange[0]:
        exchange.clear()
        for name in os.listdir(replacement):
            staged = os.path.join(folder, "." + name)
            shutil.copyfile(os.path.join(replacement, name), staged)
            os.replace(staged, os.path.join(folder, name))
sys.addaudithook(watch)
from shoal.cli.main import run
code = run(arguments)
sys.stdout.flush()
print("\\n" + json.dumps({"code": code, "opened": opened, "exchanged": not exchange}))
"""


def watched(folder: Path, *arguments: object, exchange: str = "", replacement: Path | None = None) -> dict[str, Any]:
    given = [str(folder), [exchange] if exchange else [], str(replacement), *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(given)], capture_output=True, text=True, check=True, timeout=900
    )
    *said, last = done.stdout.rstrip().split("\n")
    return {**json.loads(last), "out": "\n".join(said), "err": done.stderr}


@pytest.mark.parametrize(
    "name", ["disassociated", "bottom-up", "anatomy", "mask", "generalized baskets", "noisy baskets"]
)
@pytest.mark.parametrize("command", ["verify", "attack", "info", "show", "report"])
def test_each_file_is_opened_once(made: Callable[[str], Path], tmp_path: Path, name: str, command: str) -> None:
    if (name, command) == ("noisy baskets", "attack"):
        command = "export"  # no attack is known
    folder = made(name)
    more = ["--public", "-o", tmp_path / "report.html"] if command == "report" else []
    said = watched(folder, command, folder, *more)
    assert said["code"] in (0, 1), said["err"]
    assert sorted(said["opened"]) == sorted([".", *(path.name for path in folder.iterdir())])


@pytest.mark.parametrize("trusted", [[], ["--trusted"]], ids=["", "trusted"])
def test_files_that_are_exchanged_meanwhile_change_nothing(
    made: Callable[[str], Path], tmp_path: Path, trusted: list[str]
) -> None:
    folder = made("disassociated")
    sound = watched(folder, "verify", folder, *trusted)
    assert (sound["code"], sound["out"].splitlines()[0]) == (0, "all 19 checks hold")
    # Another release, which does not keep its promise, takes its place as soon as the first file is open; when the last
    # one is; and, where there is one, before the process is started that decodes.
    other = tmp_path / "other"
    other.mkdir()
    write_release(disassociated([(3, [["ab", "ab", "b"]], "c")], k=3), other)
    events = ["open term_chunks.parquet", *([] if trusted else ["subprocess.Popen"])]
    for event in events:
        copy = Path(shutil.copytree(folder, tmp_path / event.replace(" ", "-")))
        if event.startswith("open"):  # which comes before it is open: exchange all but this one, then
            files = tmp_path / "files"
            shutil.copytree(other, files, dirs_exist_ok=True)
            (files / "term_chunks.parquet").unlink()
        else:
            files = other
        said = watched(copy, "verify", copy, *trusted, exchange=event, replacement=files)
        assert said["exchanged"]
        assert (said["code"], said["out"]) == (0, sound["out"])
        assert ran("verify", copy).returncode == 1


def test_links_and_pipes_are_no_files_of_a_release(made: Callable[[str], Path], tmp_path: Path) -> None:
    import os

    folder = made("mask")
    for name in ("items.parquet", "manifest.json"):
        raw = (folder / name).read_bytes()
        (tmp_path / "elsewhere").write_bytes(raw)
        (folder / name).unlink()
        (folder / name).symlink_to(tmp_path / "elsewhere")
        done = ran("verify", folder)
        assert done.returncode == 1
        assert f"{name} is a link" in done.stdout
        (folder / name).unlink()
        os.mkfifo(folder / name)
        done = ran("verify", folder)  # and waits for nobody to write
        assert done.returncode == 1
        assert f"{name} is no file" in done.stdout
        (folder / name).unlink()
        (folder / name).write_bytes(raw)
    assert ran("verify", folder).returncode == 0
