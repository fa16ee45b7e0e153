"""The SQL of docs/without-shoal.md says what shoal query says, on the same releases, in three lines at most."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.cli.main import run

PAGE = Path(__file__).parents[2] / "docs" / "without-shoal.md"
BLOCKS = re.findall(r"```(sh|python|sql)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def command(line: str) -> str:
    """What a command of the page prints."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
        assert run(shlex.split(line)[1:]) == 0, line
    return shown.getvalue()


def answer(line: str) -> dict[str, Any]:
    """What ``shoal query --json`` says of the one thing that it was asked."""
    said = json.loads(command(line))
    (entries,) = [entries for entries in said.values() if isinstance(entries, list)]
    (entry,) = entries
    return {**{name: value for name, value in said.items() if not isinstance(value, list)}, **entry}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, dict[str, Any] | None, dict[str, Any] | None]]:
    """Each SQL of the page, the first row of its result, and the answer of the command right below it, if one is."""
    found: list[tuple[str, dict[str, Any] | None, dict[str, Any] | None]] = []
    with contextlib.chdir(tmp_path_factory.mktemp("page")):
        for place, (language, text) in enumerate(BLOCKS):
            if language == "python":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(text, PAGE.name, "exec"), {"__name__": "__main__"})
            elif language == "sql":
                rows = duckdb.sql(text)
                first = next((dict(zip(rows.columns, row, strict=True)) for row in rows.fetchall()), None)
                _, below = BLOCKS[place + 1]
                found.append((text, first, answer(below) if below.startswith("shoal query") else None))
            elif not text.startswith("shoal query"):
                for line in text.splitlines():
                    command(line)
    return found


def test_every_result_is_what_shoal_query_says(answers):
    compared = set()
    for text, row, said in answers:
        assert row is not None, text
        assert None not in row.values(), text
        if said is not None:
            same = set(row) & set(said)
            for name in same:
                assert row[name] == pytest.approx(said[name], abs=1e-9), f"{name} in\n{text}"
            compared |= {(re.search(r"'(\w+)/", text)[1], name) for name in same}
    # Every shape, each by everything that SQL can tell of it.
    assert compared == {
        ("chunks", "records"),
        ("chunks", "least"),
        ("groups", "expected"),
        ("groups", "least"),
        ("groups", "most"),
        ("general", "least"),
        ("general", "most"),
        ("masked", "support"),
        ("mixed", "support"),
        ("categories", "least"),
        ("categories", "most"),
        ("noisy", "count"),
    }


def test_subrecords_with_two_items_are_a_lower_bound_that_is_worth_something(answers):
    ((_, row, said),) = [entry for entry in answers if entry[1] and "together" in entry[1]]
    assert 0 < row["together"] <= said["least"] <= said["most"]


def test_a_generalized_table_leaves_something_open(answers):
    ((_, row, _),) = [entry for entry in answers if "'general/hierarchies.parquet'" in entry[0]]
    assert 0 < row["least"] < row["most"]


def test_no_sql_of_the_page_takes_more_than_three_lines_or_two_statements(answers):
    for text, _, _ in answers:
        assert len(text.strip().splitlines()) <= 3, text
        assert text.count(";") == 1, text


def test_pandas_and_polars_count_what_duckdb_counts(tmp_path):
    shoal.disassociate(shoal.quest(300, n_items=30, seed=1), 3, 2).write(tmp_path / "chunks")
    path = tmp_path / "chunks" / "subrecords.parquet"
    word = shoal.read_release(tmp_path / "chunks").words[0]
    counted = duckdb.sql(f"select count(*) from '{path}' where list_contains(items, '{word}')").fetchall()[0][0]
    assert counted == pd.read_parquet(path)["items"].map(lambda items: word in items).sum() > 0
    assert counted == pl.read_parquet(path)["items"].list.contains(word).sum()


def test_the_estimate_is_no_longer_right_with_another_chance(answers):
    ((text, row, said),) = [entry for entry in answers if "'masked/manifest.json'" in entry[0]]
    ((_, raw, _),) = [entry for entry in answers if entry[1] and "published" in entry[1]]
    assert row["support"] == pytest.approx((raw["published"] - 0.05) / 0.9)
    assert row["support"] != pytest.approx((raw["published"] - 0.1) / 0.8, abs=1e-4)
    assert said["low"] <= row["support"] <= said["high"], text
