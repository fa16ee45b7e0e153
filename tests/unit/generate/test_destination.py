"""Where made-up data goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.generate.destination import destination


def write_half(file: Path) -> None:
    with destination(file) as opened:
        opened.write(b"half of")
        raise KeyboardInterrupt


def test_an_interrupted_run_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_half(tmp_path / "new")
    assert not list(tmp_path.iterdir())


def test_what_was_there_before_is_not_deleted(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    with pytest.raises(KeyboardInterrupt):
        write_half(tmp_path / "there")
    assert (tmp_path / "there").exists()
