"""Runs that die: whatever moment is chosen, nothing unverified is ever taken for a release.

Whole commands killed after random delays: whatever the list of steps forgot (test_killed_commands.py). Then the gentler
ends: Ctrl-C, SIGTERM, SIGHUP, a full disk, a folder that may not be written.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pytest

from shoal import pipeline
from shoal.generate.quest import write_quest
from shoal.interruption import interruption_between_steps
from shoal.io.release_folder import UNVERIFIED_MANIFEST
from tests.making.disassociated_releases import disassociated
from tests.running.small_disks import mounted

SHOAL = [sys.executable, "-m", "shoal"]
OLD = disassociated([(3, [["ab", "ab", "a"]], "cd")])
OLD_ITEMS = 4

# Python itself may lie where only root may read, so the privileges go after everything needed was loaded once.
AS_NOBODY = """
import os, sys
import shoal.io.baskets, shoal.pipeline
from shoal.cli.main import run
run(["publish", "disassociate", "-", "-k", "5", "-m", "2", "-o", "/nowhere/release"])
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
sys.exit(run(sys.argv[1:]))
"""


def check_house(house: Path, *, old: bool) -> str:
    """What a killed run left: check that none of it can be mistaken, and say which of the possible ends it was."""
    for path in house.iterdir():
        if path.name != "release":
            assert path.name.startswith(".release.staging-")
            assert path.stat().st_mode & 0o077 == 0, "others may look into what was never verified"
            assert not pipeline.verify(path).holds, f"{path} is taken for a release"
    target = house / "release"
    if target.exists():
        verdict = pipeline.verify(target)
        if verdict.holds:
            return "old" if verdict["vocabulary"].checked == OLD_ITEMS else "new"
        assert (target / UNVERIFIED_MANIFEST).is_file(), str(verdict)
        assert "did not finish" in str(verdict)
    assert not old, "the name does not lead to a whole release"
    return "nothing"


@pytest.fixture(scope="module")
def baskets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("baskets") / "baskets.dat"
    write_quest(path, 20_000, n_items=300, seed=3)
    with path.open("a") as file:
        file.write("1 a-rare-item\n")  # of which a run warns: so that a test sees when it has read its input
    return path


def publish(baskets: Path, target: Path, *options: str) -> list[str]:
    return [*SHOAL, "publish", "disassociate", str(baskets), "-k", "5", "-m", "2", "-o", str(target), *options]


@pytest.fixture(scope="module")
def duration(baskets: Path, tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long a whole run takes here and now."""
    house = tmp_path_factory.mktemp("whole")
    subprocess.run(publish(baskets, house / "first"), check=True, capture_output=True)  # kernels may be compiled here
    started = time.monotonic()
    subprocess.run(publish(baskets, house / "release"), check=True, capture_output=True)
    return time.monotonic() - started


@pytest.mark.parametrize("force", [False, True], ids=["new", "force"])
def test_killed_after_random_delays(
    baskets: Path, duration: float, tmp_path: Path, force: bool, record_property: pytest.RecordProperty
) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}, a run takes {duration:.2f} s")
    chance = random.Random(seed)
    # A third anywhere, the others around the end, where files are written, read back and moved.
    delays = [chance.uniform(0, duration) for _ in range(3)]
    delays += [chance.uniform(duration * 0.7, duration * 1.1) for _ in range(6)]
    ends = []
    for number, delay in enumerate(delays):
        house = tmp_path / str(number)
        house.mkdir()
        if force:
            pipeline.write(OLD, house / "release")
        command = publish(baskets, house / "release", *(["--force"] if force else []))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(delay)
        process.kill()
        process.wait()
        ends.append(check_house(house, old=force))
        shutil.rmtree(house)
    record_property("ends", ends)
    print(ends)
    assert len(ends) == 9


# --- Ctrl-C --------------------------------------------------------------------------------------------------------


