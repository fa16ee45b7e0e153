"""What analysts and stewards do with the folder of a generalized release, from the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal as library
from shoal.data import hierarchy_builders
from shoal.io.hierarchies import read_hierarchy, write_hierarchy
from shoal.io.release_folder import write_release
from shoal.run import Run
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]
QUASI = ["age", "sex", "education"]
SECRETS = ["occupation", "diagnosis"]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured) -> library.Generalized:
    """A release of 300 people in ``release``, some of them suppressed, the table in people.csv."""
    monkeypatch.chdir(tmp_path)
    assert shoal(capfd, "generate", "people", "--rows", 300, "--seed", 1, "-o", "people.csv")[0] == 0
    table = library.read_table("people.csv", quasi=QUASI, sensitive=SECRETS)
    made = library.k_anonymity(table, 10, max_suppressed=0.05)
    assert made.suppressed
    Path("release").mkdir()
    write_release(made, Path("release"))
    return made


def test_measure_takes_its_columns_and_hierarchies_from_release_and_original(
    capfd: Captured, release: library.Generalized
) -> None:
    code, out, err = shoal(capfd, "measure", "people.csv", "release", "--seed", 1, "--queries", 50, "--json")
    assert (code, err) == (0, "")
    table = library.read_table("people.csv", quasi=QUASI, sensitive=SECRETS)
    found = library.measure(table, release, queries=50, run=Run(chance=1))
    assert json.loads(out) == json.loads(json.dumps(found.as_dict()))
    said = json.loads(out)
    assert (said["sensitive"], said["method"]) == ("occupation", "bottom-up")
    names = [metric["name"] for metric in said["metrics"] if not metric["part"]]
    assert names == [
        "entropy loss", "discernibility", "average class size", "NCP", "hidden cells", "confidence error", "sigma+",
        "sigma-", "query error", "rows kept",
    ]  # fmt: skip
    code, out, _ = shoal(capfd, "measure", "people.csv", "release", "--queries", 5, "--sensitive", "diagnosis")
    assert code == 0
    assert "columns and diagnosis, up to" in out


def test_measure_needs_the_hierarchies_that_were_given(capfd: Captured, release: library.Generalized) -> None:
    del release
    table = library.read_table("people.csv", quasi="postcode")
    made = hierarchy_builders.prefixes(table.column("postcode"))
    write_hierarchy(made, "masks.csv")
    Path("coded").mkdir()
    coded = library.k_anonymity(table, 5, hierarchies={"postcode": read_hierarchy("masks.csv")})
    assert coded.n_groups > 1
    write_release(coded, Path("coded"))
    code, _, err = shoal(capfd, "measure", "people.csv", "coded", "--queries", 5)
    assert code == 2
    assert "--hierarchy postcode=FILE" in err
    code, out, err = shoal(capfd, "measure", "people.csv", "coded", "--hierarchy", "postcode=masks.csv", "--queries", 5)
    assert (code, err) == (0, "")
    assert "the release has no sensitive column" in out


def test_info_tells_what_needs_no_original(capfd: Captured, release: library.Generalized) -> None:
    code, out, err = shoal(capfd, "info", "release")
    assert (code, err) == (0, "")
    assert out.startswith("Every published combination of age, sex, education occurs in at least 10")
    assert f"bottom-up: {release.n_rows:,} rows, {release.suppressed:,} suppressed rows" in out
    assert str(library.measure(None, release)) in out
    said = json.loads(shoal(capfd, "info", "release", "--json")[1])
    assert said["counts"] == release.counts
    assert {metric["name"] for metric in said["metrics"]} == {
        "discernibility", "average class size", "NCP", "hidden cells",
    }  # fmt: skip


def test_info_of_other_releases_counts(capfd: Captured, release: library.Generalized) -> None:
    del release
    library.disassociate(library.read([{"a", "b"}] * 4), k=2, m=2).write("baskets")
    code, out, err = shoal(capfd, "info", "baskets")
    assert (code, err) == (0, "")
    assert "disassociation: 4 records, " in out
    assert "metrics" not in json.loads(shoal(capfd, "info", "baskets", "--json")[1])


def test_show_prints_what_rows_agree_on_and_their_sensitive_values(
    capfd: Captured, release: library.Generalized
) -> None:
    code, out, err = shoal(capfd, "show", "release", "--limit", 2, "--rows", 1)
    assert (code, err) == (0, "")
    assert f"{release.n_rows:,} rows in {release.n_groups:,} groups, {release.suppressed:,} suppressed" in out
    labels = [column.tree.labels[column.nodes[0]] for column in release.quasi]
    cells = [re.split(" {2,}", line.strip()) for line in out.splitlines()]
    assert ["0", str(release.group_sizes[0]), *labels] in cells
    assert f"... and {release.n_groups - 2} more groups" in out
    assert "more" in out.split("diagnosis")[1]
    code, out, _ = shoal(capfd, "show", "release", "--group", 1, "--rows", 1000)
    counts = [int(line.split()[-1]) for line in out.rpartition("  count")[2].splitlines() if line.split()[:1] == ["1"]]
    assert code == 0
    assert sum(counts) == release.group_sizes[1]


def test_export_writes_a_row_a_row(capfd: Captured, release: library.Generalized) -> None:
    code, out, _ = shoal(capfd, "export", "release")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert len(rows) == 300
    assert rows == release.to_arrow()["rows"].to_pylist()
    lost = [row for row in rows if row["group"] is None]
    assert len(lost) == release.suppressed
    assert rows[-len(lost) :] == lost
    assert {tuple(row.values()) for row in lost} == {(None, "*", "*", "*", "*", "*")}
    out = shoal(capfd, "export", "release", "--to", "csv")[1]
    as_csv = list(csv.DictReader(io.StringIO(out)))
    assert [row["group"] for row in as_csv] == ["" if row["group"] is None else str(row["group"]) for row in rows]
    assert shoal(capfd, "export", "release", "--to", "parquet", "-o", "rows.parquet")[0] == 0
    assert pq.read_table("rows.parquet").to_pylist() == rows


def test_query_gives_bounds_and_says_what_is_not_known(capfd: Captured, release: library.Generalized) -> None:
    asked = "age in 30..40 and diagnosis = asthma"
    code, out, err = shoal(capfd, "query", "release", asked, "age >= 0", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["rows"], said["suppressed_rows"]) == (release.n_rows, release.suppressed)
    found = release.count(asked)
    first = said["counts"][0]
    assert (first["least"], first["expected"], first["most"]) == (found.least, found.expected, found.most)
    code, out, _ = shoal(capfd, "query", "release", asked)
    assert code == 0
    assert "Suppressed rows may be any rows: they count in the upper bound." in " ".join(out.split())
    assert "Where no mean is shown" not in out
    hidden = next(column for column in release.quasi if not column.nodes.any())
    unlisted = f"{hidden.name} = something"
    assert json.loads(shoal(capfd, "query", "release", unlisted, "--json")[1])["counts"][0]["expected"] is None
    assert "Where no mean is shown" in shoal(capfd, "query", "release", unlisted)[1]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("reconstruct release -o drawn", "which is a table already: shoal export writes its rows"),
        ("mine release", "shoal query counts rows of it"),
        ("query release", "nothing is asked: write conditions"),
        ("query release bread", "the query is wrong at character 6"),
        ("query release age>3 --of age", "--of is about releases in which numbers stand as they are"),
        ("query release age>3 --none-of bread", "--none-of and --term-items are about items"),
        ("show release --cluster 1", "which has groups: --group 1"),
        ("show release --group 999", "there is no group 999"),
        ("export release --to fimi", "fimi is a format of baskets"),
        ("export release --to csv --part rows", "--part is not about a generalized release: leave it out"),
        ("info release --quasi age", "names its columns itself"),
        ("measure people.csv release --top 3", "--top is not about a generalized release: leave it out"),
        ("measure people.csv release --sensitive age", "'age' is not a sensitive column of the release"),
        ("measure people.csv release --quasi age", "the quasi-identifiers of the release are"),
    ],
)
def test_what_is_not_for_it_is_refused_with_what_to_do(
    capfd: Captured, release: library.Generalized, command: str, said: str
) -> None:
    del release
    code, out, err = shoal(capfd, *command.split())
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("drawn").exists()
