"""Publishing fails closed: what appears has been read back and verified, and all else leaves nothing behind."""

from __future__ import annotations

import os
import signal
import stat
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoal import pipeline
from shoal.audit import disassociated as auditor
from shoal.audit.verdict import Check, Verdict
from shoal.errors import Infeasible, InputError, InternalError
from shoal.io.disassociated import SCHEMAS
from shoal.io.release_folder import MANIFEST, UNVERIFIED_MANIFEST, read_release, write_release
from shoal.pipeline import writing
from shoal.release.disassociated import Disassociated
from shoal.run import Run
from tests.making.damaged_folders import edit_manifest
from tests.making.disassociated_releases import disassociated


@pytest.fixture
def release() -> Disassociated:
    return disassociated([(3, [["ab", "ab", "a"]], "cd"), (2, [["x", "x"]], "")])


@pytest.fixture
def other() -> Disassociated:
    return disassociated([(4, [["xy"] * 4], "z")])


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """The folder in which releases appear."""
    made = tmp_path / "house"
    made.mkdir()
    return made


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# --- what is wrong never appears -----------------------------------------------------------------------------------


def test_a_release_appears_verified(release: Disassociated, house: Path) -> None:
    verdict = pipeline.write(release, house / "release")
    assert verdict.holds
    verified = pipeline.verify(house / "release")
    assert verified.residuals
    assert verdict == replace(verified, residuals=())  # what no promise covers is for readers
    assert names(house) == ["release"]
    assert names(house / "release") == sorted([MANIFEST, *SCHEMAS])


def test_the_method_of_a_release_is_the_same_door(release: Disassociated, house: Path) -> None:
    assert release.write(house / "release").holds


