"""Compiled kernels on disk: what is not whole, or not of this code, is compiled again, whatever is wrong with it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from numba import config

import shoal.kernels
from shoal.kernels.keeping import sealed, sources_digest, unsealed
from shoal.kernels.kept_folders import contents, folders, keep, not_kept

if config.DISABLE_JIT:
    pytest.skip("the JIT is off: nothing is compiled", allow_module_level=True)

# Two kernels, one of which calls the other. Says which were compiled, and proves that they run.
SCRIPT = """
import numpy as np
from numba.core import event
compiled = []
class Names(event.Listener):
    def on_start(self, heard): compiled.append(heard.data["dispatcher"].py_func.__name__)
    def on_end(self, heard): pass
event.register("numba:compile", Names())
from shoal.kernels.heap import heapify
values = np.array([1, 3, 5], np.int64)
heapify(values, 3)
assert values[0] == 5
print(*compiled)
"""
ALL = ["sift_down", "heapify"]


def compiled(folder: Path, **environment: str) -> list[str]:
    """Which kernels a new process compiles."""
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, "")
    return said.stdout.split()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two kernels."""
    folder = tmp_path_factory.mktemp("whole")
    assert compiled(folder) == ALL
    assert compiled(folder) == []
    return folder


@pytest.fixture
def kept(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "kept")


def file_of(folder: Path, kernel: str) -> Path:
    (found,) = folder.glob(f"*/heap.{kernel}-*.nbk")
    return found


def truncated(at: Callable[[int], int]) -> Callable[[bytes], bytes]:
    return lambda content: content[: at(len(content))]


def zeroed(start: Callable[[int], int], length: int) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        first = start(len(content))
        return content[:first] + bytes(min(length, len(content) - first)) + content[first + length :]

    return damage


def flipped(at: Callable[[int], int]) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        place = at(len(content))
        return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]

    return damage


