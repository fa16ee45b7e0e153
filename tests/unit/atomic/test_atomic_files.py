"""Atomic file writes: the old file or the new one, nothing beside it, and never writable for others."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.atomic import renames
from shoal.atomic.files import EVERYBODY, OWNER_ONLY, atomic_file, make_folder
from shoal.atomic.renames import exchange, rename_if_free
from shoal.errors import InputError

KILLED = """
import os, pathlib, signal, sys
from shoal.atomic.files import atomic_file
with atomic_file(pathlib.Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("mode", "expected"), [(EVERYBODY, 0o644), (OWNER_ONLY, 0o600)])
def test_whatever_the_umask_only_the_owner_may_write(tmp_path: Path, mode: int, expected: int) -> None:
    before = os.umask(0)
    try:
        with atomic_file(tmp_path / "file", mode) as file:
            file.write(b"all")
        make_folder(tmp_path / "new" / "folder")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == expected
    for folder in ("new", "new/folder"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o755


def test_what_a_killed_run_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert target.read_bytes() == b"old"
    assert len(names(tmp_path)) == 2
    with atomic_file(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


def test_two_runs_that_write_one_file_do_not_meet(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "file") as first, atomic_file(tmp_path / "file") as second:
        first.write(b"first")
        second.write(b"second")
    assert (tmp_path / "file").read_bytes() == b"first"  # which was done last
    assert names(tmp_path) == ["file"]


def test_the_bytes_are_on_disk_before_the_name_is_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[bytes] = []
    flush = os.fsync

    def seen(handle: int) -> None:
        flushed.append(Path(f"/proc/self/fd/{handle}").read_bytes())
        assert not (tmp_path / "file").exists()
        flush(handle)

    monkeypatch.setattr(os, "fsync", seen)
    with atomic_file(tmp_path / "file") as file:
        file.write(b"all")
    assert flushed == [b"all"]


def write_half(path: Path) -> None:
    with atomic_file(path) as file:
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*nowhere/file: No such file or directory"):
        write_half(tmp_path / "nowhere" / "file")
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(InputError, match="No space left"):
        write_half(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


# --- renames -------------------------------------------------------------------------------------------------------


def test_two_folders_exchange_their_names(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    assert exchange(tmp_path / "one", tmp_path / "other")  # every system that this is tested on can
    assert (names(tmp_path / "one"), names(tmp_path / "other")) == (["other"], ["one"])


def test_exchanging_with_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with pytest.raises(FileNotFoundError, match="other"):
        exchange(tmp_path / "one", tmp_path / "other")
    assert names(tmp_path) == ["one"]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM, None])
def test_a_system_that_cannot_exchange_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int | None
) -> None:
    monkeypatch.setattr(renames, "_system_call", lambda: None if number is None else lambda *_: number)
    assert not exchange(tmp_path / "one", tmp_path / "other")


@pytest.mark.parametrize("one_step", [True, False])
def test_a_free_name_is_taken_and_another_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_step: bool
) -> None:
    if not one_step:
        monkeypatch.setattr(renames, "_system_call", lambda: None)
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    rename_if_free(tmp_path / "one", tmp_path / "name")
    with pytest.raises(FileExistsError):
        rename_if_free(tmp_path / "two", tmp_path / "name")
    assert (tmp_path / "name").read_text() == "one"
    assert names(tmp_path) == ["name", "two"]


def test_no_limit_of_names_is_passed(tmp_path: Path) -> None:
    with atomic_file(tmp_path / ("n" * 255)) as file:
        file.write(b"all")
    assert names(tmp_path) == ["n" * 255]
