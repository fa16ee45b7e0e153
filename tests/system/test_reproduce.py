"""``shoal reproduce dls``: on made-up baskets, on a folder of data, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.cli.reproduce.qs import _rows
from tests.commands import shoal

Captured = pytest.CaptureFixture[str]


def test_claims_of_the_paper_stand_beside_what_comes_out(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "reproduce", "dls", "--quick")
    assert (code, err) == (0, "")
    assert "1.8 times the pairs (ANR, mean over figure 7), ARE 31.04 % lower" in out
    assert "made up: 2,000 records" in out
    assert "…" not in out  # no cell is cut off


def test_a_folder_of_data_is_used_as_far_as_it_goes(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    baskets.rename(folder / "groceries.dat")
    code, out, err = shoal(capfd, "reproduce", "dls", "--quick", "--data", folder, "--json")
    assert code == 0
    left_out = [f"left out: {name} is not in {folder}" for name in ("msweb", "diabetes", "T10I4D100K", "BMS-WebView-2")]
    assert err.splitlines() == left_out
    found = json.loads(out)
    assert found["claimed"] == {"pairs": 1.8, "error": 31.04}
    assert found["data"]["groceries"] == {"records": 27, "items": 5}
    assert set(found["data"]) == {"groceries", "made up"}
    assert {claim["max_cluster_size"] for claim in found["claims"]} == {30, 100}
    assert {one["vertical"] for one in found["outcomes"]} == {"greedy", "dls", "best"}
    assert all(0 <= one["metrics"]["pair instances kept"] <= 1 for one in found["outcomes"])


def test_a_folder_that_is_not_there_is_one_message(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = shoal(capfd, "reproduce", "dls", "--data", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err


def test_injector_beside_anatomy_on_made_up_people(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "reproduce", "injector", "--quick")
    assert (code, err) == (0, "")
    assert "2,000 rows. Figure 3" in out
    assert "The paper says that Injector has no vulnerable rows: here 0." in " ".join(out.split())
    assert "the paper  " not in out  # whose numbers are about other data
    assert "…" not in out


def test_injector_on_adult_has_the_paper_beside(capfd: Captured, tmp_path: Path) -> None:
    rows = ["39, State-gov, 1, Bachelors, 13, Single, {}, x, White, Male, 0, 0, 40, US, <=50K"] * 3
    jobs = ["Sales", "Tech", "Clerk"]
    lines = [row.format(jobs[(at + number) % 3]) for at in range(40) for number, row in enumerate(rows)]
    lines.append("50, ?, 1, Bachelors, 13, Single, Sales, x, White, Male, 0, 0, 40, US, <=50K")
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text("\n".join(lines))
    code, out, err = shoal(capfd, "reproduce", "injector", "--quick", "--data", tmp_path)
    assert code == 0
    assert "120 rows. Figure 3" in out  # the row with a missing work class is left out
    assert "the paper" in out
    assert "there is no hierarchy of age" in err
    code, out, _ = shoal(capfd, "reproduce", "injector", "--quick", "--data", tmp_path, "--json")
    assert json.loads(out)["data"] == "Adult"


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_without_adult_is_one_message(capfd: Captured, tmp_path: Path, folder: str) -> None:
    code, out, err = shoal(capfd, "reproduce", "injector", "--data", tmp_path / folder)
    assert (code, out) == (2, "")
    assert "there is no folder" in err or "holds no adult.data" in err


def test_hidden_associations_on_made_up_people(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "reproduce", "qs", "--quick")
    assert (code, err) == (0, "")
    assert "Made-up people, to which the paper's claims need not apply" in " ".join(out.split())
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
    code, out, err = shoal(capfd, "reproduce", "qs", "--quick", "--data", tmp_path)
    assert code == 0
    assert "200 rows, k = 50, confidence 0.5; 2 combinations of columns" in out
    assert "there is no hierarchy of age" in err
    assert "adult.test is not beside" in err
    (tmp_path / "adult.test").write_text("\n".join(["|1x3 Cross validator", *adult_rows(101, ".")]))
    code, out, err = shoal(capfd, "reproduce", "qs", "--quick", "--data", tmp_path, "--json")
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
    code, out, err = shoal(capfd, "reproduce", "qs", "--data", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err


def test_randomized_baskets_on_made_up_ones(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "reproduce", "pparm", "--quick")
    assert (code, err) == (0, "")
    for sentence in (
        "Table 2: privacy of made-up rows on average, by the share that is filtered: 40 of 40 cells are as printed",
        "Table 3: the same with more of them: 40 of 40",
        "Table 7: made-up rows for each real one, by the privacy and P_r of flips: 54 of 54",
        "Table 8: the same in megabytes, of 4.4: 53 of 54",
        "6.844 (printed: 2.444)",
        "Figures 1 and 2",
        "mean and spread of 2 runs",
        "Table 6: CPU seconds to mine made up like T10I4D100K",
    ):
        assert sentence in out
    assert "the paper, on BMS-WebView-1" not in out  # whose numbers are about other settings
    assert "are not reached together" in out
    assert "…" not in out


def test_randomized_baskets_on_a_folder(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    baskets.rename(folder / "BMS-WebView-1.dat")
    code, out, err = shoal(capfd, "reproduce", "pparm", "--quick", "--data", folder, "--runs", "1", "--json")
    assert code == 0
    left_out = [f"left out: {name} is not in {folder}" for name in ("msweb", "diabetes", "groceries", "T10I4D100K")]
    assert err.splitlines() == left_out
    found = json.loads(out)
    assert next(cell for cell in found["tables"]["8"] if not cell["agrees"])["printed"] == "2.444"
    assert found["measured"]["runs"] == 1
    assert set(found["measured"]["sizes"]) == {"BMS-WebView-1", "made up", "made up like T10I4D100K"}
    code, out, err = shoal(capfd, "reproduce", "pparm", "--data", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err


def test_disassociation_on_made_up_baskets(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "reproduce", "disassociation", "--quick")
    assert (code, err) == (0, "")
    for heading in (
        "Figure 7a: what is lost of each data set",
        "Figure 7c: errors of pairs of less frequent items, by k (like BMS-POS)",
        "By m: what is lost",
        "Figure 8d: what is lost, by the length of records (1,000 records of 6 of 300 unless it varies)",
        "Figure 10b: CPU seconds",
        "Figure 11c: errors of pairs of the 20 most frequent items, beside both",
        "like BMS-POS: neighbours in the order of the items, 10 at a time",
        "What the paper says, and what came out: yes ",
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
    options = ["--quick", "--data", folder, "--figures", "7a,7b", "--json"]
    code, out, err = shoal(capfd, "reproduce", "disassociation", *options)
    assert code == 0
    missing = ("BMS-POS", "BMS-WebView-1", "BMS-WebView-2", "msweb", "diabetes", "T10I4D100K")
    assert err.splitlines() == [f"left out: {name} is not in {folder}" for name in missing]
    found = json.loads(out)
    assert list(found["figures"]) == ["7a", "7b"]
    first, second = found["figures"]["7a"]["points"]
    assert (first["data"], first["records"], first["items"]) == ("groceries", 27, 5)
    assert first["values"]["re 200-220"] is None  # there are no such ranks
    assert second["data"] == "like BMS-POS"
    assert [point["k"] for point in found["figures"]["7b"]["points"]] == [2, 5, 10]
    assert {claim["figure"] for claim in found["claims"]} == {"7a", "7b"}
    assert {claim["outcome"] for claim in found["claims"]} <= {"yes", "partly", "no", "nothing to compare"}
    code, out, _ = shoal(capfd, "reproduce", "disassociation", *options[:-2], "7a")
    assert code == 0
    assert "nothing   nothing   nothing" in out


def test_disassociation_says_what_is_wrong(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = shoal(capfd, "reproduce", "disassociation", "--figures", "7a,6")
    assert (code, out) == (2, "")
    assert "there is no figure '6': choose among 7a, 7b" in err
    code, out, err = shoal(capfd, "reproduce", "disassociation", "--data", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err
