"""Too little memory, too few descriptors or processes: never a verdict on a sound release, but what to raise."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.making.release_folders import RELEASES

SHOAL = [sys.executable, "-m", "shoal"]
MEGABYTE = 2**20
ONE_OF_A_SHAPE = ("disassociated", "anatomy", "bottom-up", "mask", "generalized baskets", "noisy baskets")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("releases")
    for name in ONE_OF_A_SHAPE:
        RELEASES[name]().write(place / name)
    return place


def verified(folder: Path, limit: Callable[[], None], *before: str) -> subprocess.CompletedProcess[str]:
    command = [*before, *SHOAL, "verify", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=900, check=False)
    assert "FAILS" not in done.stdout, done.stdout
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 2), (done.returncode, done.stderr)
    return done


def limited(which: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(which, (most, most))


@pytest.mark.parametrize("name", ONE_OF_A_SHAPE)
def test_too_little_address_space(folders: Path, name: str) -> None:
    codes = []
    for megabytes in (200, 550, 650, 800, 2400):
        done = verified(folders / name, limited(resource.RLIMIT_AS, megabytes * MEGABYTE))
        codes.append(done.returncode)
        if done.returncode:
            said = (
                f"not enough memory, which says nothing about the data: raise ulimit -v (now {megabytes * 1024:,} kB)"
            )
            assert said in done.stderr or "too large for this machine" in done.stderr, done.stderr
    assert codes == sorted(codes, reverse=True)
    assert (codes[0], codes[-1]) == (2, 0)


@pytest.mark.parametrize("name", ONE_OF_A_SHAPE)
def test_too_few_descriptors(folders: Path, name: str) -> None:
    codes = []
    for files in (5, 7, 9, 11, 13, 18):
        done = verified(folders / name, limited(resource.RLIMIT_NOFILE, files))
        codes.append(done.returncode)
        if done.returncode:
            said = f"too few open files are allowed, which says nothing about the data: raise ulimit -n (now {files})"
            assert said in done.stderr, done.stderr
    assert codes == sorted(codes, reverse=True)
    assert (codes[0], codes[-1]) == (2, 0)


def test_too_few_processes(folders: Path, request: pytest.FixtureRequest) -> None:
    name, before = "disassociated", []
    place = Path(tempfile.mkdtemp())  # that of the tests is root's alone
    request.addfinalizer(lambda: shutil.rmtree(place))
    place.chmod(0o755)
    shutil.copytree(folders / name, place / name)
    if os.getuid() == 0:  # who has no such limit; another user may read what root may, and nothing else
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("only root can become somebody else")
        keep = ["--inh-caps", "+dac_override,+dac_read_search", "--ambient-caps", "+dac_override,+dac_read_search"]
        before = [setpriv, "--reuid", "65534", *keep]
    done = verified(place / name, lambda: None, *before)
    assert done.returncode == 0, done.stderr
    done = verified(place / name, limited(resource.RLIMIT_NPROC, 1), *before)
    assert done.returncode == 2
    assert "too few processes or threads are allowed, which says nothing about the data: raise ulimit -u (now 1)" in (
        done.stderr
    )
