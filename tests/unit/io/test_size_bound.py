"""What does not say its size is read up to a bound: gzip, standard input, pipes; a file on disk as it is."""

from __future__ import annotations

import gzip
import io
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import InputError
from shoal.io import size_bound
from shoal.io.opening import opened, whole
from shoal.io.size_bound import max_size, size_of

LINES = b"tea milk bread\n" * 1000


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    (tmp_path / "baskets.dat.gz").write_bytes(gzip.compress(LINES))
    return tmp_path / "baskets.dat.gz"


def test_gzip_is_read_up_to_the_bound_and_no_further(packed: Path) -> None:
    assert len(shoal.read(packed, max_size=len(LINES))) == 1000
    with pytest.raises(InputError) as caught:
        shoal.read(packed, max_size=len(LINES) - 1)
    assert str(caught.value) == (f"{packed} holds more than 14,999 bytes, once unpacked: that is what max_size allows")
    with pytest.raises(InputError, match="more than 14,999 bytes"):
        shoal.read_table(packed, max_size=len(LINES) - 1)


def test_without_an_option_memory_at_hand_is_the_bound(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_bound, "available_memory", lambda: 2 * len(LINES) - 2)
    with pytest.raises(InputError, match=r"half of the available memory; a larger max_size raises"):
        shoal.read(packed)
    monkeypatch.setattr(size_bound, "available_memory", lambda: 2 * len(LINES))
    assert len(shoal.read(packed)) == 1000


def test_a_file_on_disk_says_its_size_and_a_pipe_does_not(tmp_path: Path) -> None:
    (tmp_path / "plain.dat").write_bytes(LINES)
    assert len(shoal.read(tmp_path / "plain.dat", max_size=1)) == 1000
    assert len(shoal.read(io.BytesIO(LINES), max_size=1)) == 1000
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(LINES))
    writer.start()
    with pytest.raises(InputError, match="holds more than 100 bytes"), opened(tmp_path / "pipe", max_size=100) as file:
        file.rest()
    writer.join()


def test_the_bound_of_a_block_holds_for_all_that_is_opened_in_it(packed: Path) -> None:
    with max_size(10), pytest.raises(InputError, match="more than 10 bytes"):
        whole(packed)
    assert whole(packed) == LINES


@pytest.mark.parametrize("text", ["", "0", "G", "-1", "1e9", "1X", "nan", "9" * 40])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="give a number of bytes, as in 500M or 20G"):
        size_of(text)


def test_the_option_bounds_every_door_of_the_command_line(packed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(packed), "--max-size", "14K"]) == 2
    assert "holds more than 14,336 bytes" in capsys.readouterr().err
    assert run(["info", str(packed), "--max-size", "15k"]) == 0
    assert run(["info", str(packed), "--quasi", "tea", "--max-size", "1K"]) == 2
    assert "holds more than 1,024 bytes" in capsys.readouterr().err
    assert run(["info", str(packed), "--max-size", "many"]) == 2


def test_a_small_file_that_unpacks_to_gigabytes_is_refused_in_little_memory(tmp_path: Path) -> None:
    bomb = tmp_path / "people.csv.gz"
    with gzip.open(bomb, "wb", 1) as file:
        for _ in range(1500):
            file.write(b"a,b,c\n" * 174_763)
    assert bomb.stat().st_size < 10_000_000
    limit = 2 * 2**30
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "info", str(bomb), "--quasi", "a"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 2
    assert "half of the available memory" in done.stderr
