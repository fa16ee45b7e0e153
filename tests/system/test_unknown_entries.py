"""A manifest that says more than the schema knows: the auditor names every such entry, and confirms nothing."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import shoal
from shoal.cli.main import run
from shoal.pipeline.verifying import UNKNOWN_ENTRIES
from tests.making.release_folders import RELEASES, write_all

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/release-manifest.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_all(tmp_path_factory.mktemp("releases"))


def objects(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all objects of a manifest."""
    if isinstance(value, dict):
        yield way
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from objects(inner, (*way, name))


def with_entry(manifest: dict[str, Any], way: tuple[Any, ...], name: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(manifest)
    place: Any = changed
    for step in way:
        place = place[step]
    place[name] = value
    return changed


@pytest.mark.parametrize("name", [*RELEASES, "marked"])
def test_an_entry_that_the_schema_does_not_know_is_named_wherever_it_is(folders, tmp_path, name):
    folder = tmp_path / "release"
    shutil.copytree(folders[name], folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    before = shoal.verify(folder)
    assert before.holds
    assert UNKNOWN_ENTRIES not in str(before)
    ways = list(objects(manifest))
    assert {(), ("counts",), ("promises", 0), ("files", 0)} <= set(ways)
    for way in ways:
        changed = with_entry(manifest, way, "patients", ["Alice: flu", "Bob: asthma"])
        assert not Draft202012Validator(SCHEMA).is_valid(changed), way
        (folder / "manifest.json").write_text(json.dumps(changed), encoding="utf-8")
        verdict = shoal.verify(folder)
        assert not verdict.confirmed, way
        assert "patients" in str(verdict), way
        assert "Alice" not in str(verdict) or not verdict.holds
        if way == () or way[0] == "promises":
            assert verdict.holds, way  # as for other files: what is known of it still holds
            assert UNKNOWN_ENTRIES in verdict.head


def test_a_value_where_only_a_mark_should_be_is_named_too(folders, tmp_path, capsys):
    folder = tmp_path / "release"
    shutil.copytree(folders["anatomy, with a seed"], folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["reproducible"] = "Alice: flu, Bob: asthma"
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert run(["verify", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert f"left out: {UNKNOWN_ENTRIES}: reproducible: not an entry of such a release" in " ".join(shown.split())
    assert "Alice" not in shown


def test_names_of_unknown_entries_are_cut_and_cannot_steer_a_terminal(folders, tmp_path, capsys):
    folder = tmp_path / "release"
    shutil.copytree(folders["mask"], folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    more = {"\x1b[2J": 1, "\u202eevil": 1, "x" * 90_000: 1, "fourth": 1, "fifth": 1}
    (folder / "manifest.json").write_text(json.dumps({**manifest, **more}), encoding="utf-8")
    assert run(["verify", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "'\\x1b[2J', '\\u202eevil', 'xxxxx" in shown
    assert "and 2 more" in shown
    assert "fourth" not in shown
    assert len(shown) < 5_000
    assert "\x1b" not in shown
    assert "\u202e" not in shown
