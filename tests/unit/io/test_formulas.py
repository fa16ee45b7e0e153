"""Cells that a spreadsheet would take for formulas are escaped, numbers are not, and nothing is lost."""

from __future__ import annotations

import csv
import io
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.io.formulas import escape, escaped_table, number_in, undo
from shoal.io.results import write_csv, write_json, write_raw_csv

FORMULAS = ["=1+1", "+cmd", "-x", "@SUM(A1)", "\tx", "\rx", "\nx", "  =1", "-1-1", "+1,5", "-", "--5", "\uff1d1"]
PLAIN = ["tea", "a=b", "", " x", "-5", "+3.25", "-.5", "-1e-3", "'tea", "1-2", "x\t=1", "[-5, 0)"]
TEXTS = st.text(st.sampled_from("='+-@\t\r\n 5.ea\uff1d,\""), max_size=8)


def test_formulas_get_an_apostrophe_and_all_else_stays() -> None:
    assert escape(pa.array(FORMULAS)).to_pylist() == [f"'{text}" for text in FORMULAS]
    assert escape(pa.array([*PLAIN, None])).to_pylist() == [*PLAIN, None]


@given(st.lists(TEXTS, max_size=20))
def test_no_cell_begins_a_formula_and_escaping_can_be_undone(texts: list[str]) -> None:
    cells = escape(pa.array(texts, pa.string()))
    assert undo(cells).to_pylist() == texts
    for cell in cells.to_pylist():
        begins = cell.lstrip(" ")[:1] in tuple("=+-@\uff1d") or cell[:1] in tuple("\t\r\n")
        assert not begins or cell == "" or re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", cell)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_cells_and_headings_of_a_table_are_escaped_and_numbers_are_not(kind: pa.DataType) -> None:
    texts = pa.array(["=1+1", "tea", None]).cast(kind)
    rows = pa.table({"=name": texts, "n": [-5, 6, -7], "x": [-0.5, float("-inf"), 2.0], "sets": [["=1"], ["-a"], []]})
    out = io.BytesIO()
    write_csv(rows, out)
    head, *read = csv.reader(io.StringIO(out.getvalue().decode()))
    assert head == ["'=name", "n", "x", "sets"]
    assert [row[0] for row in read] == ["'=1+1", "tea", ""]
    assert [row[1] for row in read] == ["-5", "6", "-7"]
    assert [row[2] for row in read] == ["-0.5", "-inf", "2"]
    assert [row[3] for row in read] == ['["=1"]', '["-a"]', "[]"]
    assert number_in(rows) == 2
    assert escaped_table(rows).num_rows == 3


def test_raw_files_and_other_formats_hold_texts_as_they_are() -> None:
    rows = pa.table({"=name": ["=1+1"]})
    raw, lines = io.BytesIO(), io.BytesIO()
    write_raw_csv(rows, raw)
    write_json(rows, lines)
    assert list(csv.reader(io.StringIO(raw.getvalue().decode()))) == [["=name"], ["=1+1"]]
    assert '"=1+1"' in lines.getvalue().decode()
