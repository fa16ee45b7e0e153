"""Which data sets a folder holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from papers.data_sets import DISASSOCIATION_DATA, find, find_adult, item_levels_beside
from shoal.errors import InputError


@pytest.mark.parametrize(
    "name", ["BMS-WebView-2.dat", "bms_webview_2.txt", "BMSWebView2.dat.gz", "WV2.DAT", "below/BMS-WebView-2.dat"]
)
def test_webview_2_is_found_under_its_usual_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    found = find(tmp_path)
    assert found.files == {"BMS-WebView-2": path}
    assert found.missing == ("groceries", "msweb", "diabetes", "T10I4D100K")


@pytest.mark.parametrize("name", ["BMS-WebView-1.dat", "webview2.parquet", "groceries.csv", "groceries.dat/x"])
def test_other_files_are_not_taken_for_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    with pytest.raises(InputError, match="holds none of groceries, msweb"):
        find(tmp_path)


def test_a_file_in_the_folder_itself_comes_before_one_below(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for path in (tmp_path / "a" / "groceries.dat", tmp_path / "groceries.dat"):
        path.touch()
    assert find(tmp_path).files["groceries"] == tmp_path / "groceries.dat"


def test_no_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere"):
        find(tmp_path / "nowhere")


def test_the_test_file_of_adult_is_found_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "adult.data").touch()
    assert find_adult(tmp_path).test is None
    (tmp_path / "adult.test").touch()
    assert find_adult(tmp_path).test == tmp_path / "adult.test"


def test_hierarchies_of_adult_are_those_asked_for(tmp_path: Path) -> None:
    (tmp_path / "adult.data").touch()
    (tmp_path / "hierarchies").mkdir()
    for name in ("age", "occupation"):
        (tmp_path / "hierarchies" / f"{name}.csv").touch()
    assert list(find_adult(tmp_path).hierarchies) == ["age"]
    assert list(find_adult(tmp_path, ["sex", "occupation"]).hierarchies) == ["occupation"]


def test_pos_and_the_levels_of_items_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bms-pos.dat"
    path.touch()
    found = find(tmp_path, DISASSOCIATION_DATA)
    assert found.files == {"BMS-POS": path}
    assert found.missing == DISASSOCIATION_DATA[1:]
    assert item_levels_beside(path) is None
    (tmp_path / "items.tsv").touch()
    assert item_levels_beside(path) == tmp_path / "items.tsv"
