"""``shoal export``: every format can be read back, and a failed one leaves nothing."""

from __future__ import annotations

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from shoal import pipeline
from shoal.io.release_folder import read_release
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import disassociated
from tests.running.commands import shoal


def nodes_of(release: Disassociated) -> list[dict[str, Any]]:
    """A release as plain Python, read off its arrays."""
    words = release.words
    made: list[dict[str, Any]] = []
    for cluster in range(release.n_clusters):
        first, last = release.term_offsets[cluster : cluster + 2].tolist()
        parent = int(release.cluster_parent[cluster])
        terms = [words[code] for code in release.term_items[first:last].tolist()]
        made.append({"size": int(release.cluster_size[cluster]), "joint": parent, "chunks": [], "terms": terms})
    for chunk, owner in enumerate(release.chunk_owner.tolist()):
        first, last = release.chunk_offsets[chunk : chunk + 2].tolist()
        rows = []
        for row in range(first, last):
            start, end = release.subrecord_offsets[row : row + 2].tolist()
            rows.append([words[code] for code in release.items[start:end].tolist()])
        made[owner]["chunks"].append(rows)
    return made


@pytest.fixture
def joint(tmp_path: Path) -> Path:
    """A release with a joint cluster, and words that need quoting in every format."""
    nodes = [([(3, [[['a "x"', "b,c"]] * 3], "c"), (3, [], ["é", "f\ng", "\N{SHARK}"])], [["x"] * 4]), (3, [], "q")]
    pipeline.write(disassociated(nodes, k=3, m=2), tmp_path / "joint")
    return tmp_path / "joint"


@pytest.mark.parametrize("name", ["release", "joint"])
def test_exported_json_lines_are_the_release(
    capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest, name: str
) -> None:
    folder = request.getfixturevalue(name)
    code, out, err = shoal(capfd, "export", folder)
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    expected = nodes_of(read_release(folder))
    assert [line["cluster"] for line in lines] == list(range(len(expected)))
    for line, node in zip(lines, expected, strict=True):
        assert line["size"] == node["size"]
        assert line["joint"] == (None if node["joint"] < 0 else node["joint"])
        assert line.get("record_chunks", line.get("shared_chunks")) == node["chunks"]
        assert line["term_chunk"] == node["terms"]


@pytest.mark.parametrize("name", ["release", "joint"])
def test_exported_csv_is_the_release(
    capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest, name: str
) -> None:
    folder = request.getfixturevalue(name)
    code, out, _ = shoal(capfd, "export", folder, "--to", "csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["cluster", "size", "kind", "chunk", "subrecord", "item"]
    expected = nodes_of(read_release(folder))
    found: list[dict[str, Any]] = [{"chunks": {}, "terms": []} for _ in expected]
    for row in rows:
        node = found[int(row["cluster"])]
        assert int(row["size"]) == expected[int(row["cluster"])]["size"]
        if row["kind"] == "term":
            assert (row["chunk"], row["subrecord"]) == ("", "")
            node["terms"].append(row["item"])
        else:
            node["chunks"].setdefault(int(row["chunk"]), {}).setdefault(int(row["subrecord"]), []).append(row["item"])
    for node, wanted in zip(found, expected, strict=True):
        assert [list(rows.values()) for _, rows in sorted(node["chunks"].items())] == wanted["chunks"]
        assert node["terms"] == wanted["terms"]


def test_exported_fimi_is_the_release(capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.fimi"
    code, printed, err = shoal(capfd, "export", release, "--to", "fimi", "-o", out)
    assert (code, printed) == (0, "")
    assert f"wrote {out}" in err
    found: list[dict[str, Any]] = []
    for line in out.read_text().splitlines():
        if line.startswith("# cluster"):
            found.append({"chunks": [], "terms": []})
            to: Any = None
        elif line.startswith("# term chunk"):
            to = found[-1]["terms"]
        elif line.startswith("#"):
            found[-1]["chunks"].append([])
            to = found[-1]["chunks"][-1]
        else:
            to.append(line.split())
    for node, wanted in zip(found, nodes_of(read_release(release)), strict=True):
        assert node["chunks"] == wanted["chunks"]
        assert node["terms"] == ([wanted["terms"]] if wanted["terms"] else [])


def test_export_that_cannot_be_done_leaves_no_file(
    capfd: pytest.CaptureFixture[str], joint: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.fimi"
    out.write_text("mine")
    code, _, err = shoal(capfd, "export", joint, "--to", "fimi", "-o", out, "--force")
    assert code == 2
    assert "which this format cannot carry: export as jsonl or csv" in err
    assert out.read_text() == "mine"
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]


def test_export_replaces_with_force_only(capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    code, _, err = shoal(capfd, "export", release, "-o", out)
    assert code == 2
    assert "exists already; choose another name, or --force to replace it" in err
    assert out.read_text() == "mine"
    assert shoal(capfd, "export", release, "-o", out, "--force")[0] == 0
    assert out.read_text() == shoal(capfd, "export", release)[1]


def test_export_to_a_device_does_not_replace_the_device(
    capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"  # and not the null device: a mistake would replace that for the whole system
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        assert shoal(capfd, "export", release, "-o", pipe, "--force")[0] == 0
        assert pipe.is_fifo()
        assert read.result(timeout=300) == shoal(capfd, "export", release)[1]
