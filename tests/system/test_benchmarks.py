"""The benchmarks run: one that nobody runs is wrong before long."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_the_table_is_printed_to_its_end_and_a_page_can_be_made_of_it(tmp_path, environment_beside):
    sizes = [
        "--records",
        "2000",
        "--risk-records",
        "1000",
        "--growth",
        "500",
        "1000",
        "--people",
        "500",
        "800",
        "1000",
        "--adult-rows",
        "300",
        "--randomized-records",
        "300",
        "--repeat",
        "1",
        "--skip-compile",
        "--results",
        tmp_path / "results.json",
    ]
    command = [sys.executable, BENCHMARKS / "run.py", *sizes]
    done = subprocess.run(command, capture_output=True, text=True, env=environment_beside)
    assert done.returncode == 0, done.stderr
    for line in (
        "both of them",
        "the whole command, warm",
        "its peak memory",
        "shoal risk -m 3 on 1,000 records",
        "refining",
        "times the CPU of the command",
        "the same",
        "mining T10I4D100K",
        "hybrid of flips",
        "m = 3, 2,000 baskets",
        "bytes of peak memory a row more",
        "quasi-identifiers, k = 5",
        "grows like",
    ):
        assert line in done.stdout
    record = json.loads((tmp_path / "results.json").read_text())
    assert record["run"]["short"]
    figures = [figure for section in record["sections"] for figure in section["figures"]]
    page = performance().rendered(record)
    for figure in figures:
        assert f"| {figure['what']} |" in page
    # What is printed is what is recorded.
    assert all(figure["what"] in done.stdout for figure in figures)
    assert str(Path.cwd()) not in json.dumps(record)
    assert platform.node() not in json.dumps(record)


@pytest.mark.parametrize(
    ("lines", "numbered"),
    [("3 1 1603\n2\n", ["1 3", "2"]), ("tea potatoes\nbread tea\n", ["0 1", "0 2"])],
    ids=["numbers", "words"],
)
def test_baskets_are_generalized_whether_their_items_are_numbers_or_words(tmp_path, lines, numbered):
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import generalized_baskets
    finally:
        sys.path.remove(str(BENCHMARKS))
    (tmp_path / "baskets.dat").write_text(lines)
    made = generalized_baskets._written(tmp_path / "baskets.dat", tmp_path / "first.dat", 2)
    assert made.read_text().splitlines() == numbered


def performance():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import page
    finally:
        sys.path.remove(str(BENCHMARKS))
    return page


RECORD = {
    "machine": {
        "system": "Linux",
        "architecture": "x86_64",
        "cores": 2,
        "memory_gb": 8,
        "python": "3.11.0",
        "versions": {"numpy": "2.0"},
    },
    "run": {
        "options": {"records": 1000, "growth": [10, 2000], "repeat": 1, "adult_rows": None, "skip_compile": True},
        "short": False,
    },
    "sections": [
        {
            "title": "steps",
            "figures": [
                {"what": "read", "seconds": 1.2345},
                {
                    "what": "both",
                    "seconds": 123.4,
                    "memory": 448.4,
                    "ratio": 0.125,
                    "to": "the C++",
                    "wanted": {"words": "at most 0.1 x", "met": False},
                },
                {"what": "few", "seconds": 0.0512, "wanted": {"words": "at most 1 s", "met": True}},
            ],
        },
        {"title": "growth", "figures": [{"what": "it grows like", "note": "n^0.97"}]},
    ],
}


def test_a_record_is_rendered_as_tables_with_the_columns_that_it_has():
    text = performance().rendered(RECORD)
    assert (
        "## Steps\n\n"
        "| what | CPU s | MB | beside | wanted | reached |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| read | 1.23 |  |  |  |  |\n"
        "| both | 123 | 448 | 0.12 x the C++ | at most 0.1 x | **no** |\n"
        "| few | 0.05 |  |  | at most 1 s | yes |\n"
    ) in text
    assert "## Growth\n\n| what | note |\n| --- | --- |\n| it grows like | n^0.97 |\n" in text
    assert "2 cores (x86_64), 8 GB, Linux, Python 3.11.0; numpy 2.0." in text
    assert "The run: `records` 1,000, `growth` 10 2,000, `repeat` 1, `skip_compile`." in text
    assert "short run" not in text
    assert "short run" in performance().rendered({**RECORD, "run": {**RECORD["run"], "short": True}})


def test_the_page_is_the_one_that_its_record_gives_byte_by_byte():
    page = performance()
    record = page.RECORD.read_text(encoding="utf-8")
    assert page.PAGE.read_text(encoding="utf-8") == page.rendered(json.loads(record))
    assert json.dumps(json.loads(record), indent=1) + "\n" == record, "the record was edited by hand"


def test_a_figure_is_printed_with_what_is_wanted_and_whether_it_is_reached():
    performance()
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import results
    finally:
        sys.path.remove(str(BENCHMARKS))
    slow = results.Figure("both", 2.0, memory=10, ratio=0.5, to="the C++", wanted=results.at_most(1, 2.0))
    assert " ".join(slow.line.split()) == "both 2.000 s 10 MB 0.5 x the C++ (wanted: at most 1 s; NOT MET)"
    assert "NOT MET" not in results.Figure("both", 1.0, wanted=results.at_most(1, 1.0)).line
    assert results.at_most(1, 1.01, "x") == results.Wanted("at most 1 x", False)
    assert not {"node", "name", "path", "user", "time"} & set(results.machine())


def test_the_table_of_reconstructions_can_be_computed():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import reconstructions
    finally:
        sys.path.remove(str(BENCHMARKS))
    import shoal

    baskets = shoal.quest(300, n_items=30, seed=1)
    found = shoal.measure(
        baskets, shoal.disassociate(baskets, 3, 2), ranges=reconstructions.RANGES, run=shoal.Run(chance=1)
    )
    first = reconstructions.rows("made up", found)[0].split()
    assert first[:3] == ["made", "up", "0-20"]
    assert len(first) == 4 + len(reconstructions.NAMES)


def test_the_table_of_cluster_sizes_can_be_computed():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import cluster_size
    finally:
        sys.path.remove(str(BENCHMARKS))
    import shoal

    baskets = shoal.read([{"a", "b"}] * 6 + [{"a", "c"}] * 2)
    assert cluster_size.pairs_kept(baskets, 3, 12) == 6 / 8


def test_the_growth_of_hiding_is_by_associations_that_are_there():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import hiding_growth
    finally:
        sys.path.remove(str(BENCHMARKS))
    import shoal

    people = shoal.Table.from_arrow(shoal.people(400, seed=1)).with_roles(quasi=["sex"], sensitive=["diagnosis"])
    (few, _), (many, _) = hiding_growth.growth(people, 50, [(0.2, 0.5), (0.05, 0.1)])
    assert few == len(shoal.group_associations(shoal.k_anonymity(people, 50), 0.2, 0.5))
    assert 0 < many > few


def test_the_loss_of_labels_ranges_and_sets_is_measured_alike():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import rivals
    finally:
        sys.path.remove(str(BENCHMARKS))

    age = rivals.Domain([("1", "0-4", "*"), ("2", "0-4", "*"), ("4", "0-4", "*"), ("5", "5-9", "*"), ("7", "5-9", "*")])
    assert [age.lost(cell) for cell in ("7", "0-4", "2-5", "*")] == [0, 0.5, 0.5, 1]
    job = rivals.Domain([("Own-not-inc", "Own", "*"), ("State", "Gov", "*"), ("Local", "Gov", "*")])
    assert [job.lost(cell) for cell in ("Own", "Gov", "State,Own-not-inc", "*")] == [0, 0.5, 0.5, 1]
    # Two rows that cost half in one column of two, one that costs all in both, and one that is not published.
    assert rivals.ncp({("2-5", "State"): 2, ("*", "*"): 1}, [age, job], 4) == (2 * 0.25 + 1 + 1) / 4
