"""Escape texts in CSV that a spreadsheet would take for formulas, by a leading apostrophe that can be removed again.

A cell is escaped if it begins with ``=``, ``+``, ``-`` or ``@`` (also full-width), after blanks or not, or with a tab
or a line end. Apostrophes before these are ignored: an escaped text is escaped again, so nothing is lost. A text that
is a number, such as ``-5``, stays: a spreadsheet reads it as that number.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_SIGNS = r"(?: *[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]|[\t\r\n])"
_FORMULA = rf"\A'*{_SIGNS}"
_ESCAPED = rf"\A'+{_SIGNS}"
_APOSTROPHE, _NOTHING = pa.scalar("'", pa.large_string()), pa.scalar("", pa.large_string())
_NUMBER = r"\A[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\z"


def escape(words: Any) -> Any:
    """Texts as cells of a CSV file, with an apostrophe before each that a spreadsheet would take for a formula.

    Args:
        words: texts, as an Arrow array in one piece or several.

    Example:
        >>> escape(pa.array(["=1+1", "-5", "-x", "'@", "tea", None])).to_pylist()
        ["'=1+1", '-5', "'-x", "''@", 'tea', None]
    """
    words = words.cast(pa.large_string())
    marked = pc.binary_join_element_wise(_APOSTROPHE, words, _NOTHING)
    return pc.if_else(_is_formula(words), marked, words)


def undo(words: Any) -> Any:
    """Cells of a CSV file as the texts before ``escape``.

    Example:
        >>> undo(escape(pa.array(["=1+1", "-5", "''@", "'tea"]))).to_pylist()
        ['=1+1', '-5', "''@", "'tea"]
    """
    words = words.cast(pa.large_string())
    return pc.if_else(pc.match_substring_regex(words, _ESCAPED), pc.utf8_slice_codeunits(words, 1), words)


def escaped_table(table: pa.Table) -> pa.Table:
    """A table with texts and names of columns escaped for a CSV file."""
    columns = [escape(column) if _holds_texts(column.type) else column for column in table.columns]
    return pa.table(columns, names=escape(pa.array(table.column_names, pa.string())).to_pylist())


def number_of(words: Any) -> int:
    """How many texts are escaped."""
    return pc.sum(_is_formula(words.cast(pa.large_string()))).as_py() or 0


def number_in(table: pa.Table) -> int:
    """How many texts and names of columns of a table are escaped."""
    names = number_of(pa.array(table.column_names, pa.string()))
    return names + sum(number_of(column) for column in table.columns if _holds_texts(column.type))


def _is_formula(words: Any) -> Any:
    begins = pc.match_substring_regex(words, _FORMULA)
    return pc.and_not(begins, pc.match_substring_regex(words, _NUMBER))


def _holds_texts(kind: pa.DataType) -> bool:
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner) or pa.types.is_string_view(inner))
