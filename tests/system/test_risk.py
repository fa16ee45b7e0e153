"""``shoal risk``: what it prints of baskets and of tables, and how it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.generate import bundled
from tests.plugins.real_data import ADULT_COLUMNS
from tests.running.commands import shoal

PEOPLE = Path(bundled.__file__).parent / "data" / "people.csv"


def test_the_risk_of_baskets_begins_with_plain_words(capfd: pytest.CaptureFixture[str], baskets: Path) -> None:
    code, out, _ = shoal(capfd, "risk", baskets, "-k", 3, "-m", 2, "--seed", 1)
    assert code == 0
    words, _, rest = out.partition("\n\n")
    assert " ".join(words.split()) == (
        "11.1% of 27 people have a unique record. One known item, if it is the worst one of the person, singles out "
        "3.7% of them; the worst 2 items single out 11.1%. For 11.1%, the worst 2 items leave fewer than 3 possible "
        "people; 2 random items do so for about 11.1% (2.4% to 29.2%) of the 27 people who have that many. The word "
        "about marks an estimate from a random sample; each range contains the true value in at least 95 of 100 "
        "samples."
    )
    assert "27 records, 5 different items; 3 records are unique" in rest
    lines = [line.split() for line in rest.splitlines()]
    assert ["1", "item", "5", "3", "2", "40.000%", "40.000%"] in lines
    assert ["2", "items", "6", "3", "0", "0.000%", "0.000%"] in lines
    assert ["caviar", "1", "1", "50.00%"] in lines
    assert "clusters, as publishing would make them" in rest


def test_the_risk_of_baskets_as_json_is_that_of_python(capfd: pytest.CaptureFixture[str], baskets: Path) -> None:
    import shoal as library

    code, out, _ = shoal(capfd, "risk", baskets, "-k", 3, "--top", 1, "--json")
    assert code == 0
    told, found = json.loads(out), library.risk(library.read(baskets), k=3, m=3, top=1).as_dict()
    for one in told, found:  # others are drawn every time
        for row in one["random"]:
            del row["alone"], row["among_fewer_than_k"]
    assert told == found


def test_the_risk_of_a_table(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sample, everybody = tmp_path / "sample.csv", tmp_path / "everybody.csv"
    sample.write_text("age,sex,job\n30,f,x\n30,f,y\n41,m,x\n")
    everybody.write_text("age,sex\n30,f\n30,f\n41,m\n41,m\n30,f\n30,f\n")
    code, out, err = shoal(capfd, "risk", sample, "--quasi", "age,sex", "-k", 2)
    assert (code, err) == (0, "")
    assert " ".join(out.split()).startswith(
        "Anyone who knows age, sex of a person, and that the person is among these 3"
    )
    lines = [line.split() for line in out.splitlines()]
    assert ["prosecutor", "100.00%", "66.67%", "33.33%"] in lines
    assert "k reached: 1" in out
    assert "no population was given" in out
    code, out, _ = shoal(capfd, "risk", sample, "--quasi", "age,sex", "-k", 2, "--population", everybody, "--json")
    seen = json.loads(out)
    assert (code, seen["k_reached"], seen["groups"], seen["population"]) == (0, 1, 2, 6)
    assert seen["journalist"] == {"highest": 0.5, "average": pytest.approx(1 / 3), "above": 0.0}
    assert seen["marketer"] == pytest.approx(1 / 3)


WRONG = [
    ("risk nowhere.dat", "no such file: nowhere.dat"),
    ("risk baskets.dat -k 1", "k is 1: it must be a whole number from 2 on"),
    ("risk baskets.dat -m 6", "m is 6: it must be a whole number from 1 to 5"),
    ("risk baskets.dat -m 0", "m is 0"),
    ("risk baskets.dat --max-cluster-size 3", "max_cluster_size is 3"),
    ("risk baskets.dat --population people.csv", "--population, --column-names and --missing are for tables"),
    ("risk people.csv --quasi agee", "no such column: 'agee' (did you mean 'age'?)"),
    ("risk people.csv --quasi ,", "--quasi names no column"),
    ("risk people.csv --quasi age -m 2", "-m is for baskets, and --quasi for tables"),
    ("risk people.csv --quasi age -k 1", "k is 1"),
    ("risk people.csv --quasi age --population nowhere.csv", "nowhere.csv"),
    ("risk people.csv --quasi age --population few.csv", "the table is not part of the population"),
    ("risk people.csv --quasi age,job", "values are missing in 'job' (1): --missing drop"),
]


@pytest.mark.parametrize(("command", "message"), WRONG, ids=[command for command, _ in WRONG])
def test_what_is_wrong_is_said_and_the_exit_code_is_2(
    command: str, message: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "baskets.dat").write_text("bread milk\n" * 6)
    (tmp_path / "people.csv").write_text("age,job\n30,cook\n30,\n")
    (tmp_path / "few.csv").write_text("age,job\n30,cook\n")
    monkeypatch.chdir(tmp_path)
    code, out, err = shoal(capfd, *command.split())
    assert (code, out) == (2, "")
    assert message in err


def test_the_adult_table_is_as_identifying_as_sql_says(capfd: pytest.CaptureFixture[str], adult_folder: Path) -> None:
    import duckdb

    file, quasi = adult_folder / "adult.data", ["age", "sex", "race", "education"]
    names = ",".join(ADULT_COLUMNS)
    code, out, _ = shoal(capfd, "risk", file, "--quasi", ",".join(quasi), "--column-names", names, "--json")
    assert code == 0
    seen = json.loads(out)
    sizes = "select count(*) f from read_csv($file, header=false, names=$names, all_varchar=true) group by {}"
    query = (
        f"select sum(f), count(*), min(f), sum((f = 1)::int), sum(case when f < 5 then f else 0 end) "
        f"from ({sizes.format(', '.join(quasi))})"
    )
    with duckdb.connect() as connection:  # the shared one would be left in the middle of this result
        expected = connection.execute(query, {"file": str(file), "names": ADULT_COLUMNS}).fetchone()
    fields = ("rows", "groups", "k_reached", "unique_rows", "rows_in_small_groups")
    assert tuple(seen[field] for field in fields) == tuple(map(int, expected))


@pytest.fixture
def people_release(tmp_path: Path) -> Path:
    """Two groups of six; in the second one all have the same illness, and two cells of the first are telling."""
    import pyarrow as pa

    import shoal as library

    rows = {
        "sex": [*"ffffffmmmmmm"],
        "job": ["a", "a", "b", "b", "c", "c", "a", "b", "c", "d", "e", "f"],
        "ill": ["flu", "flu", "flu", "gout", "cold", "cold", *["flu"] * 6],
    }
    table = library.read_table(pa.table(rows), quasi="sex", sensitive=["job", "ill"])
    folder = tmp_path / "release"
    library.k_anonymity(table, k=6).write(folder)
    return folder


def test_the_risk_of_a_release_lists_what_its_groups_give_away(
    capfd: pytest.CaptureFixture[str], people_release: Path
) -> None:
    code, out, _ = shoal(capfd, "risk", people_release, "--support", ".3", "--confidence", ".6", "--limit", 3)
    assert code == 0
    words, listed, more = out.split("\n\n")
    assert " ".join(words.split()) == (
        "Anyone who knows the group of a person infers something about job, ill with a confidence of at least 60.0% in "
        "2 of 2 groups, which hold 100.0% of the rows: 1 value, 4 rules and 2 rules from absence (with a support of "
        "30.0% or more)."
    )
    assert listed.splitlines() == [
        "in group 1 (sex m), an adversary infers ill flu with 100.0%",
        "in group 0 (sex f), knowing ill cold, an adversary infers job c with 100.0%",
        "in group 0 (sex f), knowing job c, an adversary infers ill cold with 100.0%",
    ]
    assert more == "4 more (--limit)\n"


def test_the_risk_of_a_release_as_json_is_that_of_python(
    capfd: pytest.CaptureFixture[str], people_release: Path
) -> None:
    import shoal as library

    code, out, _ = shoal(capfd, "risk", people_release, "--support", ".3", "--confidence", ".6", "--json")
    seen = json.loads(out)
    release = library.read_release(people_release)
    assert code == 0
    assert seen == library.risk(release, support=0.3, confidence=0.6).as_dict()
    absent = next(one for one in seen["strongest"] if one["kind"] == "absence")
    assert absent["words"] == (
        "in group 0 (sex f), knowing that it is not job c, an adversary infers ill flu with 75.0%"
    )
    assert (absent["supporting"], absent["applicable"], absent["rows"]) == (3, 4, 6)


def test_a_release_with_nothing_to_infer_says_so(capfd: pytest.CaptureFixture[str], people_release: Path) -> None:
    import pyarrow as pa

    import shoal as library

    folder = people_release.parent / "quiet"
    rows = pa.table({"sex": [*"ffff"], "job": [*"abcd"]})
    library.k_anonymity(library.read_table(rows, quasi="sex", sensitive="job"), k=4).write(folder)
    code, out, _ = shoal(capfd, "risk", folder)
    assert code == 0
    assert " ".join(out.split()) == (
        "In none of 1 groups do the visible cells reveal a value of job with a confidence of at least 50.0%, "
        "or a rule that also has a support of at least 10.0%. Hidden cells may be guessed: shoal attack --fill "
        "measures how well."
    )


def test_options_of_raw_data_and_of_releases_are_not_mixed(
    capfd: pytest.CaptureFixture[str], people_release: Path, baskets: Path
) -> None:
    import shoal as library

    other = people_release.parent / "baskets"
    library.disassociate(library.read(baskets), k=3, m=2).write(other)
    bare = people_release.parent / "bare"
    import pyarrow as pa

    library.k_anonymity(library.read_table(pa.table({"sex": [*"ff"]}), quasi="sex"), k=2).write(bare)
    for command, message in [
        ((people_release, "-m", 2), "-m is not about a release"),
        ((people_release, "--quasi", "sex"), "--quasi is not about a release"),
        ((people_release, "--support", 0), "min_support is 0.0"),
        ((people_release, "--confidence", 2), "min_confidence is 2.0"),
        ((baskets, "--confidence", 0.5), "--confidence is not about raw data"),
        (
            (other,),
            "is a disassociated release (disassociation), and this command is for raw data and generalized tables",
        ),
        ((bare,), "has no sensitive columns"),
    ]:
        code, _, err = shoal(capfd, "risk", *command)
        assert (code, message in err) == (2, True), err