def test_control_c_waits_for_the_next_step_and_a_second_one_does_not() -> None:
    reached: list[str] = []

    def once() -> None:
        with interruption_between_steps(lambda stage, _done, _total: reached.append(stage)) as step:
            step("first", 0, 1)
            signal.raise_signal(signal.SIGINT)
            reached.append("still going on")
            step("second", 0, 1)
            reached.append("not stopped")

    def twice() -> None:
        with interruption_between_steps(lambda _stage, _done, _total: None):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            reached.append("not stopped")

    def to_the_end() -> None:
        with interruption_between_steps(lambda _stage, _done, _total: None):
            signal.raise_signal(signal.SIGINT)
            reached.append("the end")

    for work in (once, twice, to_the_end):
        with pytest.raises(KeyboardInterrupt):
            work()
    assert reached == ["first", "still going on", "the end"]


ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.mark.parametrize("number", ENDS, ids=lambda number: signal.Signals(number).name)
def test_an_interrupted_run_leaves_nothing_behind(
    baskets: Path, duration: float, tmp_path: Path, number: signal.Signals
) -> None:
    interrupted = 0
    for share in (0, 0.1, 0.3):
        house = tmp_path / str(share)
        house.mkdir()
        process = subprocess.Popen(
            publish(baskets, house / "release"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        assert process.stderr.readline().startswith("warning: ")
        time.sleep(duration * share)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
        assert "Traceback" not in said, said
        if [path.name for path in house.iterdir()] == ["release"]:  # a fast moment of the machine: it was done already
            assert pipeline.verify(house / "release").holds
            continue
        interrupted += 1
        # Python itself may end as if killed by the signal (it does when some exec() was interrupted), which a shell
        # reports as 130 too.
        assert process.returncode in (ENDS[number], -number), said
        assert said.splitlines()[-1] == "interrupted: nothing was published"
        assert list(house.iterdir()) == []
    assert interrupted > 0


def test_a_terminal_that_is_closed_ends_the_run_and_leaves_nothing(baskets: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()

    def at_the_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        publish(baskets, tmp_path / "release"), stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=at_the_terminal
    )
    os.close(theirs)
    said = b""
    while b"warning: " not in said:  # it has read its input
        said += os.read(ours, 65_536)
    os.close(ours)
    assert process.wait(300) == 129
    assert list(tmp_path.iterdir()) == []


# --- a full disk, and a folder that may not be written -------------------------------------------------------------


def assert_clear_refusal(done: subprocess.CompletedProcess[str], house: Path, reason: str) -> None:
    assert done.returncode == 2, done.stderr
    *_, last = done.stderr.splitlines()
    assert last.startswith(f"error: cannot write {house / 'release'}: {reason}")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(house.iterdir()) == []


def test_a_file_that_cannot_grow_is_refused(baskets: Path, tmp_path: Path) -> None:
    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    done = subprocess.run(
        publish(baskets, tmp_path / "release"), capture_output=True, text=True, preexec_fn=small_files, check=False
    )
    assert_clear_refusal(done, tmp_path, "File too large. Nothing was published.")


@pytest.mark.parametrize("pages", [1, 4, 16])
def test_a_full_disk_is_refused(baskets: Path, tmp_path: Path, pages: int) -> None:
    with mounted(tmp_path / "disk", "-o", f"size={pages * 4096}") as disk:
        done = subprocess.run(publish(baskets, disk / "release"), capture_output=True, text=True, check=False)
        assert_clear_refusal(done, disk, "No space left on device. Nothing was published.")


def test_a_full_disk_keeps_the_old_release(baskets: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-o", f"size={24 * 4096}") as disk:
        pipeline.write(OLD, disk / "release")
        command = publish(baskets, disk / "release", "--force")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stderr
        assert "No space left on device. Nothing was published." in done.stderr
        assert check_house(disk, old=True) == "old"
        assert [path.name for path in disk.iterdir()] == ["release"]


def test_a_disk_that_may_only_be_read_is_refused(baskets: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-o", "ro") as disk:
        done = subprocess.run(publish(baskets, disk / "release"), capture_output=True, text=True, check=False)
        assert_clear_refusal(done, disk, f"the folder {disk} is not writable")


def test_a_folder_of_somebody_else_is_refused() -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    # Not tmp_path: that lies in a folder which nobody else may enter.
    with tempfile.TemporaryDirectory() as folder:
        house = Path(folder)
        source = house.with_name(house.name + ".dat")
        source.write_text("a b\n" * 10)
        house.chmod(0o755)
        nobody = [sys.executable, "-c", AS_NOBODY]
        try:
            command = [*nobody, *publish(source, house / "release")[len(SHOAL) :]]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert_clear_refusal(done, house, f"the folder {house} is not writable")
            house.chmod(0o700)
            command = [*nobody, "verify", str(house / "release")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 2, done.stderr
            assert "Permission denied" in done.stderr
            assert "Traceback" not in done.stderr
        finally:
            source.unlink()
