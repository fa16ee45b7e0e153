"""Commands on generalized baskets and on baskets with noisy counts: what each says, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.io.hierarchies import write_hierarchy
from tests.making.generalized_baskets import generalized_baskets, hierarchy_of, noisy_baskets
from tests.running.commands import shoal

PATHS = {
    "beer": ("beer", "alcohol", "*"),
    "wine": ("wine", "alcohol", "*"),
    "milk": ("milk", "soft", "*"),
    "tea": ("tea", "soft", "*"),
    "bread": ("bread", "food", "*"),
    "jam": ("jam", "food", "*"),
}
TREE = hierarchy_of(PATHS)
RECORDS = [
    frozenset(row.split()) for row in ["beer bread", "wine bread", "beer wine", "milk bread", "milk bread", "beer"]
]
COUNTS = {frozenset({"bread", "milk"}): 40, frozenset({"bread"}): 30, frozenset({"tea"}): 20}
GROUPS = [frozenset({"beer", "wine"})]
TIMES = "\N{MULTIPLICATION SIGN}"


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.dat"
    path.write_text("\n".join(" ".join(sorted(record)) for record in RECORDS) + "\n")
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_hierarchy(TREE, tmp_path / "items.csv")
    return tmp_path / "items.csv"


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    generalized_baskets(RECORDS, TREE, GROUPS, whole=False).write(tmp_path / "cut")
    return tmp_path / "cut"


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    generalized_baskets(RECORDS, TREE, GROUPS).write(tmp_path / "whole")
    return tmp_path / "whole"


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    noisy_baskets(COUNTS, TREE).write(tmp_path / "noisy")
    return tmp_path / "noisy"


def test_generalized_baskets_are_asked_by_the_names_of_groups(capfd: pytest.CaptureFixture[str], cut: Path) -> None:
    code, out, err = shoal(capfd, "query", cut, "alcohol", "alcohol, bread", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["records"] == 6
    assert said["expected_if"] == "a record with a group holds one of its items, each as likely"
    assert said["supports"][1] == {
        "all_of": ["alcohol", "bread"],
        "least": 2,
        "expected": 2.0,
        "deviation": 0.0,
        "most": 2,
    }
    assert said["supports"][0]["least"] == said["supports"][0]["most"] == 4
    out = " ".join(shoal(capfd, "query", cut, "alcohol")[1].split())
    assert "of 6 records:" in out
    assert "alcohol 4 4 4.0 0.0" in out
    assert "a record holds a group if it holds any item of it" in out
    code, _, err = shoal(capfd, "query", cut, "beer")
    assert code == 2
    assert "an item may be hidden in one of 1 published groups" in err


def test_items_below_groups_are_divided_evenly_where_the_hierarchy_is_whole(
    capfd: pytest.CaptureFixture[str], whole: Path
) -> None:
    found = json.loads(shoal(capfd, "query", whole, "beer", "--json")[1])["supports"][0]
    assert (found["least"], found["expected"], found["deviation"], found["most"]) == (0, 2.0, 1.0, 4)


def test_noisy_counts_are_added_up_with_their_error(capfd: pytest.CaptureFixture[str], noisy: Path) -> None:
    said = json.loads(shoal(capfd, "query", noisy, "bread", "soft", "jam", "--json")[1])
    assert said["records"] == 90
    assert [(one["count"], one["baskets"]) for one in said["counts"]] == [(70, 2), (60, 2), (0, 0)]
    # Of 1 the first split, of four that may follow, spends 1/8; a second one, of two, 3/16; the rest is the count's.
    left = [1 - 1 / 8, 1 - 1 / 8 - 3 / 16]
    variances = [2 * math.exp(-budget) / (1 - math.exp(-budget)) ** 2 for budget in left]
    assert said["counts"][0]["error"] == pytest.approx(math.sqrt(sum(variances)))
    out = " ".join(shoal(capfd, "query", noisy, "bread")[1].split())
    assert "of 90 records, by noisy counts:" in out
    assert "bread 70 2.6 2" in out
    assert "Rare baskets are missing, so that the sum is low on average" in out


@pytest.mark.parametrize("kind", ["cut", "noisy"])
def test_options_about_other_releases_are_refused(
    capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    folder = request.getfixturevalue(kind)
    method = {"cut": "km-generalization", "noisy": "diffpart"}[kind]
    called = {"cut": "a release of generalized baskets", "noisy": "a release of noisy counts"}[kind]
    for arguments, said in [
        (["query", folder, "bread", "--none-of", "milk"], f"this is {called}: ask for all items"),
        (["query", folder, "bread", "--of", "age"], "this is a release of baskets"),
        (["query", folder], "nothing is asked"),
        (["mine", folder, "--estimator", "matrix"], "about randomized releases"),
        (["show", folder, "--cluster", "1"], f"--cluster is not about {called}, which has rows (--rows N)"),
        (["export", folder, "--part", "rows"], f"--part is not about {called}: leave it out"),
        (
            ["reconstruct", folder, "-o", tmp_path / "drawn", "--term-items", "uniform"],
            f"--term-items is not about {called}",
        ),
        (["reconstruct", folder, "-o", tmp_path / "drawn", "--format", "csv"], "delimited or long are CSV"),
        (["risk", folder], f"({method}), and this command is for raw data and generalized tables"),
    ]:
        code, _, err = shoal(capfd, *arguments)
        assert (code, said in err) == (2, True), (arguments, err)
    assert not (tmp_path / "drawn").exists()


def test_mining_counts_rows_of_groups(capfd: pytest.CaptureFixture[str], cut: Path) -> None:
    found = json.loads(shoal(capfd, "mine", cut, "--min-support", 2, "--json")[1])
    told = {frozenset(one["items"]): one["count"] for one in found}
    sets = {"bread": 4, "alcohol": 4, "alcohol bread": 2, "milk": 2, "milk bread": 2}
    assert told == {frozenset(names.split()): count for names, count in sets.items()}
    out = " ".join(shoal(capfd, "mine", cut, "--min-support", 2)[1].split())
    assert "5 itemsets in at least 2 of 6 records; counts are exact, and a group stands for any of its items" in out
    rules = json.loads(shoal(capfd, "mine", cut, "--min-support", 2, "--rules", "--json")[1])
    assert {(*rule["antecedent"], *rule["consequent"]): rule["confidence"] for rule in rules}[("milk", "bread")] == 1
    assert len(json.loads(shoal(capfd, "mine", cut, "--min-support", 2, "--maximal", "--json")[1])) == 2


def test_mining_weighs_baskets_by_their_counts(capfd: pytest.CaptureFixture[str], noisy: Path) -> None:
    found = json.loads(shoal(capfd, "mine", noisy, "--min-support", ".4", "--json")[1])
    assert {frozenset(one["items"]): one["count"] for one in found} == {
        frozenset({"bread"}): 70,
        frozenset({"milk"}): 40,
        frozenset({"bread", "milk"}): 40,
    }
    out = " ".join(shoal(capfd, "mine", noisy, "--top", 2)[1].split())
    assert "2 itemsets in at least 1 of 90 records, by noisy counts; rare baskets are missing" in out


def test_groups_become_one_of_their_items(
    capfd: pytest.CaptureFixture[str], cut: Path, whole: Path, tree: Path, tmp_path: Path
) -> None:
    code, _, err = shoal(capfd, "reconstruct", cut, "-o", tmp_path / "drawn")
    assert code == 2
    assert "does not tell what 'alcohol' stands for" in err
    code, out, _ = shoal(capfd, "reconstruct", cut, "-o", tmp_path / "drawn", "--hierarchy", tree, "--seed", 3, "-n", 2)
    assert code == 0
    assert "its records give back exactly the rows of the release" in " ".join(out.split())
    shoal(capfd, "reconstruct", whole, "-o", tmp_path / "same", "--seed", 3, "-n", 2)
    for number in ("01", "02"):
        name = f"reconstruction-{number}.dat"
        drawn = library.read(tmp_path / "drawn" / name)
        assert len(drawn) == 6
        assert set(drawn.words) <= {"beer", "wine", "milk", "bread"}
        assert list(drawn) == list(library.read(tmp_path / "same" / name))


def test_baskets_are_repeated_and_nothing_is_drawn(
    capfd: pytest.CaptureFixture[str], noisy: Path, tree: Path, tmp_path: Path
) -> None:
    code, out, _ = shoal(capfd, "reconstruct", noisy, "-o", tmp_path / "drawn")
    assert code == 0
    assert "each as often as its noisy count says" in " ".join(out.split())
    assert Counter(library.read(tmp_path / "drawn" / "reconstruction-01.dat")) == Counter(COUNTS)
    for more, said in [
        (["-n", "2"], "so there is one file: use -n 1"),
        (["--seed", "1"], "leave out --seed"),
        (["--hierarchy", tree], "--hierarchy is not about a release of noisy counts: leave it out"),
    ]:
        code, _, err = shoal(capfd, "reconstruct", noisy, "-o", tmp_path / "other", *more)
        assert (code, said in err) == (2, True), err
    assert not (tmp_path / "other").exists()


def rows_of(release: library.GeneralizedBaskets | library.NoisyBaskets) -> list[list[str]]:
    codes = release.nodes if isinstance(release, library.GeneralizedBaskets) else release.items
    parts = zip(release.offsets[:-1].tolist(), release.offsets[1:].tolist(), strict=True)
    return [[release.tree.labels[code] for code in codes[start:end].tolist()] for start, end in parts]


@pytest.mark.parametrize("kind", ["cut", "noisy"])
def test_every_row_is_exported_by_name_and_with_its_count(
    capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    folder = request.getfixturevalue(kind)
    release = library.read_release(folder)
    rows = rows_of(release)
    counts = release.row_counts.tolist() if kind == "noisy" else None
    for to in ("jsonl", "csv", "parquet", "fimi"):
        assert shoal(capfd, "export", folder, "--to", to, "-o", tmp_path / to)[0] == 0
    expected = [
        {"items": row} if counts is None else {"items": row, "count": counts[at]} for at, row in enumerate(rows)
    ]
    assert [json.loads(line) for line in (tmp_path / "jsonl").read_text().splitlines()] == expected
    assert pq.read_table(tmp_path / "parquet").to_pylist() == expected
    lines = list(csv.DictReader(io.StringIO((tmp_path / "csv").read_text())))
    assert [(int(line["row"]), line["item"]) for line in lines] == [
        (number, item) for number, row in enumerate(rows) for item in row
    ]
    if counts:
        assert [int(line["count"]) for line in lines] == [counts[int(line["row"])] for line in lines]
    times = counts or [1] * len(rows)
    assert Counter(library.read(tmp_path / "fimi")) == Counter(
        {frozenset(row): sum(n for other, n in zip(rows, times, strict=True) if other == row) for row in rows}
    )


def test_show_marks_what_stands_for_several_and_how_often(
    capfd: pytest.CaptureFixture[str], cut: Path, noisy: Path
) -> None:
    out = shoal(capfd, "show", cut)[1]
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "6 rows; 3 published items, of which 1 stand for several" in lines
    assert f"0 {{alcohol (2 items)}} {TIMES}2" in lines
    assert f"2 {{alcohol (2 items), bread}} {TIMES}2" in lines
    out = shoal(capfd, "show", noisy, "--rows", 2)[1]
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "3 different baskets, 90 in all by noisy counts; 6 items in the hierarchy" in lines
    assert f"0 {{bread}} {TIMES}30" in lines
    assert "... and 1 more row (--rows N)" in lines


def test_info_says_what_an_analyst_needs(capfd: pytest.CaptureFixture[str], cut: Path, noisy: Path) -> None:
    out = shoal(capfd, "info", cut)[1]
    assert "km-generalization: 6 rows, 3 published items, 10 ones" in out
    assert "1 of the published items represent several, 2 in all, one of them 2; the hierarchy is cut" in out
    seen = json.loads(shoal(capfd, "info", cut, "--json")[1])
    assert (seen["published_groups"], seen["items_in_the_largest"], seen["hierarchy_is_whole"]) == (1, 2, False)
    out = shoal(capfd, "info", noisy)[1]
    assert "diffpart: 3 rows, 90 records, 6 items, 4 ones" in out
    assert "noisy counts: 20 to 40, mean 30.00" in out
    seen = json.loads(shoal(capfd, "info", noisy, "--json")[1])
    assert (seen["epsilon"], seen["basket_counts"]["most"], seen["reproducible"]) == (1.0, 40, False)


def test_measure_prints_what_all_releases_of_baskets_have(
    capfd: pytest.CaptureFixture[str], original: Path, cut: Path, noisy: Path, tree: Path, tmp_path: Path
) -> None:
    asked = ["--hierarchy", tree, "--top", 5, "--range", "0-3", "--min-support", ".3", "--json"]
    shoal(capfd, "publish", "disassociate", original, "-k", 2, "-m", 2, "-o", tmp_path / "chunks")
    shoal(capfd, "publish", "mask", original, "--keep-prob", 0.9, "-o", tmp_path / "masked")
    names = set()
    for folder, common in [(cut, []), (noisy, ["--common"]), (tmp_path / "chunks", ["--common"])]:
        code, out, err = shoal(capfd, "measure", original, folder, *asked, *common)
        assert (code, err) == (0, ""), err
        told = {" ".join([one["name"], one["part"]]).strip(): one["value"] for one in json.loads(out)["metrics"]}
        names.add(tuple(told))
    assert len(names) == 1
    assert {"tKd", "tKd-ML2", "re 0-3", "pairs kept", "sigma+ at 0.3", "sigma- at 0.3"} <= set(*names)
    data, release = library.read(original), library.read_release(cut)
    same = library.measure(
        data, release, hierarchy=TREE, top=5, ranges=[(0, 3)], min_support=0.3, common=True
    ).as_dict()
    assert json.loads(shoal(capfd, "measure", original, cut, *asked)[1]) == json.loads(json.dumps(same))
    out = shoal(capfd, "measure", original, tmp_path / "masked", "--common")[1]
    assert "read as: estimates corrected for the randomization" in out
    assert "tKd-ML2" in out


def test_measure_refuses_what_these_metrics_have_not(
    capfd: pytest.CaptureFixture[str], original: Path, cut: Path, tree: Path
) -> None:
    for more, said in [
        (["--reconstructions", "3"], "--reconstructions is not about a release of generalized baskets: leave it out"),
        (["--runs", "3"], "--runs is not about"),
        (["--min-support", "x"], "--min-support is 'x'"),
        (["--range", "3"], "--range is '3'"),
        (["--hierarchy", tree, "--hierarchy", tree], "--hierarchy is given twice"),
        ([], "does not tell what 'alcohol' stands for"),
    ]:
        code, _, err = shoal(capfd, "measure", original, cut, *more)
        assert (code, said in err) == (2, True), err


HOSTILE = "\x1b[31mred\x1b[0m"


def test_names_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    paths = {HOSTILE: (HOSTILE, "\x07g", "*"), "b": ("b", "\x07g", "*"), "c": ("c", "h", "*"), "d": ("d", "h", "*")}
    records = [*[frozenset({HOSTILE})] * 3, *[frozenset({"c"})] * 3]
    generalized_baskets(records, hierarchy_of(paths), [frozenset({HOSTILE, "b"})]).write(tmp_path / "generalized")
    noisy_baskets({frozenset({HOSTILE}): 30}, hierarchy_of(paths)).write(tmp_path / "noisy")
    for name in ("generalized", "noisy"):
        for command in (["show"], ["info"], ["mine"], ["query", HOSTILE]):
            _, out, err = shoal(capfd, command[0], tmp_path / name, *command[1:])
            assert all(c.isprintable() or c == "\n" for c in out + err), (command, out, err)
