"""The readers of all shapes pass one suite: answers agree with counts of the rows, and what is exported comes back."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.analyse.contents import Wanted
from shoal.analyse.reader import Reader, reader_of
from shoal.cli.main import run
from shoal.errors import InputError
from shoal.io.export.exported import Format
from shoal.mining.task import Task
from shoal.release import Release
from shoal.run import Run
from shoal.shapes import SHAPES
from tests.making.release_folders import RELEASES, tree

ONE_OF_EACH = {
    "disassociated": "disassociated",
    "randomized": "mask",
    "generalized_baskets": "generalized baskets",
    "noisy_baskets": "noisy baskets",
    "bucketized": "anatomy",
    "generalized": "bottom-up",
}
BASKETS = [name for name, shape in SHAPES.items() if shape.data == "baskets"]
QUERY_OPTIONS: dict[str, Any] = {"none_of": (), "of": "age", "term_items": "once"}
MINING_OPTIONS: dict[str, Any] = {
    "term_items": "once",
    "estimator": "matrix",
    "grow_from": "upper",
    "max_candidates": 50,
    "print_thresholds": True,
}
DRAWING_OPTIONS: dict[str, Any] = {"term_items": "uniform", "hierarchy": tree()}
FORMATS = ("jsonl", "csv", "fimi", "parquet")
every_shape = pytest.mark.parametrize("shape", SHAPES)
every_basket_shape = pytest.mark.parametrize("shape", BASKETS)


@cache
def released(shape: str) -> Release:
    release: Release = RELEASES[ONE_OF_EACH[shape]]()
    return release


def reader(shape: str) -> Reader:
    return reader_of(released(shape))


def rows_of(shape: str) -> list[dict[str, Any]]:
    return list(reader(shape).rows())


def question(shape: str) -> tuple[Any, str]:
    """A query, in Python and on the command line."""
    if SHAPES[shape].data == "table":
        return "age >= 30", "age >= 30"
    item = min(counted_items(shape))
    return {item}, f'"{item}"'


def counted_items(shape: str) -> Counter[str]:
    """In how many published rows each item is; of a disassociated release, in how many records for certain."""
    found: Counter[str] = Counter()
    for row in rows_of(shape):
        if shape == "disassociated":
            chunks = row.get("record_chunks", row.get("shared_chunks", []))
            found.update(item for chunk in chunks for subrecord in chunk for item in subrecord)
            found.update(row["term_chunk"])
        else:
            found.update({item: row.get("count", 1) for item in row["items"]})
    return found


def answer(shape: str, item: str) -> float:
    """What brute force answers about one item: a count for certain, or an estimated share."""
    count = counted_items(shape)[item]
    if shape != "randomized":
        return count
    release: Any = released(shape)
    return (count / release.n_rows - (1 - release.promise.keep_prob)) / (2 * release.promise.keep_prob - 1)


def test_there_is_one_of_each_shape() -> None:
    assert set(ONE_OF_EACH) == set(SHAPES)
    assert all(released(shape).shape == shape for shape in SHAPES)


@every_shape
def test_rows_are_the_lines_of_an_export(shape: str) -> None:
    file = io.BytesIO()
    released(shape).export(file)
    assert [json.loads(line) for line in file.getvalue().splitlines()] == rows_of(shape)


@every_shape
def test_contents_are_numbered_and_limited(shape: str) -> None:
    part = SHAPES[shape].part
    contents = released(shape).show(limit=1, rows=1)
    (shown,) = contents.as_json[f"{part}s"]
    assert shown[part] == 0
    assert contents.n_parts == getattr(released(shape), f"n_{part}s")
    assert 0 <= contents.n_hidden < contents.n_parts
    assert contents.summary
    assert list(contents.tables)
    if part != "row":
        last = released(shape).show(contents.n_parts - 1).as_json[f"{part}s"]
        assert [one[part] for one in last] == [contents.n_parts - 1]
        with pytest.raises(InputError, match=f"there is no {part} {contents.n_parts}: they are numbered 0"):
            reader(shape).show(Wanted(contents.n_parts))


@every_shape
def test_a_description_is_what_info_adds(shape: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    released(shape).write(tmp_path / "release")
    assert run(["info", str(tmp_path / "release"), "--json"]) == 0
    printed = json.loads(capfd.readouterr().out)
    described = json.loads(json.dumps(shoal.read_release(tmp_path / "release").describe().numbers))
    assert described.items() <= printed.items()
    assert printed.keys() - described.keys() == {"method", "promises", "counts"}


@every_basket_shape
def test_queries_agree_with_brute_force(shape: str) -> None:
    items = sorted(counted_items(shape))[:20]
    answers = released(shape).query(items)
    assert len(answers) == len(items)
    for item, found in zip(items, answers, strict=True):
        got = {name: getattr(found, name) for name in ("least", "count", "estimate") if hasattr(found, name)}
        assert list(got.values()) == [pytest.approx(answer(shape, item))]


def test_queries_of_rows_in_groups_agree_with_brute_force() -> None:
    groups = rows_of("bucketized")
    old = sum(row["age"] >= 30 for group in groups for row in group["rows"])
    ill = sum(value["count"] for group in groups for value in group["values"] if value["value"] == "influenza")
    asked = released("bucketized").query(["age >= 30", "diagnosis = influenza"])
    assert [(one.least, one.most) for one in asked] == [(old, old), (ill, ill)]


def test_queries_of_generalized_rows_agree_with_brute_force() -> None:
    rows = rows_of("generalized")
    ill = sum(row["diagnosis"] == "influenza" for row in rows)
    suppressed = sum(row["group"] is None for row in rows)
    [asked] = released("generalized").query("diagnosis = influenza")
    assert (asked.least, asked.most) == (ill, ill + suppressed)


@every_shape
def test_a_query_gives_what_the_command_prints(shape: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    release = released(shape)
    release.write(tmp_path / "release")
    query, text = question(shape)
    answers = release.query([query])
    assert run(["query", str(tmp_path / "release"), text, "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == answers.as_dict()
    assert len(answers) == len(list(answers)) == 1
    assert vars(release.query(query if isinstance(query, str) else [*query])[0]) == vars(answers[0])
    drawn = reader(shape).tables_of(answers)
    assert run(["query", str(tmp_path / "release"), text]) == 0
    printed = " ".join(capfd.readouterr().out.split())
    assert printed.startswith(drawn.heading)
    assert printed.endswith(drawn.words)


@every_shape
@pytest.mark.parametrize("option", QUERY_OPTIONS)
def test_an_option_of_queries_works_or_is_refused(shape: str, option: str) -> None:
    given = {option: QUERY_OPTIONS[option]}
    if option in reader(shape).query_options:
        assert len(released(shape).query([question(shape)[0]], **given)) == 1
    else:
        with pytest.raises(InputError, match=f"{option} does not apply to {SHAPES[shape].called}"):
            released(shape).query([question(shape)[0]], **given)


@every_basket_shape
def test_mining_agrees_with_brute_force(shape: str) -> None:
    found = released(shape).mine(0.03, max_length=1).to_arrow().to_pylist()
    assert found
    for row in found:
        value = row.get("least", row.get("count", row["support"]))
        assert value == pytest.approx(answer(shape, row["items"][0]))


@every_shape
@pytest.mark.parametrize("rules", [False, True])
def test_mining_gives_what_the_command_prints(
    shape: str, rules: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    release = released(shape)
    release.write(tmp_path / "release")
    more = ["--rules"] if rules else []
    code = run(["mine", str(tmp_path / "release"), "--min-support", ".03", "--json", *more])
    if SHAPES[shape].data == "table":
        assert code == 2
        with pytest.raises(InputError, match=f"found in baskets, and this is {SHAPES[shape].called}"):
            release.mine(0.03, rules=rules)
        return
    assert code == 0
    printed = json.loads(capfd.readouterr().out)
    found = release.mine(0.03, rules=rules)
    assert len(found) == len(printed["rules" if rules else "itemsets"] if found.said else printed) > 0
    assert found.said.items() <= (printed if isinstance(printed, dict) else {}).items()


@every_basket_shape
@pytest.mark.parametrize("option", MINING_OPTIONS)
def test_an_option_of_mining_works_or_is_refused(shape: str, option: str) -> None:
    release = RELEASES["fakes"]() if option == "print_thresholds" and shape == "randomized" else released(shape)
    given = {option: MINING_OPTIONS[option]}
    if option in reader(shape).mining_options:
        assert len(release.mine(0.03, **given)) > 0
    else:
        with pytest.raises(InputError, match=f"{option} does not apply to {SHAPES[shape].called}: leave"):
            release.mine(0.03, **given)


@every_basket_shape
def test_closed_sets_are_found_where_counts_are_exact(shape: str) -> None:
    if "kind" in reader(shape).mining_options:
        assert len(released(shape).mine(0.03, kind="closed")) > 0
    else:
        with pytest.raises(InputError, match=f"need exact counts, and this is {SHAPES[shape].called}: leave out"):
            reader(shape).mine(Task(0.03, kind="closed"))


@every_shape
def test_originals_are_drawn_or_refused_with_what_to_do_instead(shape: str) -> None:
    if reader(shape).instead_of_originals:
        with pytest.raises(InputError, match=f"this is {SHAPES[shape].called}.* shoal export writes"):
            released(shape).reconstruct()
        return
    given = {"hierarchy": tree()} if "hierarchy" in reader(shape).drawing_options else {}
    originals = reader(shape).originals(**given)
    (drawn,) = released(shape).reconstruct(**given)
    number = next(value for key, value in originals.counts.items() if key in ("records", "rows"))
    assert len(drawn) == number
    assert originals.size.startswith(f"{number:,} ")
    assert originals.meaning
    with pytest.raises(InputError, match=r"n (is|must)"):
        released(shape).reconstruct(0, **given)
    if originals.are_drawn:
        first, second = (list(released(shape).reconstruct(2, run=Run(chance=1), **given)) for _ in range(2))
        assert [plain(one) for one in first] == [plain(one) for one in second]
        assert len({str(plain(one)) for one in first}) == 2
    else:
        for wrong in ({"n": 2}, {"run": Run(chance=1)}):
            with pytest.raises(InputError, match=f"nothing is drawn from {SHAPES[shape].called}"):
                released(shape).reconstruct(**wrong)


def plain(original: Any) -> Any:
    return original.to_arrow().to_pylist() if isinstance(original, shoal.Table) else [sorted(one) for one in original]


@every_shape
@pytest.mark.parametrize("option", DRAWING_OPTIONS)
def test_an_option_of_drawing_works_or_is_refused(shape: str, option: str) -> None:
    given = {option: DRAWING_OPTIONS[option]}
    if option in reader(shape).drawing_options:
        assert list(released(shape).reconstruct(**given))
    elif not reader(shape).instead_of_originals:
        with pytest.raises(InputError, match=f"{option} does not apply to {SHAPES[shape].called}"):
            released(shape).reconstruct(**given)


def exported(shape: str, format: str, part: str | None = None) -> bytes:
    file = io.BytesIO()
    released(shape).export(file, format, part=part)
    return file.getvalue()


def as_csv(shape: str, part: str | None) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.StringIO(exported(shape, "csv", part).decode(), newline=""))


def texts(row: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in row.items()}


def tables(shape: str) -> dict[str | None, list[dict[str, Any]]]:
    """The rows of a release of a table, as CSV and Parquet hold them, by part."""
    if shape == "generalized":
        return {None: rows_of(shape)}
    groups = rows_of(shape)
    return {
        "rows": [{"group": group["group"], **row} for group in groups for row in group["rows"]],
        "counts": [
            {"group": group["group"], group["sensitive"]: value["value"], "count": value["count"]}
            for group in groups
            for value in group["values"]
        ],
    }


@pytest.mark.parametrize("shape", ["bucketized", "generalized"])
def test_exported_tables_come_back(shape: str) -> None:
    for part, rows in tables(shape).items():
        assert list(as_csv(shape, part)) == [texts(row) for row in rows]
        back = pq.read_table(io.BytesIO(exported(shape, "parquet", part)))
        assert back.to_pylist() == rows


@pytest.mark.parametrize("shape", ["randomized", "generalized_baskets", "noisy_baskets"])
def test_exported_rows_come_back(shape: str) -> None:
    rows = rows_of(shape)
    assert pq.read_table(io.BytesIO(exported(shape, "parquet"))).to_pylist() == rows
    lines = exported(shape, "fimi").decode().splitlines()
    repeated = [row["items"] for row in rows for _ in range(row.get("count", 1))]
    # FIMI has no counts: rows are repeated, in the order of their contents.
    assert Counter(tuple(sorted(line.split())) for line in lines) == Counter(tuple(sorted(one)) for one in repeated)
    listed = [
        {"row": number, **({"count": row["count"]} if "count" in row else {}), "item": item}
        for number, row in enumerate(rows)
        for item in row["items"]
    ]
    assert list(as_csv(shape, None)) == [texts(row) for row in listed]


def test_an_exported_release_in_chunks_comes_back() -> None:
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows_of("disassociated"):
        number = str(row["cluster"])
        found.update((number, "term", item) for item in row["term_chunk"])
        for kind in ("record", "shared"):
            chunks = row.get(f"{kind}_chunks", [])
            found.update((number, kind, item) for chunk in chunks for subrecord in chunk for item in subrecord)
    assert Counter((row["cluster"], row["kind"], row["item"]) for row in as_csv("disassociated", None)) == found
    lines = exported("disassociated", "fimi").decode().splitlines()
    words = Counter(word for line in lines if not line.startswith("#") for word in line.split())
    assert words == counted_items("disassociated")


@every_shape
def test_code_reads_it_in_other_programs(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    released(shape).write("release", even_if_empty=True)
    code = reader(shape).elsewhere("release")
    assert code["shell"].startswith("shoal verify release\n")
    exec(code["python"], {})
    assert duckdb.connect().sql(code["sql"].replace("\\n", "\n")).fetchall()


@every_shape
@pytest.mark.parametrize("format", FORMATS)
def test_a_format_is_written_or_refused(shape: str, format: str, tmp_path: Path) -> None:
    release, known = released(shape), reader(shape)
    assert known.halved_in <= known.formats <= set(FORMATS)
    if format not in known.formats:
        with pytest.raises(InputError, match=r"choose jsonl, csv or"):
            release.export(tmp_path / "file", format)
        return
    for part in ("rows", "counts") if format in known.halved_in else (None,):
        form = known.export(Format(format, part))
        assert (form.formulas is not None) == (format == "csv")
        release.export(tmp_path / f"{part}", format, part=part)
        assert (tmp_path / f"{part}").read_bytes()
        with pytest.raises(InputError, match="exists already"):
            release.export(tmp_path / f"{part}", format, part=part)
        release.export(tmp_path / f"{part}", format, part=part, force=True)
    wrong = None if format in known.halved_in else "rows"
    with pytest.raises(InputError, match="part"):
        release.export(tmp_path / "wrong", format, part=wrong)
    with pytest.raises(InputError, match="there is no format 'xml'"):
        release.export(tmp_path / "wrong", "xml")
    assert not (tmp_path / "wrong").exists()


@pytest.mark.parametrize("home", ["analyse", "cli/query", "cli/mine", "cli/info", "cli/risk.py", "cli/privacy.py"])
def test_no_code_asks_which_class_a_release_is(home: str) -> None:
    classes = "|".join(shape.release.partition(":")[2] for shape in SHAPES.values())
    asks = re.compile(rf"isinstance\([^)]*\b({classes})\b")
    place = Path(shoal.__file__).parent / home
    files = [place] if place.is_file() else [*place.rglob("*.py")]
    assert files
    assert [file.name for file in files if asks.search(file.read_text(encoding="utf-8"))] == []
