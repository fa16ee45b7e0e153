"""``shoal show``: drawn as in the paper, at any width, whatever the items are called."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import pipeline
from tests.making.disassociated_releases import disassociated
from tests.running.commands import shoal


@pytest.fixture
def figure2(tmp_path: Path) -> Path:
    """The release of the paper's figure 2b."""
    one = [["itunes", "flu", "madonna"]] * 2 + [["madonna", "flu"], ["itunes", "madonna"], ["itunes", "flu"]]
    two = [["madonna", "digital camera"], ["iphone sdk", "madonna"], ["iphone sdk", "digital camera"]]
    two += [["iphone sdk", "digital camera", "madonna"]] * 2
    nodes = [
        (5, [one, [["audi a4", "sony tv"]] * 3], ["ikea", "viagra", "ruby"]),
        (5, [two], ["panic disorder", "playboy", "ikea", "ruby"]),
    ]
    target = tmp_path / "figure2"
    pipeline.write(disassociated(nodes, k=3, m=2), target)
    return target


def test_show_draws_figure_2b(capfd: pytest.CaptureFixture[str], figure2: Path) -> None:
    code, out, err = shoal(capfd, "show", figure2)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    start = lines.index("Cluster 0: 5 records")
    assert lines[start + 2].split("  ")[0].strip() == "Record chunk 1"
    assert " Record chunk 1              Record chunk 2          Term chunk" in lines
    assert " {flu, itunes}               {audi a4, sony tv} \N{MULTIPLICATION SIGN}3   ikea, ruby, viagra" in lines
    assert " {flu, itunes, madonna} \N{MULTIPLICATION SIGN}2" in lines
    assert "Cluster 1: 5 records" in lines
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_show_fits_the_terminal(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    many = [[[f"item-{chunk}-{n}" for n in range(3)]] * 3 for chunk in range(12)]
    pipeline.write(disassociated([(3, many, "z")], k=3, m=1), tmp_path / "release")
    out = shoal(capfd, "show", tmp_path / "release")[1]
    assert all(len(line) <= width for line in out.splitlines())
    assert "Record chunk 12" in out
    assert out.count("Term chunk") == 1
    for chunk in range(12):
        assert f"item-{chunk}-2}} \N{MULTIPLICATION SIGN}3" in " ".join(out.split())


def test_show_one_cluster_few_rows_and_what_is_hidden(capfd: pytest.CaptureFixture[str], figure2: Path) -> None:
    code, out, _ = shoal(capfd, "show", figure2, "--cluster", 1)
    assert code == 0
    assert "Cluster 1" in out
    assert "Cluster 0" not in out
    assert "more" not in out
    out = shoal(capfd, "show", figure2, "--limit", 1, "--rows", 2)[1]
    assert "... 2 more" in out  # of five subrecords, three of which were shown on two lines
    assert "... and 1 more: --limit 2 shows all of them" in out


def test_show_draws_joint_clusters(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    joint = ([(3, [["ab"] * 3], "c"), (3, [["de"] * 3], "f")], [["x"] * 4])
    pipeline.write(disassociated([joint], k=3, m=2), tmp_path / "release")
    out = shoal(capfd, "show", tmp_path / "release")[1]
    assert "2 clusters, 1 joint cluster" in out
    assert "Shared chunk 1" in out
    assert "Cluster 1: 3 records, in joint cluster 0" in out


def test_show_says_the_promise_in_our_words(capfd: pytest.CaptureFixture[str], figure2: Path) -> None:
    # A manifest could say anything; only its numbers are audited.
    path = figure2 / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["promises"][0]["words"] = "Nobody can ever be identified."
    path.write_text(json.dumps(manifest))
    code, out, _ = shoal(capfd, "show", figure2)
    assert code == 0
    assert "Nobody" not in out
    assert "at least 3 records contain the set" in " ".join(out.split())


HOSTILE = ["\x1b[31mred\x1b[0m", "\x9b2J", "a\nb", "\u202eevil", "\x07", "", " ", "{a, b}", "tab\tbed"]


def test_items_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipeline.write(disassociated([(3, [[HOSTILE] * 3], ["\x1b]0;title\x07"])], k=3, m=2), tmp_path / "release")
    path = tmp_path / "baskets.parquet"
    pq.write_table(pa.table({"items": [[item for item in HOSTILE if item]] * 3}), path)
    commands: list[list[object]] = [
        ["show", tmp_path / "release"],
        ["verify", tmp_path / "release", "--original", path],
        ["verify", tmp_path / "release", "--original", path, "--json"],
        ["info", path, "--top", 20],
        ["info", path, "--top", 20, "--json"],
        ["publish", "disassociate", path, "-k", 2, "-m", 1, "-l", 2, "--sensitive", "\x1b[31m", "-o", tmp_path / "x"],
        ["info", tmp_path / "\x1b[31mno\x9bwhere"],
        ["info", path, "--column", "\x1b[31m"],
    ]
    for command in commands:
        _, out, err = shoal(capfd, *command)
        assert all(c.isprintable() or c == "\n" for c in out + err), (command, out, err)
    out = shoal(capfd, "show", tmp_path / "release")[1]
    assert r"'\x1b[31mred\x1b[0m'" in out
    assert "''" in out
    assert "'{a, b}'" in out
    seen = json.loads(shoal(capfd, "info", path, "--top", 20, "--json")[1])
    assert {item for item, _ in seen["top_items"]} >= {"\x1b[31mred\x1b[0m", "\x9b2J", "\u202eevil"}
