"""CSV files for spreadsheets: no cell is a formula unless --raw was given, and a message says what was escaped."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.main import run
from shoal.io.formulas import undo

ITEMS = ("=1+1", "@SUM", "-x", "+y", "tea", "-5")
FORMULAS = set(ITEMS[:4])
PUBLISHED = (
    "disassociate baskets.dat -k 2 -m 2 -o chunks",
    "mask baskets.dat --keep-prob 0.9 -o rows",
    "anatomy people.parquet --quasi =age --sensitive job -l 2 -o groups",
    "k-anonymity people.parquet --quasi =age,job -k 2 -o cells",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Releases of baskets and of tables that hold formulas."""
    monkeypatch.chdir(tmp_path)
    rows = [[ITEMS[at % 6], ITEMS[(at + 1) % 6], "tea"] for at in range(24)]
    (tmp_path / "baskets.dat").write_text("\n".join(" ".join(row) for row in rows) + "\n")
    table = pa.table({"=age": [20 + at % 4 for at in range(24)], "job": [ITEMS[at % 6] for at in range(24)]})
    pq.write_table(table, tmp_path / "people.parquet")
    for command in PUBLISHED:
        assert run(["publish", *command.split(), "--quiet"]) == 0
    return tmp_path


def cells(text: str) -> Iterator[str]:
    for row in csv.reader(io.StringIO(text, newline="")):
        yield from row


WRITTEN = {
    "chunks": "export chunks --to csv -o out.csv",
    "rows": "export rows --to csv -o out.csv",
    "rows of groups": "export groups --to csv --part rows -o out.csv",
    "values of groups": "export groups --to csv --part counts -o out.csv",
    "cells": "export cells --to csv -o out.csv",
    "itemsets": "mine baskets.dat --min-support 1 --max-length 1 -o out.csv",
    "reconstructed, delimited": "reconstruct chunks --format delimited -o out",
    "reconstructed, long": "reconstruct chunks --format long -o out",
    "reconstructed table": "reconstruct groups --format csv -o out",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_no_cell_is_a_formula_unless_raw(name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def written(*more: str) -> tuple[list[str], str]:
        capfd.readouterr()
        assert run([*WRITTEN[name].split(), "--force", *more]) == 0
        path = next(path for path in (*folder.glob("out.csv"), *folder.glob("out/*")))
        return list(cells(path.read_text(encoding="utf-8"))), capfd.readouterr().err

    escaped, said = written()
    raw, said_of_raw = written("--raw")
    assert not [cell for cell in escaped if cell.startswith(("=", "+", "@")) or cell == "-x"]
    held = name != "itemsets"  # lists are JSON arrays, which begin with a bracket
    assert ("an apostrophe was put before" in said) is held
    assert ("do not open the file with" in said_of_raw) is held
    assert bool(FORMULAS & set(raw) or "=age" in raw) is held
    assert (set(escaped) != set(raw)) is held
    if "reconstructed" not in name:  # which draws another one
        assert undo(pa.array(escaped)).to_pylist() == raw


@pytest.mark.parametrize("to", ["jsonl", "fimi"])
def test_formats_that_are_no_spreadsheets_hold_words_as_they_are(
    to: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "rows", "--to", to, "-o", "out"]) == 0
    text = (folder / "out").read_text(encoding="utf-8")
    assert "'=1+1" not in text
    assert "=1+1" in text
    assert "apostrophe" not in capfd.readouterr().err
    assert run(["export", "rows", "--to", to, "-o", "other", "--raw"]) == 2
    assert "--raw applies to CSV" in capfd.readouterr().err


def test_an_escaped_file_reads_back_as_it_was(folder: Path) -> None:
    assert run(["reconstruct", "chunks", "--format", "long", "--seed", "1", "-o", "escaped"]) == 0
    assert run(["reconstruct", "chunks", "--format", "long", "--seed", "1", "-o", "raw", "--raw"]) == 0
    read = {
        name: shoal.read(next((folder / name).iterdir()), long=("record", "item")).vocabulary
        for name in ("escaped", "raw")
    }
    assert set(read["raw"].to_pylist()) == set(ITEMS)
    assert set(undo(read["escaped"]).to_pylist()) == set(ITEMS)
    assert not FORMULAS & set(read["escaped"].to_pylist())


def test_what_the_generators_write_begins_no_formula(folder: Path) -> None:
    for command in ("people --rows 300", "sample people"):
        assert run(["generate", *command.split(), "-o", str(folder / "made.csv"), "--force", "--quiet"]) == 0
        texts = pa.array(list(cells((folder / "made.csv").read_text(encoding="utf-8"))))
        assert json.dumps(undo(texts).to_pylist()) == json.dumps(texts.to_pylist())
        assert not [text for text in texts.to_pylist() if text.startswith(("=", "+", "-", "@"))]
