"""The commands from outside: what they print where, what they write, and that their formats can be read back."""

from __future__ import annotations

import csv
import io
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import pipeline
from shoal.cli.main import run
from shoal.generate import bundled
from shoal.io.release_folder import read_release
from shoal.release.disassociated import Disassociated
from tests.builders import disassociated

SHOAL = [sys.executable, "-m", "shoal.cli.main"]
Ran = tuple[int, str, str]


def shoal(capfd: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """One command in this process: its exit code, what it printed, and what it said beside."""
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def outside(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """One command in a process of its own."""
    command = [*SHOAL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)


@pytest.fixture(autouse=True)
def a_terminal_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.dat"
    rows = ["bread milk", "bread milk tea", "bread tea", "milk tea", "bread milk tea", "bread milk"] * 4
    path.write_text("\n".join([*rows, "bread caviar", "milk hiv", "tea hiv", ""]))
    return path


@pytest.fixture
def release(tmp_path: Path, baskets: Path) -> Path:
    target = tmp_path / "release"
    assert run(["publish", "disassociate", str(baskets), "-k", "3", "-m", "2", "-o", str(target)]) == 0
    return target


# --- info ----------------------------------------------------------------------------------------------------------


def test_info_describes_baskets(capfd: pytest.CaptureFixture[str], baskets: Path) -> None:
    code, out, err = shoal(capfd, "info", baskets, "-k", 3)
    assert (code, err) == (0, "")
    assert "27 records, 5 different items" in out
    assert "2 items occur in fewer than 3 records" in out
    assert "bread" in out


def test_info_as_json(capfd: pytest.CaptureFixture[str], baskets: Path) -> None:
    code, out, _ = shoal(capfd, "info", baskets, "-k", 3, "--top", 1, "--json")
    seen = json.loads(out)
    assert code == 0
    assert (seen["records"], seen["items"], seen["rare_items"], len(seen["top_items"])) == (27, 5, 2, 1)


def test_info_describes_a_table_with_hierarchies(capfd: pytest.CaptureFixture[str]) -> None:
    people = Path(bundled.__file__).parent / "data" / "people.csv"
    code, out, _ = shoal(
        capfd, "info", people, "--quasi", "age,sex,postcode", "--sensitive", "diagnosis",
        "--hierarchy", "age=ranges", "--hierarchy", "postcode=prefixes", "--json",
    )  # fmt: skip
    assert code == 0
    seen = json.loads(out)
    roles = {column["name"]: column["role"] for column in seen["columns"]}
    assert (roles["age"], roles["diagnosis"]) == ("quasi", "sensitive")
    levels = {column["name"]: column["hierarchy_levels"] for column in seen["columns"]}
    assert levels["age"] > 1
    assert levels["postcode"] > 1
    assert levels["sex"] is None
    assert seen["quasi_identifier_groups"]["groups"] > 1
    code, out, _ = shoal(capfd, "info", people, "--table")
    assert code == 0
    assert f"{seen['rows']:,} rows" in out


def test_info_drops_or_keeps_missing_values(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,job\n1,x\n?,y\n3,\n")
    assert json.loads(shoal(capfd, "info", path, "--table", "--missing", "drop", "--json")[1])["rows"] == 1
    assert json.loads(shoal(capfd, "info", path, "--table", "--missing", "keep", "--json")[1])["rows"] == 3


def test_every_format_of_baskets_is_the_same_release(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    records = [["a", "b"], ["a", "b"], ["a", "b", "c"], ["a", "c"]]
    (tmp_path / "fimi.dat").write_text("".join(" ".join(row) + "\n" for row in records))
    (tmp_path / "delimited.txt").write_text("".join("|".join(row) + "\n" for row in records))
    long = [(number, item) for number, row in enumerate(records) for item in row]
    (tmp_path / "long.csv").write_text("who,what\n" + "".join(f"{who},{what}\n" for who, what in long))
    pq.write_table(pa.table({"basket": records, "id": [1, 2, 3, 4]}), tmp_path / "list.parquet")
    options: dict[str, list[str]] = {
        "fimi.dat": ["--format", "fimi"],
        "delimited.txt": ["--separator", "|"],
        "long.csv": ["--long", "who,what"],
        "list.parquet": ["--column", "basket"],
    }
    contents = []
    for name, extra in options.items():
        target = tmp_path / f"release-{name}"
        code, _, err = shoal(capfd, "publish", "disassociate", tmp_path / name, "-k", 2, "-m", 2, "-o", target, *extra)
        assert code == 0, err
        contents.append({path.name: path.read_bytes() for path in target.iterdir()})
        assert shoal(capfd, "verify", target, "--original", tmp_path / name, *extra)[0] == 0
    assert all(content == contents[0] for content in contents)


# --- publish and verify --------------------------------------------------------------------------------------------


def test_publish_says_what_it_did_and_what_it_warns_of(
    capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path
) -> None:
    target = tmp_path / "new"
    code, out, err = shoal(capfd, "publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", target)
    assert code == 0
    assert "published 27 records" in out
    assert "at least 3 records contain the set" in " ".join(out.split())
    assert f"shoal verify {target}" in out
    assert "warning: 2 items occur in fewer than 3 records" in err
    assert "--drop-rare" in err


def test_publish_with_every_option(capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path) -> None:
    target, listed = tmp_path / "new", tmp_path / "listed.txt"
    listed.write_bytes("\ufefftea\r\n\r\n".encode())  # as a Windows editor saves it
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", target, "--sensitive", "milk"]
    command += ["--sensitive-from", listed, "-l", 4, "--drop-rare", "--max-cluster-size", 9, "--json", "--force"]
    for _ in range(2):  # and again over the first
        code, out, err = shoal(capfd, *command)
        assert code == 0, err
        made = json.loads(out)
    assert err == ""
    assert made["holds"] is True
    assert made["release"] == str(target)
    assert made["left_out"]["rare_items"] == 2
    opened = read_release(target)
    assert opened.diversity is not None
    assert opened.diversity.sensitive == ("milk", "tea")
    assert (opened.promise.k, opened.promise.m, opened.diversity.l) == (3, 2, 4)
    assert opened.cluster_size.max() <= 9 + 4
    assert opened.counts == made["counts"]
    assert shoal(capfd, "verify", target)[0] == 0


def test_publish_says_what_was_left_out(capfd: pytest.CaptureFixture[str], baskets: Path, tmp_path: Path) -> None:
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", tmp_path / "new", "--drop-rare"]
    code, out, err = shoal(capfd, *command, "--sensitive", "tea", "-l", 5)
    assert code == 0
    assert "left out: 2 items that occur in fewer than 3 records" in out
    assert "warning" not in err
    assert "The 1 sensitive item appears in term chunks only" in " ".join(out.split())


def test_publish_says_what_was_merged_and_dropped(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("a a b\n\na b\na b\n")
    code, _, err = shoal(capfd, "publish", "disassociate", path, "-k", 2, "-m", 1, "-o", tmp_path / "new")
    assert code == 0
    assert "1 repetitions of an item inside a record were merged" in err
    assert "1 empty records were dropped" in err


def test_verify_says_what_was_checked(capfd: pytest.CaptureFixture[str], release: Path, baskets: Path) -> None:
    code, out, err = shoal(capfd, "verify", release)
    assert (code, err) == (0, "")
    assert out.startswith("all ")
    assert "record chunks" in out
    code, out, _ = shoal(capfd, "verify", release, "--original", baskets, "--json")
    assert code == 0
    verdict = json.loads(out)
    assert verdict["holds"] is True
    assert len(verdict["checks"]) > 15


def test_verify_against_other_data_says_no(capfd: pytest.CaptureFixture[str], release: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.dat"
    other.write_text("bread milk\n" * 27)
    code, out, _ = shoal(capfd, "verify", release, "--original", other)
    assert code == 1
    assert "FAILS" in out


def test_the_command_is_the_python_api(baskets: Path, release: Path, tmp_path: Path) -> None:
    import shoal as api

    api.disassociate(api.read(baskets), k=3, m=2).write(tmp_path / "api")
    for path in release.iterdir():
        assert (tmp_path / "api" / path.name).read_bytes() == path.read_bytes()
    assert api.verify(release).holds


def test_standard_input_is_a_file_too(baskets: Path, tmp_path: Path, release: Path) -> None:
    text = baskets.read_text()
    assert "27 records" in outside("info", "-", input=text).stdout
    target = tmp_path / "piped"
    done = outside("publish", "disassociate", "-", "-k", 3, "-m", 2, "-o", target, input=text)
    assert done.returncode == 0, done.stderr
    assert (target / "manifest.json").read_bytes() == (release / "manifest.json").read_bytes()
    assert outside("verify", target, "--original", "-", input=text).returncode == 0


# --- show ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def figure2(tmp_path: Path) -> Path:
    """The release of the paper's figure 2b."""
    one = [["itunes", "flu", "madonna"]] * 2 + [["madonna", "flu"], ["itunes", "madonna"], ["itunes", "flu"]]
    two = [["madonna", "digital camera"], ["iphone sdk", "madonna"], ["iphone sdk", "digital camera"]]
    two += [["iphone sdk", "digital camera", "madonna"]] * 2
    nodes = [
        (5, [one, [["audi a4", "sony tv"]] * 3], ["ikea", "viagra", "ruby"]),
        (5, [two], ["panic disorder", "playboy", "ikea", "ruby"]),
    ]
    target = tmp_path / "figure2"
    pipeline.write(disassociated(nodes, k=3, m=2), target)
    return target


def test_show_draws_figure_2b(capfd: pytest.CaptureFixture[str], figure2: Path) -> None:
    code, out, err = shoal(capfd, "show", figure2)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    start = lines.index("Cluster 0: 5 records")
    assert lines[start + 2].split("  ")[0].strip() == "Record chunk 1"
    assert " Record chunk 1              Record chunk 2          Term chunk" in lines
    assert " {flu, itunes}               {audi a4, sony tv} \N{MULTIPLICATION SIGN}3   ikea, ruby, viagra" in lines
    assert " {flu, itunes, madonna} \N{MULTIPLICATION SIGN}2" in lines
    assert "Cluster 1: 5 records" in lines
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_show_fits_the_terminal(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    many = [[[f"item-{chunk}-{n}" for n in range(3)]] * 3 for chunk in range(12)]
    pipeline.write(disassociated([(3, many, "z")], k=3, m=1), tmp_path / "release")
    out = shoal(capfd, "show", tmp_path / "release")[1]
    assert all(len(line) <= width for line in out.splitlines())
    assert "Record chunk 12" in out
    assert out.count("Term chunk") == 1
    for chunk in range(12):
        assert f"item-{chunk}-2}} \N{MULTIPLICATION SIGN}3" in " ".join(out.split())


def test_show_one_cluster_few_rows_and_what_is_hidden(capfd: pytest.CaptureFixture[str], figure2: Path) -> None:
    code, out, _ = shoal(capfd, "show", figure2, "--cluster", 1)
    assert code == 0
    assert "Cluster 1" in out
    assert "Cluster 0" not in out
    assert "more" not in out
    out = shoal(capfd, "show", figure2, "--limit", 1, "--rows", 2)[1]
    assert "... 2 more" in out  # of five subrecords, three of which were shown on two lines
    assert "... and 1 more: --limit 2 shows all of them" in out


def test_show_draws_joint_clusters(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    joint = ([(3, [["ab"] * 3], "c"), (3, [["de"] * 3], "f")], [["x"] * 4])
    pipeline.write(disassociated([joint], k=3, m=2), tmp_path / "release")
    out = shoal(capfd, "show", tmp_path / "release")[1]
    assert "2 clusters, 1 joint clusters" in out
    assert "Shared chunk 1" in out
    assert "Cluster 1: 3 records, in joint cluster 0" in out


def test_show_says_the_promise_in_our_words(capfd: pytest.CaptureFixture[str], figure2: Path) -> None:
    # A manifest could say anything; only its numbers are audited.
    path = figure2 / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["promises"][0]["words"] = "Nobody can ever be identified."
    path.write_text(json.dumps(manifest))
    code, out, _ = shoal(capfd, "show", figure2)
    assert code == 0
    assert "Nobody" not in out
    assert "at least 3 records contain the set" in " ".join(out.split())


HOSTILE = ["\x1b[31mred\x1b[0m", "\x9b2J", "a\nb", "\u202eevil", "\x07", "", " ", "{a, b}", "tab\tbed"]


def test_items_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipeline.write(disassociated([(3, [[HOSTILE] * 3], ["\x1b]0;title\x07"])], k=3, m=2), tmp_path / "release")
    path = tmp_path / "baskets.parquet"
    pq.write_table(pa.table({"items": [[item for item in HOSTILE if item]] * 3}), path)
    commands: list[list[object]] = [
        ["show", tmp_path / "release"],
        ["verify", tmp_path / "release", "--original", path],
        ["verify", tmp_path / "release", "--original", path, "--json"],
        ["info", path, "--top", 20],
        ["info", path, "--top", 20, "--json"],
        ["publish", "disassociate", path, "-k", 2, "-m", 1, "-l", 2, "--sensitive", "\x1b[31m", "-o", tmp_path / "x"],
        ["info", tmp_path / "\x1b[31mno\x9bwhere"],
        ["info", path, "--column", "\x1b[31m"],
    ]
    for command in commands:
        _, out, err = shoal(capfd, *command)
        assert all(c.isprintable() or c == "\n" for c in out + err), (command, out, err)
    out = shoal(capfd, "show", tmp_path / "release")[1]
    assert r"'\x1b[31mred\x1b[0m'" in out
    assert "''" in out
    assert "'{a, b}'" in out
    seen = json.loads(shoal(capfd, "info", path, "--top", 20, "--json")[1])
    assert {item for item, _ in seen["top_items"]} >= {"\x1b[31mred\x1b[0m", "\x9b2J", "\u202eevil"}


# --- export --------------------------------------------------------------------------------------------------------


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


def test_export_to_a_device_does_not_replace_the_device(capfd: pytest.CaptureFixture[str], release: Path) -> None:
    assert shoal(capfd, "export", release, "-o", "/dev/null", "--force")[0] == 0
    assert Path("/dev/null").is_char_device()


# --- generate ------------------------------------------------------------------------------------------------------


def test_generated_data_can_be_read_and_made_again(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, two = tmp_path / "one.dat", tmp_path / "two.dat"
    for path in (one, two):
        code, out, err = shoal(capfd, "generate", "quest", "-o", path, "--records", 50, "--items", 20, "--seed", 4)
        assert (code, out) == (0, "")
        assert "wrote 50 baskets" in err
    assert one.read_bytes() == two.read_bytes()
    assert json.loads(shoal(capfd, "info", one, "--json")[1])["records"] == 50


def test_generated_people_and_hierarchies_fit_together(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    people, tree = tmp_path / "people.csv", tmp_path / "age.csv"
    assert shoal(capfd, "generate", "people", "-o", people, "--rows", 60, "--seed", 1)[0] == 0
    for kind, column in (("ranges", "age"), ("prefixes", "postcode"), ("frequency", "diagnosis")):
        command = ["generate", "hierarchy", people, "--column", column, "--kind", kind, "-o", tree, "--force"]
        code, _, err = shoal(capfd, *command)
        assert code == 0, err
        code, out, err = shoal(capfd, "info", people, "--quasi", column, "--hierarchy", f"{column}={tree}")
        assert code == 0, err
        assert "levels" in out


def test_generated_data_on_standard_output() -> None:
    done = outside("generate", "quest", "-o", "-", "--records", 5, "--seed", 1)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["baskets", "people"])
def test_samples_are_the_bundled_data(capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    code, out, _ = shoal(capfd, "generate", "sample", name, "-o", tmp_path / "new")
    assert (code, out) == (0, "")
    assert (tmp_path / "new").read_bytes() == bundled.path(name).read_bytes()
    assert shoal(capfd, "generate", "sample", name, "-o", "-")[1] == bundled.path(name).read_text()


def test_what_exists_is_not_overwritten(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("age\n1\n2\n")
    for command in (
        ["quest", "-o", path],
        ["people", "-o", path],
        ["sample", "people", "-o", path],
        ["hierarchy", path, "--column", "age", "--kind", "ranges", "-o", path],
    ):
        code, _, err = shoal(capfd, "generate", *command)
        assert code == 2
        assert "exists already; choose another name, or --force to replace it" in err
    assert path.read_text() == "age\n1\n2\n"


# --- help ----------------------------------------------------------------------------------------------------------


def test_help_is_quick_and_loads_nothing_heavy() -> None:
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = outside("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    for command in ("info", "verify", "show", "export", "publish", "generate"):
        assert f"\n  {command} " in done.stdout
    code = (
        "import sys; from shoal.cli.main import run; code = run(['--help']); "
        "heavy = {'numpy', 'pyarrow', 'numba', 'rich', 'scipy', 'pydantic'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # .2 s is what is asked for; machines that test are busy.
    assert statistics.median(times) < 0.3, times


@pytest.mark.parametrize(
    "command",
    [[], ["info"], ["publish"], ["publish", "disassociate"], ["verify"], ["show"], ["export"], ["generate"]]
    + [["generate", name] for name in ("quest", "people", "sample", "hierarchy")],
    ids=" ".join,
)
def test_every_command_explains_itself(capfd: pytest.CaptureFixture[str], command: list[str]) -> None:
    for flag in ("-h", "--help"):
        code, out, err = shoal(capfd, *command, flag)
        assert (code, err) == (0, "")
        assert out.startswith("Usage: ")


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    import shoal as api

    assert shoal(capfd, "--version") == (0, f"shoal {api.__version__}\n", "")


def test_the_installed_command_is_there() -> None:
    script = Path(sys.executable).with_name("shoal")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("shoal ")
    assert os.access(script, os.X_OK)


def test_a_csv_that_is_read_as_baskets_is_said_to_be(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,sex\n39,F\n40,M\n")
    assert run(["info", str(file)]) == 0
    assert "is read as baskets, one record a line" in capfd.readouterr().err
    for plain in (["--format", "delimited"], ["--separator", ","], ["--long", "age,sex"], ["--table"]):
        assert run(["info", str(file), *plain]) == 0
        assert not capfd.readouterr().err
