"""``python -m papers.NAME``: on generated data, on a folder of data, and what is skipped."""

from __future__ import annotations

import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import papers.program
from papers.hidden_associations.command import _rows
from shoal.generate import bundled
from tests.running.commands import ROOT, command_line, paper, shoal
from tests.running.terminals import at_terminal

Captured = pytest.CaptureFixture[str]
ESCAPE = "\x1b"
NAMES = sorted(file.parent.name for file in (ROOT / "papers").glob("*/__main__.py"))
EXAMPLES = {name: importlib.import_module(f"papers.{name}.command").EXAMPLES for name in NAMES}


def called(name: str) -> list[str]:
    return [sys.executable, "-m", f"papers.{name}"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a small data set for each program, called data."""
    folder = tmp_path / "data"
    folder.mkdir()
    lines = bundled.path("baskets").read_text().splitlines(keepends=True)
    (folder / "groceries.dat").write_text("".join(lines[:300]))
    (folder / "adult.data").write_text("\n".join(adult_rows(201, "")))
    return folder


@pytest.fixture
def path_to_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children find the programs, wherever they run."""
    known = [os.environ[name] for name in ("PYTHONPATH",) if name in os.environ]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *known]))


# --- what all programs have ------------------------------------------------------------------------------------------


def test_there_is_a_program_for_each_paper() -> None:
    assert NAMES == ["disassociation", "hidden_associations", "injector", "local_suppression", "randomization"]
    assert len(NAMES) == len([*(ROOT / "docs" / "papers").glob("*.md")])


