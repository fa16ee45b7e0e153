"""The samples of real data: drawn as they say, small, and only of what may be passed on."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.making import samples
from tests.running.nested_pytest import ROOT, run_suite


def test_samples_are_drawn_from_the_whole_as_the_page_beside_them_says(whole_file: Callable[[str], Path]) -> None:
    for name in (*samples.EVERY, *samples.WHOLE):
        assert (samples.FOLDER / name).read_bytes() == samples.draw(name, whole_file(name).read_bytes()), name


def test_the_head_of_a_file_stays_and_the_first_of_so_many_records_is_taken() -> None:
    assert samples.draw("adult/adult.test", b"|a comment\n" + b"".join(b"%d\n" % n for n in range(250)) + b"\n") == (
        b"|a comment\n0\n100\n200\n"
    )
    assert samples.draw("adult/hierarchies/sex.csv", b"Male;*\nFemale;*\n") == b"Male;*\nFemale;*\n"


def test_all_samples_are_small_and_have_their_source_and_terms_on_the_page() -> None:
    listed = subprocess.check_output(["git", "ls-files", "tests/data"], cwd=ROOT, text=True).split()
    names = {str(Path(name).relative_to("tests/data")) for name in listed}
    assert names == {*samples.EVERY, *samples.WHOLE, "README.md"}
    assert sum((samples.FOLDER / name).stat().st_size for name in names) < 300_000
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (samples.FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    assert {row[0].strip("`/") for row in rows} == {str(Path(name).parent) for name in names - {"README.md"}}
    for folder, _, source, terms, _ in rows:
        assert "https://" in source
        if folder == "`adult/hierarchies/`":
            assert terms.startswith("Apache-2.0")
        else:
            assert terms == "CC BY 4.0"
    for name, step in samples.EVERY.items():
        (changes,) = [row[4] for row in rows if row[0].strip("`/") == str(Path(name).parent)]
        assert f"every {step}th" in changes


SEEN = """
def test_both(real_file, whole_file, on_sample):
    path = real_file("msweb/msweb.dat")
    assert on_sample == (path.read_text() != "whole")
    if not on_sample:
        assert whole_file("msweb/msweb.dat") == path

def test_whole(whole_file):
    assert whole_file("msweb/msweb.dat").read_text() == "whole"

def test_what_has_no_sample(real_file):
    assert real_file("groceries/groceries.dat").read_text() == "whole"
"""


def test_a_sample_is_taken_only_where_no_real_data_are_at_hand_at_all(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert run_suite(tmp_path, SEEN, SHOAL_DATA=str(data))[0] == {"passed": 1, "skipped": 2}
    (data / "groceries").mkdir(parents=True)
    (data / "groceries" / "groceries.dat").write_text("whole")
    # A folder that lacks some of the data is a mistake, which a sample would hide.
    assert run_suite(tmp_path, SEEN, SHOAL_DATA=str(data))[0] == {"passed": 1, "skipped": 2}
    (data / "msweb").mkdir()
    (data / "msweb" / "msweb.dat").write_text("whole")
    assert run_suite(tmp_path, SEEN, SHOAL_DATA=str(data))[0] == {"passed": 3}
