"""``shoal report``, and ``--report`` of what publishes and compares, from outside."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.releases_by_commands import METHODS, make_originals, publish
from tests.running.commands import outside, shoal

INTERNAL = "Internal: reveals information about the original data. Do not publish."


def page(path):
    return path.read_text(encoding="utf-8")


def data_of(path):
    """The report as the page carries it for programs."""
    return json.loads(re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page(path))[1])


def chart_names(report):
    return {block["name"] for section in report["sections"] for block in section["blocks"] if block["kind"] == "chart"}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_originals(tmp_path)
    return tmp_path


@pytest.mark.parametrize("method", METHODS)
def test_publishing_reports_as_the_command_does(method, place, capfd):
    made = publish(method, place, "--report", "at-once.html", "--charts", "charts")
    hierarchies_made = "k-anonymity" in method or "km" in method
    code, out, err = shoal(capfd, "report", made.original, made.folder, "-o", "later.html", "--json")
    assert code == 0, err
    report = json.loads(out)
    assert report == {**data_of(Path("later.html")), "report": "later.html"}
    assert report["audience"] == "internal"
    assert data_of(Path("at-once.html"))["sections"][0] == report["sections"][0]
    if not hierarchies_made and method != "injector":  # whoever publishes knows the hierarchies and rules it made
        told, _ = without_choices(data_of(Path("at-once.html")))
        assert told == data_of(Path("later.html"))
    names = {section["name"] for section in report["sections"]}
    assert {"promise", "verdict", "risk", "shape", "cost", "reading", "facts"} <= names
    drawn = {path.name for path in Path("charts").iterdir()}
    wanted = chart_names(data_of(Path("at-once.html")))
    assert wanted
    assert drawn == {f"{name}{ending}" for name in wanted for ending in (".png", ".svg", ".vl.json")}


def without_choices(report):
    """A report that was made while publishing, as it would be later, when nobody knows how it was; and the choices."""
    *others, facts = report["sections"]
    (choices,) = (block for block in facts["blocks"] if block.get("title") == "Publishing options")
    left = [block for block in facts["blocks"] if block is not choices]
    return {**report, "sections": [*others, {**facts, "blocks": left}]}, dict(choices["rows"])


def test_a_report_made_while_publishing_tells_the_choices_that_a_release_does_not(capfd):
    Path("kept").mkdir()
    Path("kept/itemsets.txt").write_text("bread, milk\n")
    options = ["-k", 3, "-m", 2, "--sensitive", "beer", "--sensitive", "wine", "-l", 3, "--vertical", "best"]
    options += ["--drop-rare", "--keep-itemsets", "kept/itemsets.txt", "--threads", 1]
    lines = [f"bread milk {('beer', 'wine', 'tea')[at % 3]}\n" for at in range(18)]
    Path("mine.dat").write_text("".join(lines))
    words = ["publish", "disassociate", "mine.dat", *options, "-o", "mine"]
    code, _, err = shoal(capfd, *words, "--report", "mine.html", "--save-plan", "plan.toml")
    assert code == 0, err
    told = {
        "method": "disassociate",
        "--k": "3",
        "--m": "2",
        "--sensitive": "beer, wine",
        "--l": "3",
        "--vertical": "best",
        "--drop-rare": "yes",
        "--keep-itemsets": "itemsets.txt",
    }
    assert without_choices(data_of(Path("mine.html")))[1] == told
    # Files are told by their names, also behind a column, and where a name is no text.
    Path("kept/age.csv").write_text(AGES)
    Path("ages.csv").write_text(TABLES[0])
    odd = os.fsdecode(b"kept/od\xffd.csv")
    Path(odd).write_text("flu,*\ncold,*\ngout,*\n")
    trees = ["--hierarchy", "age=kept/age.csv", "--hierarchy", f"ill={odd}"]
    words_of_table = ["publish", "k-anonymity", "ages.csv", "--quasi", "age", "--sensitive", "ill", "-k", 3, *trees]
    code, _, err = shoal(capfd, *words_of_table, "-o", "table", "--report", "table.html")
    assert code == 0, err
    chosen = without_choices(data_of(Path("table.html")))[1]
    assert chosen["--hierarchy"] == "age=age.csv, ill=od\N{REPLACEMENT CHARACTER}d.csv"
    # Who publishes by a plan makes the same choices.
    assert shoal(capfd, "apply", "plan.toml", "mine.dat", "-o", "again", "--report", "again.html")[0] == 0
    assert without_choices(data_of(Path("again.html")))[1] == told
    # They are not published: neither in the release nor in a public report.
    assert shoal(capfd, *words[:-1], "third", "--report", "public.html", "--public")[0] == 0
    assert "Choices" not in page(Path("public.html"))
    assert "keep-itemsets" not in page(Path("public.html"))


WANTED_CHARTS = {
    "disassociate": {"risk", "cluster-sizes", "top-items", "pairs-kept", "error-by-rank"},
    "km-generalization": {"risk", "top-items", "pairs-kept", "error-by-rank"},
    "hybrid": {"risk", "top-items", "pairs-kept", "error-by-rank", "frontier"},
    "mask": {"risk", "top-items", "pairs-kept", "error-by-rank", "frontier"},
    "diffpart": {"risk", "top-items"},
    "injector": {"risk", "class-sizes"},
    "k-anonymity": {"risk", "class-sizes", "ncp", "hidden-cells"},
}


@pytest.mark.parametrize("method", WANTED_CHARTS)
def test_every_kind_of_release_has_the_charts_that_tell_most_of_it(method, place):
    publish(method, place, "--report", "report.html")
    assert chart_names(data_of(Path("report.html"))) >= WANTED_CHARTS[method]


@pytest.mark.parametrize("method", ["diffpart", "km-generalization"])
def test_a_hierarchy_that_was_given_serves_the_report_too(method, place, capfd):
    assert (
        shoal(capfd, "generate", "hierarchy", "baskets.dat", "--items", "--kind", "neighbours", "-o", "tree.csv")[0]
        == 0
    )
    publish(method, place, "--hierarchy", "tree.csv", "--report", "report.html")
    cost = next(one for one in data_of(Path("report.html"))["sections"] if one["name"] == "cost")
    measured = [row[0] for block in cost["blocks"] if block["kind"] == "grid" for row in block["rows"]]
    assert "tKd-ML2" in measured


def test_reports_are_internal_unless_they_are_asked_to_be_public(place, capfd):
    made = publish("disassociate", place)
    assert shoal(capfd, "report", made.original, made.folder, "-o", "internal.html")[0] == 0
    code, _, err = shoal(capfd, "report", made.folder, "-o", "public.html", "--public")
    assert code == 0
    assert err == ""
    assert INTERNAL in page(Path("internal.html"))
    assert made.original.name in page(Path("internal.html"))
    assert INTERNAL not in page(Path("public.html"))
    assert made.original.name not in page(Path("public.html"))
    assert Path("internal.html").stat().st_mode & 0o777 == 0o600
    assert Path("public.html").stat().st_mode & 0o077


# Two originals that publishing makes one release of: who has x and who has y is what it hides.
ONE = "a b x\na b\na b\na c y\na c\na c\n"
OTHER = "a b y\na b\na b\na c x\na c\na c\n"
# And tables: ages are published by tens.
AGES = "".join(f"{age},{age - age % 10}s,*\n" for age in range(20, 60))
TABLES = [
    "age,ill\n" + "".join(f"{age},{ill}\n" for age in ages for ill in ("flu", "cold", "gout"))
    for ages in ([21, 25, 33, 38], [22, 29, 31, 30])
]


def test_a_public_report_does_not_change_when_the_original_does_but_the_release_does_not(capfd):
    pages = {"internal": [], "public": []}
    folders = []
    for rows in (ONE, OTHER):
        Path("baskets.dat").write_text(rows, encoding="utf-8")
        words = ["publish", "disassociate", "baskets.dat", "-k", "3", "-m", "2", "-o", "release", "--force"]
        assert shoal(capfd, *words, "--report", "public.html", "--public", "--charts", "public")[0] == 0
        assert shoal(capfd, *words, "--report", "internal.html")[0] == 0
        folders.append({path.name: path.read_bytes() for path in sorted(Path("release").iterdir())})
        charts = {path.name: path.read_bytes() for path in sorted(Path("public").iterdir())}
        pages["public"].append((Path("public.html").read_bytes(), charts))
        pages["internal"].append(Path("internal.html").read_bytes())
    assert folders[0] == folders[1]
    assert pages["public"][0] == pages["public"][1]
    assert pages["internal"][0] != pages["internal"][1]


def test_a_public_report_on_a_table_does_not_either(capfd):
    Path("ages.csv").write_text(AGES, encoding="utf-8")
    public, internal, folders = [], [], []
    for rows in TABLES:
        Path("people.csv").write_text(rows, encoding="utf-8")
        words = ["publish", "k-anonymity", "people.csv", "--quasi", "age", "--sensitive", "ill", "-k", "6"]
        words += ["--hierarchy", "age=ages.csv", "-o", "release", "--force"]
        assert shoal(capfd, *words, "--report", "public.html", "--public")[0] == 0
        assert shoal(capfd, *words, "--report", "internal.html")[0] == 0
        public.append(Path("public.html").read_bytes())
        internal.append(Path("internal.html").read_bytes())
        folders.append({path.name: path.read_bytes() for path in sorted(Path("release").iterdir())})
    assert folders[0] == folders[1]
    assert public[0] == public[1]
    assert internal[0] != internal[1]


@pytest.mark.parametrize("method", METHODS)
def test_a_public_report_is_made_without_any_original(method, place, capfd):
    made = publish(method, place, "--report", "at-once.html", "--public")
    made.original.unlink()
    code, _, err = shoal(capfd, "report", "no-such-file", made.folder, "-o", "later.html", "--public")
    assert code == 0
    assert "no-such-file is not read" in err
    assert page(Path("at-once.html")) == page(Path("later.html"))
    report = data_of(Path("later.html"))
    assert report["audience"] == "public"
    text = page(Path("later.html"))
    assert not [secret for secret in ("no-such-file", str(place), made.original.name) if secret in text]


def test_a_report_on_a_release_that_breaks_its_promise_says_where_and_exits_with_1(place, capfd):
    made = publish("disassociate", place)
    manifest = made.folder / "manifest.json"
    # The same data under a larger promise, in numbers and words.
    broken = (
        manifest.read_text(encoding="utf-8")
        .replace('"k": 5', '"k": 50')
        .replace("at least 5 records", "at least 50 records")
    )
    manifest.write_text(broken, encoding="utf-8")
    code, out, err = shoal(capfd, "report", made.folder, "--public", "-o", "public.html", "-q")
    assert code == 1
    assert re.search(r"warning: .*release does not keep its promise: \d+ of \d+ checks fail", err)
    code, out, _ = shoal(capfd, "report", made.folder, "--public", "-o", "public.html", "--force")
    assert code == 1
    assert "public.html" in out
    report = data_of(Path("public.html"))
    assert report["keys"][0]["tone"] == "bad"
    verdict = next(section for section in report["sections"] if section["name"] == "verdict")
    assert any(block["kind"] == "words" and block["tone"] == "bad" for block in verdict["blocks"])
    # Beside the original it is internal all the same.
    code, _, err = shoal(capfd, "report", made.original, made.folder, "-o", "internal.html")
    assert code == 1
    assert "does not keep its promise" in err
    assert "keep it internal" in err
    assert INTERNAL in page(Path("internal.html"))
    assert Path("internal.html").stat().st_mode & 0o777 == 0o600


def test_comparisons_and_sweeps_have_reports(capfd):
    words = ["compare", "baskets.dat", "--methods", "disassociate,mask", "-o", "comparison", "--report", "one.html"]
    code, out, err = shoal(capfd, *words, "--charts", "charts", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert (told["report"], told["charts"]) == ("one.html", "charts")
    report = data_of(Path("one.html"))
    assert report["audience"] == "internal"
    assert {"kept-pairs-kept", "kept-tkd", "cost-cpu"} <= chart_names(report)
    facts = {block.get("title"): block for block in report["sections"][-1]["blocks"]}
    digest = hashlib.sha256(Path("baskets.dat").read_bytes()).hexdigest()
    assert [(row[0], row[2]) for row in facts["The original"]["rows"]] == [("baskets.dat", digest)]
    assert Path("charts/kept-pairs-kept.png").stat().st_size > 1000
    words = ["sweep", "baskets.dat", "--method", "disassociate", "--k", "2,5,10", "-o", "sweep", "--report", "map.html"]
    code, out, err = shoal(capfd, *words)
    assert code == 0, err
    assert "internal report in map.html" in out
    report = data_of(Path("map.html"))
    chart = next(
        b for s in report["sections"] for b in s["blocks"] if b["kind"] == "chart" and b["name"] == "risk-utility"
    )
    assert [record["place"] for record in chart["records"]] == ["front", "knee", "front"]
    # The same request again goes on from what was kept, and writes the report anew.
    assert shoal(capfd, *words)[0] == 2
    code, _, err = shoal(capfd, *[word if word != "map.html" else "again.html" for word in words])
    assert code == 0
    assert "done before" in err
    assert data_of(Path("again.html"))["sections"][0] == report["sections"][0]


MASK = ["publish", "mask", "baskets.dat", "--keep-prob", ".9", "-o", "new"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "release"], "give the original, too, as in shoal report baskets.dat release; or --public"),
        (["report", "baskets.dat"], "give the folder of the release, too, as in shoal report baskets.dat release"),
        (["report", "baskets.dat", "release", "-o", "there.html"], "there.html exists already"),
        (["report", "baskets.dat", "release", "-o", "no/report.html"], "there is no folder"),
        (["report", "baskets.dat", "release", "-o", "release"], "release is a folder: name the file"),
        (["report", "baskets.dat", "release", "--charts", "there.html"], "there.html is a file: name a folder"),
        (["report", "people.csv", "baskets.dat", "release"], "takes an original and a release, and 3 names are given"),
        (["report", "people.csv", "release", "--format", "fimi"], "this is not the original of this release"),
        (["report", "release", "--public", "--long", "a,b"], "--long is not about a public report"),
        (["report", "baskets.dat", "no-release"], "there is no such folder: no-release"),
        ([*MASK, "--public"], "add --report FILE"),
        ([*MASK, "--report", "new/report.html"], "is inside of the release and would be published with it"),
        ([*MASK, "--charts", "new/charts"], "is inside of the release and would be published with it"),
        (["report", "baskets.dat", "release", "-o", "release/report.html"], "would be published with it"),
        (["report", "release", "--public", "--charts", "release"], "would be published with it"),
        (["report", "release", "--public", "--charts", "release/new"], "would be published with it"),
        (["compare", "baskets.dat", "-o", "new", "--report", "release/report.html"], "would be published with it"),
        ([*MASK, "--charts", "release/new"], "would be published with it"),
        ([*MASK, "--save-plan", "release/plan.toml"], "would be published with it"),
        ([*MASK, "--save-plan", "new/plan.toml"], "would be published with it"),
        ([*MASK, "--report", "there.html"], "there.html exists already"),
        (["compare", "baskets.dat", "-o", "new", "--report", "there.html"], "there.html exists already"),
    ],
)
def test_what_cannot_be_is_said_before_any_work(words, said, place, capfd):
    publish("disassociate", place)
    Path("there.html").write_text("mine", encoding="utf-8")
    code, out, err = shoal(capfd, *words)
    assert code == 2
    assert said in err
    assert out == ""
    assert page(Path("there.html")) == "mine"
    assert not Path("new").exists()
    assert {path.suffix for path in Path("release").iterdir()} == {".json", ".parquet"}


def test_the_page_goes_to_report_html_unless_it_is_said_and_force_replaces_it(place, capfd):
    made = publish("disassociate", place)
    assert shoal(capfd, "report", made.folder, "--public")[0] == 0
    before = page(Path("report.html"))
    Path("report.html").write_text("old", encoding="utf-8")
    assert shoal(capfd, "report", made.folder, "--public")[0] == 2
    assert shoal(capfd, "report", made.folder, "--public", "--force")[0] == 0
    assert page(Path("report.html")) == before


def test_charts_that_are_there_stay_unless_they_are_to_be_replaced(place, capfd):
    made = publish("disassociate", place)
    Path("charts").mkdir()
    Path("charts/cluster-sizes.svg").write_text("mine", encoding="utf-8")
    command = ["report", made.folder, "--public", "--charts", "charts"]
    code, _, err = shoal(capfd, *command)
    assert code == 2
    assert "charts/cluster-sizes.svg exists already; choose another folder, or --force to replace it" in err
    assert [path.name for path in Path("charts").iterdir()] == ["cluster-sizes.svg"]
    assert page(Path("charts/cluster-sizes.svg")) == "mine"
    assert not Path("report.html").exists()
    assert shoal(capfd, *command, "--force")[0] == 0
    assert "<svg" in page(Path("charts/cluster-sizes.svg"))
    assert Path("report.html").exists()


def test_where_nothing_draws_it_is_said_how_to_install_it(place):
    made = publish("disassociate", place)
    blocked = "import sys; sys.modules['vl_convert'] = None; from shoal.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", blocked, "report", str(made.folder), "--public"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "pip install jinja2 vl-convert-python" in done.stderr


def test_a_plan_can_be_applied_with_a_report_which_is_not_part_of_it(place, capfd):
    publish("mask", place, "--save-plan", "plan.toml", "--report", "first.html", "--charts", "charts")
    assert not [word for word in ("report", "charts", "public") if f"{word} =" in page(Path("plan.toml"))]
    code, out, err = shoal(
        capfd, "apply", "plan.toml", "baskets.dat", "-o", "again", "--report", "again.html", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["report"] == "again.html"
    assert data_of(Path("again.html"))["title"] == "Report on again"


def test_a_quiet_report_says_nothing(place):
    made = publish("disassociate", place)
    done = outside("report", made.original, made.folder, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path("report.html").exists()