DAMAGE = {
    "empty": lambda _: b"",
    "one byte": truncated(lambda _: 1),
    "within the head": truncated(lambda _: 12),
    "the head": truncated(lambda _: 16),
    "within the checksum": truncated(lambda _: 30),
    "within the key": truncated(lambda _: 60),
    "no payload": truncated(lambda _: 80),
    "one byte of payload": truncated(lambda _: 81),
    "half": truncated(lambda size: size // 2),
    "all but one byte": truncated(lambda size: size - 1),
    "more than all": lambda content: content + b"\0",
    "only zeros": lambda content: bytes(len(content)),
    "zeros first": zeroed(lambda _: 0, 512),
    "zeros within": zeroed(lambda size: size // 2, 512),
    "zeros last": zeroed(lambda size: size - 512, 512),
    "noise": lambda content: bytes((7 * n + n // 251) % 256 for n in range(len(content))),
    "a pickle": lambda _: b"\x80\x04N.",
    **{f"a bit at {share:.0%}": flipped(lambda size, s=share: int(s * (size - 1))) for share in (0, 0.01, 0.3, 0.6, 1)},
    **{f"a bit of byte {n}": flipped(lambda _, n=n: n) for n in (3, 20, 55, 79, 80)},
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_never_taken(whole: Path, damage: str) -> None:
    content = file_of(whole, "heapify").read_bytes()
    key = content[48:80]
    assert unsealed(content, key) is not None
    assert unsealed(DAMAGE[damage](content), key) is None


@pytest.mark.parametrize("damage", ["empty", "half", "only zeros", "zeros within", "noise", "a pickle", "a bit at 60%"])
def test_what_is_damaged_is_compiled_and_kept_again(kept: Path, damage: str) -> None:
    file = file_of(kept, "heapify")
    content = file.read_bytes()
    file.write_bytes(DAMAGE[damage](content))
    assert compiled(kept) == ["heapify"]
    assert compiled(kept) == []


@pytest.mark.parametrize("what", ["deleted", "swapped", "a folder", "a pipe", "a link to itself", "may not be read"])
def test_what_is_not_the_kernel_is_compiled_again(kept: Path, what: str) -> None:
    ours, other = (file_of(kept, name) for name in ALL)
    again = [ours.name.split(".")[1].split("-")[0]]
    if what == "swapped":
        one, two = ours.read_bytes(), other.read_bytes()
        ours.write_bytes(two)
        other.write_bytes(one)
        again = ALL
    else:
        ours.unlink()
    if what == "a folder":
        ours.mkdir()
    elif what == "a pipe":
        os.mkfifo(ours, 0o600)
    elif what == "a link to itself":
        ours.symlink_to(ours.name)
    elif what == "may not be read":
        ours.write_bytes(b"")
        ours.chmod(0)
    assert compiled(kept) == again
    # A folder cannot be replaced by a file; all others are.
    assert compiled(kept) == (again if what == "a folder" else [])


def test_a_kernel_of_another_numba_or_processor_is_compiled_again(kept: Path) -> None:
    """Files that are whole, under the name that is looked for, but made for another key."""
    file = file_of(kept, "heapify")
    payload = file.read_bytes()[80:]
    file.write_bytes(sealed(payload, bytes(32)))
    assert compiled(kept) == ["heapify"]
    assert compiled(kept, NUMBA_CPU_NAME="generic") == ALL
    assert compiled(kept) == []  # both are kept side by side
    assert compiled(kept, NUMBA_CPU_NAME="generic") == []


def test_a_payload_that_numba_does_not_understand_is_compiled_again(kept: Path) -> None:
    """Its checksum is right: another build of the same version made it."""
    file = file_of(kept, "heapify")
    key = file.read_bytes()[48:80]
    file.write_bytes(sealed(b"\x80\x04N.", key))
    assert compiled(kept) == ["heapify"]


def test_a_kernel_whose_callee_changed_is_compiled_again(tmp_path: Path) -> None:
    for name in ("one.py", "two.py", "three.py", "alone.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "one.py").write_text("from shoal.kernels.two import x\n")
    (tmp_path / "two.py").write_text("from shoal.kernels.three import (\n    x,\n)\n")

    def digests() -> list[str]:
        sources_digest.cache_clear()
        return [sources_digest(tmp_path / f"{name}.py") for name in ("one", "two", "three", "alone")]

    before = digests()
    (tmp_path / "three.py").write_text("x = 2\n")
    after = digests()
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, False, True]


def test_every_kernel_that_is_called_is_imported_in_the_form_that_the_digest_reads() -> None:
    """Whatever is imported of kernels in another way would not count."""
    for source in Path(shoal.kernels.__path__[0]).glob("[!_]*.py"):
        code = source.read_text()
        mentioned = set(re.findall(r"^[ \t]*(?:from|import)\s+shoal[.\w]*.*", code, re.MULTILINE))
        read = set(re.findall(r"^from shoal\.kernels\.\w+ import.*", code, re.MULTILINE))
        allowed = {"from shoal.kernels import kept_folders"} if source.name == "keeping.py" else set()
        assert mentioned - allowed == read, source


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_neither_read_nor_written(kept: Path, mode: int) -> None:
    (folder,) = kept.iterdir()
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    folder.chmod(mode)
    assert compiled(kept) == ALL
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    folder.chmod(0o755)
    assert compiled(kept) == []


def test_a_file_that_others_may_write_to_is_not_read(kept: Path) -> None:
    file_of(kept, "heapify").chmod(0o666)
    assert compiled(kept) == ["heapify"]
    assert stat.S_IMODE(file_of(kept, "heapify").stat().st_mode) & 0o022 == 0


def test_what_belongs_to_another_user_is_not_read(kept: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    os.chown(file_of(kept, "heapify"), 4242, -1)
    assert compiled(kept) == ["heapify"]
    (folder,) = kept.iterdir()
    os.chown(folder, 4242, -1)
    assert compiled(kept) == ALL


def test_a_link_in_the_place_of_the_folder_is_not_followed(kept: Path, tmp_path: Path) -> None:
    (folder,) = kept.iterdir()
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert compiled(kept) == ALL


def test_whatever_the_umask_nobody_else_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    before = os.umask(0)
    try:
        keep("x.nbk", b"x")
    finally:
        os.umask(before)
    assert list(contents("x.nbk")) == [b"x"]
    (folder,) = tmp_path.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE((folder / "x.nbk").stat().st_mode)) == (0o755, 0o644)
    assert not_kept() is None


@pytest.mark.parametrize(
    ("home", "cache", "last"),
    [
        ("/home/somebody", None, "/home/somebody/.cache/shoal"),
        ("/home/somebody", "/var/tmp/mine", "/var/tmp/mine/shoal"),
        ("/home/somebody", "relative", None),
    ],
)
def test_the_folders_that_are_tried(
    monkeypatch: pytest.MonkeyPatch, home: str, cache: str | None, last: str | None
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if cache is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
    first, *others = folders()
    assert first == Path(shoal.kernels.__path__[0]) / "__pycache__" / "compiled"
    assert [str(folder.parent) for folder in others] == ([] if last is None else [last])
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/somewhere")
    assert [str(folder.parent) for folder in folders()] == ["/somewhere"]