def test_what_nobody_could_check_does_not_appear_and_is_no_bug(
    release: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unchecked = Check("record chunks", "every set occurs often", 0, False, "not checked: chunk 0 has 10,000 items")
    monkeypatch.setattr(auditor, "audit", lambda *_, **__: Verdict((unchecked,)))
    with pytest.raises(Infeasible, match=r"(?s)smaller m.*chunk 0 has 10,000 items"):
        pipeline.write(release, house / "release")
    assert names(house) == []


def test_what_the_auditor_refuses_does_not_appear(
    release: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no = Verdict((Check("cluster size", "every cluster is large", 2, False, "cluster 1 is small"),))
    monkeypatch.setattr(auditor, "audit", lambda *_a, **_k: no)
    with pytest.raises(InternalError, match=r"(?s)Nothing was published.*cluster 1 is small"):
        pipeline.write(release, house / "release")
    assert names(house) == []


def test_a_release_that_breaks_its_promise_does_not_appear(house: Path) -> None:
    broken = disassociated([(2, [["ab", "a"]], "")], k=2)
    with pytest.raises(InternalError, match=r"(?s)Nothing was published.*FAILS"):
        pipeline.write(broken, house / "release")
    assert names(house) == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_the_disk_garbled_does_not_appear(
    release: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def garbling(made: Disassociated, folder: Path, **options: Any) -> None:
        write_release(made, folder, **options)
        raw = bytearray((folder / name).read_bytes())
        raw[len(raw) // 2] ^= 4
        (folder / name).write_bytes(raw)

    monkeypatch.setattr(writing, "write_release", garbling)
    with pytest.raises(InternalError, match=rf"{name} was changed"):
        pipeline.write(release, house / "release")
    assert names(house) == []


def test_while_staged_only_the_owner_may_look_and_no_reader_takes_it(
    release: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[list[str], int, list[str], bool]] = []

    def looking(*arguments: Any, **options: Any) -> Verdict:
        (private,) = house.iterdir()
        mode = stat.S_IMODE(private.stat().st_mode)
        staged = private / "release"
        seen.append((names(house), mode, names(staged), pipeline.verify(staged).holds))
        return pipeline_audit(*arguments, **options)

    pipeline_audit = auditor.audit
    monkeypatch.setattr(auditor, "audit", looking)
    before = os.umask(0o022)
    try:
        pipeline.write(release, house / "release")
    finally:
        os.umask(before)
    (visible, mode, files, accepted) = seen[0]
    assert visible[0].startswith(".release.staging-")
    assert mode == 0o700
    assert UNVERIFIED_MANIFEST in files
    assert MANIFEST not in files
    assert not accepted
    assert stat.S_IMODE((house / "release").stat().st_mode) == 0o755


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}


@pytest.mark.parametrize("one_step", [True, False], ids=["exchanged", "by two renames"])
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("mask", "of_folder", "of_files"),
    [(0o022, 0o755, 0o644), (0o077, 0o700, 0o600), (0o002, 0o755, 0o644), (0o000, 0o755, 0o644)],
)
def test_whatever_the_umask_only_the_owner_may_write(
    release: Disassociated,
    house: Path,
    monkeypatch: pytest.MonkeyPatch,
    mask: int,
    of_folder: int,
    of_files: int,
    force: bool,
    one_step: bool,
) -> None:
    if not one_step:
        monkeypatch.setattr(writing, "exchange", lambda *_: False)
    before = os.umask(mask)
    try:
        if force:
            pipeline.write(release, house / "release")
            (house / "release").chmod(0o777)
        pipeline.write(release, house / "release", force=force)
        assert os.umask(mask) == mask  # and it is left as it was
    finally:
        os.umask(before)
    found = modes(house / "release")
    assert found.pop("release") == of_folder
    assert set(found.values()) == {of_files}
    assert len(found) == 1 + len(SCHEMAS)


def test_progress_is_reported_in_stages(release: Disassociated, house: Path) -> None:
    stages: list[tuple[str, int, int]] = []
    pipeline.write(release, house / "release", run=Run(progress=lambda *step: stages.append(step)))
    order = list(dict.fromkeys(stage for stage, _, _ in stages))
    assert order[:3] == ["write", "read back", "structure"]
    assert all(0 <= done <= total for _, done, total in stages)


def test_whoever_stops_the_progress_stops_the_run(release: Disassociated, house: Path) -> None:
    def stop(stage: str, _done: int, _total: int) -> None:
        if stage == "structure":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pipeline.write(release, house / "release", run=Run(progress=stop))
    assert names(house) == []


# --- where it may appear -------------------------------------------------------------------------------------------


def test_an_empty_folder_is_filled(release: Disassociated, house: Path) -> None:
    (house / "release").mkdir()
    pipeline.write(release, house / "release")
    assert pipeline.verify(house / "release").holds
    assert names(house) == ["release"]


def test_a_folder_that_is_not_there_is_not_made(release: Disassociated, house: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere; make it first"):
        pipeline.write(release, house / "nowhere" / "release")
    assert names(house) == []


def test_what_exists_is_kept(release: Disassociated, other: Disassociated, house: Path) -> None:
    pipeline.write(release, house / "release")
    before = bytes_of(house / "release")
    with pytest.raises(InputError, match="exists already; choose another name, or --force to replace it"):
        pipeline.write(other, house / "release")
    assert bytes_of(house / "release") == before
    assert names(house) == ["release"]


@pytest.mark.parametrize("force", [False, True])
def test_a_file_is_never_replaced(release: Disassociated, house: Path, force: bool) -> None:
    (house / "release").write_text("mine")
    with pytest.raises(InputError, match="exists already and is a file"):
        pipeline.write(release, house / "release", force=force)
    assert (house / "release").read_text() == "mine"


@pytest.mark.parametrize("force", [False, True])
def test_a_link_is_never_replaced(release: Disassociated, house: Path, force: bool) -> None:
    pipeline.write(release, house / "real")
    (house / "release").symlink_to(house / "real")
    with pytest.raises(InputError, match="is a link: name the folder"):
        pipeline.write(release, house / "release", force=force)
    assert (house / "release").is_symlink()


def users_folder(house: Path, kind: str, release: Disassociated) -> Path:
    """A folder that must survive, whatever it looks like."""
    folder = house / "release"
    folder.mkdir()
    if kind == "photos":
        (folder / "photo.jpg").write_text("mine")
    elif kind == "web app":
        (folder / MANIFEST).write_text('{"name": "my app", "manifest_version": 3}')
    elif kind == "broken manifest":
        (folder / MANIFEST).write_text("{")
    elif kind == "deep manifest":
        (folder / MANIFEST).write_text("[" * 100_000)
    elif kind == "manifest folder":
        (folder / MANIFEST).mkdir()
    elif kind == "release with notes":
        write_release(release, folder)
        (folder / "notes.txt").write_text("mine")
    return folder


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "kind", ["photos", "web app", "broken manifest", "deep manifest", "manifest folder", "release with notes"]
)
def test_a_users_folder_is_never_deleted(release: Disassociated, house: Path, kind: str, force: bool) -> None:
    folder = users_folder(house, kind, release)
    before = names(folder)
    with pytest.raises(InputError, match=r"exists already and (is not a release|contains 'notes\.txt')") as caught:
        pipeline.write(release, folder, force=force)
    assert ("--force does not replace it" in str(caught.value)) == force
    assert names(folder) == before
    assert names(house) == ["release"]


@pytest.mark.parametrize("damage", ["none", "data", "manifest", "unfinished"])
def test_force_replaces_a_release_whole_or_damaged(
    release: Disassociated, other: Disassociated, house: Path, damage: str
) -> None:
    folder = house / "release"
    pipeline.write(release, folder)
    if damage == "data":
        (folder / "chunks.parquet").unlink()
    elif damage == "manifest":
        edit_manifest(folder, lambda manifest: manifest.update(promises=[]))
    elif damage == "unfinished":
        (folder / MANIFEST).rename(folder / UNVERIFIED_MANIFEST)
    pipeline.write(other, folder, force=True)
    assert read_release(folder).words == ["x", "y", "z"]
    assert names(house) == ["release"]


def test_force_without_anything_there_is_plain_writing(release: Disassociated, house: Path) -> None:
    assert pipeline.write(release, house / "release", force=True).holds


def test_a_faster_run_is_not_overwritten(
    release: Disassociated, other: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both began when nothing was there; whoever comes second must not delete what the first has published.
    audit = auditor.audit

    def meanwhile(*arguments: Any, **options: Any) -> Verdict:
        monkeypatch.setattr(auditor, "audit", audit)
        pipeline.write(other, house / "release")
        return audit(*arguments, **options)

    monkeypatch.setattr(auditor, "audit", meanwhile)
    with pytest.raises(InputError, match="exists already"):
        pipeline.write(release, house / "release")
    assert read_release(house / "release").words == ["x", "y", "z"]
    assert names(house) == ["release"]


def test_the_last_rename_does_not_overwrite_either(
    release: Disassociated, other: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "require_free", lambda *_a, **_k: None)  # as if it appeared after the last look
    pipeline.write(other, house / "release")
    with pytest.raises(InputError, match=r"cannot write .*release: Directory not empty\. Nothing was published"):
        pipeline.write(release, house / "release")
    assert read_release(house / "release").words == ["x", "y", "z"]
    assert names(house) == ["release"]


def test_a_long_name_is_no_problem(release: Disassociated, house: Path) -> None:
    target = house / ("n" * 250)
    pipeline.write(release, target)
    pipeline.write(release, target, force=True)
    assert names(house) == ["n" * 250]


def test_a_folder_that_may_not_be_written_is_said_at_once(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(InputError, match=r"the folder .*house.* is not writable"):
        pipeline.require_free(house / "release", force=False)


# --- the move ------------------------------------------------------------------------------------------------------


def failing(*_arguments: object) -> bool:
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("force", "broken"),
    [
        (False, "the folder's rename"),
        (False, "the manifest's rename"),
        (False, "flushing"),
        (True, "the manifest's rename"),
        (True, "exchange"),
        (True, "flushing"),
        (True, "the folder's rename"),
        (True, "flushing, where names cannot be exchanged"),
    ],
)
def test_when_the_move_fails_all_is_as_it_was(
    release: Disassociated,
    other: Disassociated,
    house: Path,
    monkeypatch: pytest.MonkeyPatch,
    force: bool,
    broken: str,
) -> None:
    before = {}
    if force:
        pipeline.write(release, house / "release")
        before = bytes_of(house / "release")
    rename, to_disk = Path.rename, writing.to_disk

    def rename_but(path: Path, to: Path) -> Path:
        name = UNVERIFIED_MANIFEST if "manifest" in broken else "release"
        if path.name == name and path.parent != house and "rename" in broken:
            failing()
        return rename(path, to)

    def to_disk_but(path: Path) -> None:
        failing() if path == house else to_disk(path)

    monkeypatch.setattr(Path, "rename", rename_but)
    if broken == "exchange":
        monkeypatch.setattr(writing, "exchange", failing)
    elif force and "exchanged" in broken + ("exchanged" if "folder" in broken else ""):
        monkeypatch.setattr(writing, "exchange", lambda *_: False)
    if "flushing" in broken:
        monkeypatch.setattr(writing, "to_disk", to_disk_but)
    with pytest.raises(InputError, match=r"cannot write .*release: Input/output error\. Nothing was published\."):
        pipeline.write(other, house / "release", force=force)
    monkeypatch.undo()
    assert names(house) == (["release"] if force else [])
    if force:
        assert bytes_of(house / "release") == before


@pytest.mark.parametrize("force", [False, True])
def test_control_c_waits_for_the_move(
    release: Disassociated, other: Disassociated, house: Path, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    if force:
        pipeline.write(release, house / "release")
    rename = Path.rename

    def pressed(path: Path, to: Path) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        done = rename(path, to)
        os.kill(os.getpid(), signal.SIGINT)
        return done

    monkeypatch.setattr(Path, "rename", pressed)
    handler = signal.getsignal(signal.SIGINT)
    try:
        assert pipeline.write(other, house / "release", force=force).holds
    except KeyboardInterrupt:
        pytest.fail("the move was interrupted")  # let through, it would end the whole test run
    assert signal.getsignal(signal.SIGINT) is handler
    assert names(house) == ["release"]
    assert read_release(house / "release").words == ["x", "y", "z"]


def test_publishing_works_in_a_thread(release: Disassociated, house: Path) -> None:
    # Signals can only be set in the main thread, and must not be touched elsewhere.
    verdicts: list[Verdict] = []
    worker = threading.Thread(target=lambda: verdicts.append(pipeline.write(release, house / "release")))
    worker.start()
    worker.join()
    assert verdicts[0].holds


def test_verify_says_what_is_damaged(release: Disassociated, house: Path) -> None:
    pipeline.write(release, house / "release")
    (house / "release" / "chunks.parquet").unlink()
    verdict = pipeline.verify(house / "release")
    assert not verdict.holds
    assert "chunks.parquet is missing" in str(verdict["folder"].witness)


def test_verify_of_nothing_is_the_callers_mistake(house: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        pipeline.verify(house / "nowhere")
