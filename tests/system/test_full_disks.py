"""Every command that writes, on a disk that is full: it says so, leaves nothing, and keeps what was there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running.commands import shoal
from tests.running.small_disks import mounted

Captured = pytest.CaptureFixture[str]
PAGE = 4096


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Baskets, a table and a release, on a disk that has room."""
    from shoal.cli.main import run

    made = tmp_path_factory.mktemp("inputs")
    quest = ["generate", "quest", "--records", "2000", "--items", "60", "--seed", "1", "-o", str(made / "baskets.dat")]
    people = ["generate", "people", "--rows", "2000", "--seed", "1", "-o", str(made / "people.csv")]
    mask = ["mask", str(made / "baskets.dat"), "--keep-prob", ".9", "--seed", "1", "-o", str(made / "release")]
    disassociate = ["disassociate", str(made / "baskets.dat"), "-k", "3", "-m", "2", "-o", str(made / "parts")]
    for command in (quest, people, ["publish", *mask], ["publish", *disassociate, "--save-plan", str(made / "plan")]):
        assert run([*command, "--quiet"]) == 0
    return made


COMMANDS = [
    "export {inputs}/release --to csv -o {disk}/old --force",
    "reconstruct {inputs}/parts -o {disk}/folder",
    "report {inputs}/release --public -o {disk}/old --force",
    "report {inputs}/release --public -o {inputs}/page.html --charts {disk}/folder --force",
    "generate quest --records 5000 -o {disk}/old --force",
    "generate people --rows 5000 -o {disk}/old --force",
    "generate hierarchy {inputs}/people.csv --kind prefixes --column postcode -o {disk}/old --force",
    "mine {inputs}/baskets.dat --min-support .005 -o {disk}/old.csv --force",
    "compare {inputs}/baskets.dat --methods mask --top 50 -o {disk}/folder --json",
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.split()[:2]))
def test_a_full_disk_is_said_and_changes_nothing(inputs: Path, tmp_path: Path, capfd: Captured, command: str) -> None:
    with mounted(tmp_path / "disk", "-o", f"size={4 * PAGE}") as disk:
        old = disk / ("old.csv" if "old.csv" in command else "old")
        old.write_bytes(b"old")
        code, out, err = shoal(capfd, *command.format(inputs=inputs, disk=disk).split())
        assert code == 2, (out, err)
        assert "No space left on device" in out + err
        assert "Traceback" not in err
        assert old.read_bytes() == b"old"
        assert list(disk.rglob(".*")) == []
        if "folder" not in command:
            assert list(disk.iterdir()) == [old]
