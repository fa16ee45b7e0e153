"""A release on disk, to be damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.io.release_folder import read_release, write_release
from tests.making.disassociated_releases import disassociated


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A release with two leaves in a joint, record chunks, a shared chunk, term chunks and a sensitive item."""
    made = tmp_path / "release"
    made.mkdir()
    joint = ([(3, [["ab", "ab", "a"]], "cv"), (2, [["a", "a"]], "d")], [["x", "x"]])
    write_release(disassociated([joint, (2, [], "efv")], sensitive=["v"]), made)
    read_release(made)
    return made