@pytest.mark.parametrize("name", NAMES)
def test_every_program_has_json_quiet_and_examples(capfd: Captured, name: str) -> None:
    assert {"--quick", "--json", "--quiet", "-q"} <= {
        text for one in papers.program.load(name).params for text in one.opts
    }
    for option in ("--help", "-h"):
        code, out, err = paper(capfd, name, option)
        assert (code, err) == (0, "")
        assert out.startswith(f"Usage: python -m papers.{name} [OPTIONS] [DATA]\n")
        assert tuple(line.strip() for line in out.partition("\nExamples:\n")[2].splitlines()) == EXAMPLES[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_package_runs_the_program_of_its_own_paper(capfd: Captured, name: str) -> None:
    done = subprocess.run([*called(name), "--help"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == paper(capfd, name, "--help")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("path_to_papers", "data")
def test_examples_run_quickly_and_nothing_but_the_result_is_on_standard_output(tmp_path: Path, name: str) -> None:
    drawn = ""
    for example in EXAMPLES[name]:
        program, module, of, *words = shlex.split(example)
        assert (program, module, of) == ("python", "-m", f"papers.{name}")
        code, out, err = at_terminal(*words, "--quick", folder=tmp_path, program=called(name))
        assert code == 0, f"{example}\n{out}{err}"
        assert ESCAPE not in out
        if "--json" in example:
            json.loads(out)
        if "--quiet" in example:
            assert err == ""
        else:
            drawn += err
    assert ESCAPE in drawn, "no progress is drawn at a terminal"
    assert any(example.endswith("--json --quiet") for example in EXAMPLES[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_with_a_call_is_said_with_exit_code_2(capfd: Captured, name: str) -> None:
    code, out, err = paper(capfd, name, "--quik")
    assert (code, out) == (2, "")
    assert f"python -m papers.{name} --help" in err or f"python -m papers.{name} -h" in err
    assert "--quick" in err


@pytest.mark.parametrize("name", NAMES)
def test_bugs_and_interruptions_end_with_the_exit_codes_of_shoal(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def ends_with(error: BaseException) -> tuple[int, str]:
        def function() -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(f"papers.{name}.command.{name}", function)
            code, _, err = paper(capfd, name)
        return code, err

    code, err = ends_with(ValueError("a bug"))
    assert code == 4
    assert "this is a bug in Shoal" in err
    assert ends_with(KeyboardInterrupt()) == (130, "interrupted\n")


def test_interrupted_while_it_runs_is_130_in_one_line() -> None:
    process = subprocess.Popen(
        called("disassociation"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    with pytest.raises(subprocess.TimeoutExpired):  # all data of the paper take minutes
        process.wait(timeout=3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted"


def test_interrupted_while_it_is_loaded_is_130_in_one_line() -> None:
    script = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "papers.injector.command":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
from papers.program import main
main("injector")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_line_is_the_program_of_a_paper_a_command_or_neither(capfd: Captured) -> None:
    ran = command_line(capfd, "python -m papers.injector --help  # a comment")
    assert ran is not None
    assert "Injector" in ran[1]
    assert command_line(capfd, "shoal --version") == shoal(capfd, "--version")
    assert command_line(capfd, "python growth.py") is None


def test_shoal_has_no_such_command(capfd: Captured) -> None:
    assert shoal(capfd, "reproduce", "injector")[0] == 2
    assert "reproduce" not in shoal(capfd, "--help")[1]


# --- what each of them prints ----------------------------------------------------------------------------------------


def test_claims_of_the_paper_stand_beside_what_comes_out(capfd: Captured) -> None:
    code, out, err = paper(capfd, "local_suppression", "--quick")
    assert (code, err) == (0, "")
    assert "1.8 times the pairs (ANR, mean over figure 7), ARE 31.04 % lower" in out
    assert "generated: 2,000 records" in out
    assert "…" not in out  # no cell is cut off


def test_a_folder_of_data_is_used_as_far_as_it_goes(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    baskets.rename(folder / "groceries.dat")
    code, out, err = paper(capfd, "local_suppression", "--quick", folder, "--json")
    assert code == 0
    left_out = [f"skipped: {name} is not in {folder}" for name in ("msweb", "diabetes", "T10I4D100K", "BMS-WebView-2")]
    assert err.splitlines() == left_out
    found = json.loads(out)
    assert found["claimed"] == {"pairs": 1.8, "error": 31.04}
    assert found["data"]["groceries"] == {"records": 27, "items": 5}
    assert set(found["data"]) == {"groceries", "generated"}
    assert {claim["max_cluster_size"] for claim in found["claims"]} == {30, 100}
    assert {one["vertical"] for one in found["outcomes"]} == {"greedy", "dls", "best"}
    assert all(0 <= one["metrics"]["pair instances kept"] <= 1 for one in found["outcomes"])


def test_a_folder_that_is_not_there_is_one_message(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = paper(capfd, "local_suppression", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err


def test_injector_beside_anatomy_on_made_up_people(capfd: Captured) -> None:
    code, out, err = paper(capfd, "injector", "--quick")
    assert (code, err) == (0, "")
    assert "2,000 rows. Figure 3" in out
    assert "The paper says that Injector has no vulnerable rows. Here it has 0." in " ".join(out.split())
    assert "the paper  " not in out  # whose numbers are about other data
    assert "…" not in out


def test_injector_on_adult_has_the_paper_beside(capfd: Captured, tmp_path: Path) -> None:
    rows = ["39, State-gov, 1, Bachelors, 13, Single, {}, x, White, Male, 0, 0, 40, US, <=50K"] * 3
    jobs = ["Sales", "Tech", "Clerk"]
    lines = [row.format(jobs[(at + number) % 3]) for at in range(40) for number, row in enumerate(rows)]
    lines.append("50, ?, 1, Bachelors, 13, Single, Sales, x, White, Male, 0, 0, 40, US, <=50K")
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text("\n".join(lines))
    code, out, err = paper(capfd, "injector", "--quick", tmp_path)
    assert code == 0
    assert "120 rows. Figure 3" in out  # the row with a missing work class is left out
    assert "the paper" in out
    assert "there is no hierarchy of age" in err
    code, out, _ = paper(capfd, "injector", "--quick", tmp_path, "--json")
    assert json.loads(out)["data"] == "Adult"


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_without_adult_is_one_message(capfd: Captured, tmp_path: Path, folder: str) -> None:
    code, out, err = paper(capfd, "injector", tmp_path / folder)
    assert (code, out) == (2, "")
    assert "there is no folder" in err or "holds no adult.data" in err


def test_hidden_associations_on_made_up_people(capfd: Captured) -> None:
    code, out, err = paper(capfd, "hidden_associations", "--quick")
    assert (code, err) == (0, "")
    assert "Generated people: the paper's claims need not apply. Give DATA to use Adult." in " ".join(out.split())
    assert "2,000 rows, k = 50, confidence 0.5; 2 combinations of columns" in out
    for heading in ("Figure 3(a)", "Figure 3(b)", "Not in the paper"):
        assert heading in out
    assert "greedy hiding generalizes fewer cells than IGA: " in out
    assert "…" not in out


ADULT_ROW = "{}, {}, 1, Bachelors, 13, {}, {}, x, White, {}, 0, 0, 40, US, {}"


def adult_rows(n: int, end: str) -> list[str]:
    """Lines like those of Adult; one of them misses a value."""
    return [
        ADULT_ROW.format(
            17 + at % 40,
            "?" if at == 0 else "Private",
            ("Single", "Married")[at % 2],
            "Sales",
            ("Male", "Female")[at % 2],
            ("<=50K", ">50K")[at % 3 == 0] + end,
        )
        for at in range(n)
    ]


def test_hidden_associations_on_both_files_of_adult(capfd: Captured, tmp_path: Path) -> None:
    (tmp_path / "adult.data").write_text("\n".join(adult_rows(201, "")))
    code, out, err = paper(capfd, "hidden_associations", "--quick", tmp_path)
    assert code == 0
    assert "200 rows, k = 50, confidence 0.5; 2 combinations of columns" in out
    assert "there is no hierarchy of age" in err
    assert "adult.test is not beside" in err
    (tmp_path / "adult.test").write_text("\n".join(["|1x3 Cross validator", *adult_rows(101, ".")]))
    code, out, err = paper(capfd, "hidden_associations", "--quick", tmp_path, "--json")
    assert code == 0
    assert "adult.test" not in err
    found = json.loads(out)
    assert found["data"] == "Adult"
    assert found["rows"] == 300
    first, second = found["combinations"]
    assert first["quasi"] == ["age", "education", "race", "sex"]
    assert first["sensitive"] == ["workclass", "marital-status", "occupation", "salary-class"]
    assert second["quasi"] == ["age", "marital-status", "race", "sex"]
    assert set(found["claims"].values()) <= {True, False, None}


def test_both_files_of_adult_have_the_same_classes_of_salary(tmp_path: Path) -> None:
    files = [tmp_path / "adult.data", tmp_path / "adult.test"]
    files[0].write_text("\n".join(adult_rows(7, "")))
    files[1].write_text("\n".join(["|1x3 Cross validator", *adult_rows(4, ".")]))
    rows = _rows(files)
    assert rows.num_rows == 6 + 3  # one of each misses a value
    assert set(rows["salary-class"].to_pylist()) == {"<=50K", ">50K"}


def test_hidden_associations_without_the_folder(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = paper(capfd, "hidden_associations", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err


def test_randomized_baskets_on_made_up_ones(capfd: Captured) -> None:
    code, out, err = paper(capfd, "randomization", "--quick")
    assert (code, err) == (0, "")
    for sentence in (
        "Table 2: average privacy, by number of fakes per real transaction and share of fakes filtered out: "
        "40 of 40 cells match the paper",
        "Table 3: the same with more fakes: 40 of 40",
        "Table 7: fakes per real transaction, by privacy and P_r of the flips: 54 of 54",
        "Table 8: the same in megabytes, for 4.4 MB of data: 53 of 54",
        "6.844 (printed: 2.444)",
        "Figures 1 and 2",
        "mean ± deviation of 2 runs",
        "Table 6: CPU seconds to mine generated like T10I4D100K",
    ):
        assert sentence in out
    assert "the paper, on BMS-WebView-1" not in out  # whose numbers are about other settings
    assert "No setting has both the small errors of table 5 and the savings of table 7" in " ".join(out.split())
    assert "…" not in out


def test_randomized_baskets_on_a_folder(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    baskets.rename(folder / "BMS-WebView-1.dat")
    code, out, err = paper(capfd, "randomization", "--quick", folder, "--runs", "1", "--json")
    assert code == 0
    left_out = [f"skipped: {name} is not in {folder}" for name in ("msweb", "diabetes", "groceries", "T10I4D100K")]
    assert err.splitlines() == left_out
    found = json.loads(out)
    assert next(cell for cell in found["tables"]["8"] if not cell["agrees"])["printed"] == "2.444"
    assert found["measured"]["runs"] == 1
    assert set(found["measured"]["sizes"]) == {"BMS-WebView-1", "generated", "generated like T10I4D100K"}
    code, out, err = paper(capfd, "randomization", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err


def test_disassociation_on_made_up_baskets(capfd: Captured) -> None:
    code, out, err = paper(capfd, "disassociation", "--quick")
    assert (code, err) == (0, "")
    for heading in (
        "Figure 7a: information loss, by data set",
        "Figure 7c: errors of pairs of less frequent items, by k (like BMS-POS)",
        "Section 7: information loss, by m",
        "Figure 8d: information loss, by record length (default: 1,000 records, 300 items, mean length 6)",
        "Figure 10b: CPU seconds",
        "Figure 11c: errors of pairs of the 20 most frequent items, compared with both",
        "like BMS-POS: neighbouring items joined, 10 at a time",
        "Claims of the paper, reproduced? yes ",
    ):
        assert heading in out
    assert "re-r2" in out  # figure 7d: two reconstructions
    assert "disassociation   Apriori   DiffPart 0.5   0.75    1       1.25" in out
    assert "figure 9: the time is not significantly affected by k. Measured: 2: " in " ".join(out.split())
    assert "…" not in out


def test_disassociation_on_a_folder(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    baskets.rename(folder / "groceries.dat")
    options = ["--quick", folder, "--figures", "7a,7b", "--json"]
    code, out, err = paper(capfd, "disassociation", *options)
    assert code == 0
    missing = ("BMS-POS", "BMS-WebView-1", "BMS-WebView-2", "msweb", "diabetes", "T10I4D100K")
    assert err.splitlines() == [f"skipped: {name} is not in {folder}" for name in missing]
    found = json.loads(out)
    assert list(found["figures"]) == ["7a", "7b"]
    first, second = found["figures"]["7a"]["points"]
    assert (first["data"], first["records"], first["items"]) == ("groceries", 27, 5)
    assert first["values"]["re 200-220"] is None  # there are no such ranks
    assert second["data"] == "like BMS-POS"
    assert [point["k"] for point in found["figures"]["7b"]["points"]] == [2, 5, 10]
    assert {claim["figure"] for claim in found["claims"]} == {"7a", "7b"}
    assert {claim["outcome"] for claim in found["claims"]} <= {"yes", "partly", "no", "nothing to compare"}
    code, out, _ = paper(capfd, "disassociation", *options[:-2], "7a")
    assert code == 0
    assert "nothing   nothing   nothing" in out


def test_disassociation_says_what_is_wrong(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = paper(capfd, "disassociation", "--figures", "7a,6")
    assert (code, out) == (2, "")
    assert "there is no figure '6': choose among 7a, 7b" in err
    code, out, err = paper(capfd, "disassociation", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err
