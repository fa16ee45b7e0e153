"""Detect columns of texts that look like numbers, but cannot be treated as numbers."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.table import Column

_PLAIN = r"^[+-]?[0-9]+([.][0-9]+)?$"
# Digits, grouped or not, perhaps behind a currency and before a unit: 1,234  39 years  12%  $5
_NUMBER = r"^[$\x{20ac}\x{a3}]? ?[+-]?([0-9]+|[0-9]{1,3}([,' .][0-9]{3})+)([.,][0-9]+)?( ?[A-Za-z%\x{20ac}\x{b0}]+)?$"
_CODE = re.compile(r"[+-]?0[0-9]|[0-9]+[A-Za-z]")  # 01305 and 12b are codes, not numbers
# The share of a column's different texts that must be numbers before it counts as a column of numbers.
_MOSTLY = 0.9


def number_text(column: Column) -> str | None:
    """An example text if most texts of a column are numbers, preferably one that is no plain number; otherwise None.

    Example:
        >>> from shoal.data.table import Table
        >>> ages = Table.from_arrow(pa.table({"age": ["39", "50", "38 years"], "town": ["a", "b", "1"]}))
        >>> number_text(ages.column("age")), number_text(ages.column("town"))
        ('38 years', None)
    """
    if column.is_number or not (pa.types.is_string(column.values.type) or pa.types.is_large_string(column.values.type)):
        return None
    texts = pc.drop_null(column.values)
    numbers = pc.sum(pc.match_substring_regex(texts, _NUMBER)).as_py() or 0
    if not numbers or numbers < _MOSTLY * len(texts) or any(_CODE.match(text) for text in texts.to_pylist()):
        return None
    odd = texts.filter(pc.invert(pc.match_substring_regex(texts, _PLAIN)))
    sample: str = (odd if len(odd) else texts)[0].as_py()
    return sample
