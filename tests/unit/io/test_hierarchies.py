from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from shoal.data.hierarchy import Hierarchy
from shoal.data.hierarchy_builders import by_frequency, prefixes, ranges
from shoal.errors import InputError
from shoal.io.hierarchies import read_hierarchy, write_hierarchy
from shoal.io.tables import read_table
from tests.oracles import hierarchies as oracle
from tests.plugins.real_data import ADULT_COLUMNS

ROWS = [("State", "Gov", "*"), ("Own", "Self", "*")]


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_separators_are_recognised(tmp_path: Path, separator: str, end: str, mark: bytes) -> None:
    path = tmp_path / "work.csv"
    path.write_bytes(mark + "".join(separator.join(row) + end for row in ROWS).encode())
    assert list(read_hierarchy(path).rows()) == ROWS
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_hierarchy(str(path)).rows()) == ROWS


def test_commas_inside_ranges_are_not_separators(tmp_path: Path) -> None:
    path = tmp_path / "age.csv"
    path.write_text("23;[20, 30);*\n35;[30, 40);*\n")
    assert read_hierarchy(path).labels[1] == ("[20, 30)", "[30, 40)")


def test_a_forced_separator(tmp_path: Path) -> None:
    path = tmp_path / "work.csv"
    path.write_text("a;b|*\nc;d|*\n")
    assert read_hierarchy(path, separator="|").leaves == ("a;b", "c;d")
    with pytest.raises(InputError, match="separator must be one character other than a quote, got ''"):
        read_hierarchy(path, separator="")


def test_one_error_names_lines_of_the_file_and_values_of_the_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # messages cut long paths
    path = Path("work.csv")
    path.write_text("\nState;Gov;*\n\nOwn;*\nState;Self;*\n")
    with pytest.raises(InputError) as caught:
        read_hierarchy(path, column=["State", "Church"])
    assert str(caught.value).splitlines() == [
        f"hierarchy '{path}' does not fit:",
        "  ragged levels (1): line 4 ('Own') has 2 of 3",
        "  two paths (1): 'State' to Gov > * (line 2) and to Self > * (line 5)",
        "  without a place (1): 'Church'",
        "add complete=True to correct this (ragged levels, without a place): short rows are padded with the root, and "
        "values without a place are put directly below it; to be corrected by hand: two paths",
    ]


def test_completing(tmp_path: Path) -> None:
    path = tmp_path / "work.csv"
    path.write_text("State;Gov;*\nOwn;*\n")
    tree = read_hierarchy(path, column=["Church"], complete=True, name="work")
    assert list(tree.rows()) == [("State", "Gov", "*"), ("Own", "*", "*"), ("Church", "*", "*")]
    assert tree.name == "work"


def test_files_that_are_no_hierarchy(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(InputError, match=r"no such file: .*x\.csv"):
        read_hierarchy(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"hierarchy '.*x.csv' is empty: give one row for each value"):
        read_hierarchy(path)
    path.write_bytes(b"a;*\n\xe4;*\n")
    with pytest.raises(InputError, match=r"x.csv, line 2: not UTF-8 text \(byte 0xe4\)"):
        read_hierarchy(path)
    path.write_bytes(b'a;*\n"b;*\nc;*\n')
    with pytest.raises(InputError, match=r"x.csv, line 2: not well-formed: .* \(is a quote left open\?\)"):
        read_hierarchy(path)
    path.write_bytes(b"a;*\n" + b"x" * 200_000 + b";*\n")
    with pytest.raises(InputError, match=r"x.csv, line 2: not well-formed: field larger than field limit"):
        read_hierarchy(path)


def test_writing_and_reading_back(tmp_path: Path) -> None:
    awkward = [('say "a"', "x;y", "*"), ("two\nlines", "x;y", "*"), ("c", "[1, 2)", "*")]
    path = tmp_path / "tree.csv"
    for separator in (";", ","):
        write_hierarchy(Hierarchy.from_rows(awkward), path, separator=separator)
        assert list(read_hierarchy(path, separator=separator).rows()) == awkward
    with pytest.raises(InputError, match=r"cannot write .*: No such file or directory"):
        write_hierarchy(Hierarchy.from_rows(ROWS), tmp_path / "no" / "tree.csv")


@pytest.mark.parametrize(
    ("name", "height", "leaves", "lacking"),
    [
        ("age", 4, 100, []),
        ("education", 3, 16, []),
        ("marital-status", 2, 7, []),
        ("native-country", 2, 41, ["?"]),
        ("occupation", 2, 14, ["?"]),
        ("race", 1, 5, []),
        ("salary-class", 1, 2, []),
        ("sex", 1, 2, []),
        ("workclass", 2, 8, ["?"]),
    ],
)
def test_every_adult_hierarchy_against_its_column(
    adult_folder: Path, name: str, height: int, leaves: int, lacking: list[str]
) -> None:
    path = adult_folder / "hierarchies" / f"{name}.csv"
    kept = read_table(adult_folder / "adult.data", column_names=ADULT_COLUMNS, missing="keep").column(name)
    complete = read_table(adult_folder / "adult.data", column_names=ADULT_COLUMNS, missing="drop").column(name)
    tree = read_hierarchy(path, column=complete)
    assert (tree.height, tree.n_leaves, tree.root) == (height, leaves, "*")
    assert oracle.faults(list(tree.rows())) == []
    if lacking:
        with pytest.raises(InputError, match=r"without a place \(1\): '\?'\nadd complete=True"):
            read_hierarchy(path, column=kept)
    completed = read_hierarchy(path, column=kept, complete=True)
    assert completed.leaves == (*tree.leaves, *lacking)
    rows = list(completed.rows())
    generalized = completed.generalize(completed.places(kept)[kept.codes], 1)
    above = {row[0]: row[1] for row in rows}
    assert [completed.labels[1][code] for code in generalized.tolist()] == [
        above[kept.texts[c]] for c in kept.codes.tolist()
    ]


def test_the_labels_of_the_adult_test_file_need_completing(adult_folder: Path) -> None:
    test = read_table(adult_folder / "adult.test", column_names=ADULT_COLUMNS, skip_rows=1, missing="keep")
    with pytest.raises(InputError, match=r"without a place \(2\): '<=50K\.', '>50K\.'"):
        read_hierarchy(adult_folder / "hierarchies" / "salary-class.csv", column=test.column("salary-class"))


def test_generated_hierarchies_of_all_adult_columns(tmp_path: Path, adult_folder: Path) -> None:
    for column in read_table(adult_folder / "adult.data", column_names=ADULT_COLUMNS, missing="keep"):
        for make in (by_frequency, prefixes, *([ranges] if column.is_number else [])):
            tree = make(column)
            assert oracle.faults(list(tree.rows())) == []
            write_hierarchy(tree, tmp_path / "tree.csv")
            again = read_hierarchy(tmp_path / "tree.csv", column=column)
            assert (again.labels, again.codes.tolist()) == (tree.labels, tree.codes.tolist())
