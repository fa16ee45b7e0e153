"""Files of negative rules, written by ``shoal mine --negative`` or by hand.

A JSON array of objects, or a Parquet table, with a rule a row: ``sensitive`` (the column), ``excluded`` (its value) and
``conditions``, each with a ``column``, its ``values`` as texts and, optionally, a ``label``. Other entries of a row,
such as counts, describe how the rule was found, and are ignored here.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import pyarrow as pa

from shoal.data.background import Background, Condition, NegativeRule
from shoal.errors import InputError
from shoal.io.library_errors import parquet_damage, parquet_file
from shoal.io.opening import whole
from shoal.io.strict_json import parse_strictly
from shoal.io.whole_words import require_words
from shoal.quoting import listed, named, shown

_NEEDED = ("sensitive", "excluded", "conditions")
_ADVICE = "write rules with shoal mine TABLE --negative -o rules.json (or .parquet)"


def read_background(path: str | PathLike[str]) -> Background:
    """Read the rules that an adversary is assumed to know.

    Args:
        path: A JSON or Parquet file, gzipped or not; recognised by content.

    Returns:
        The rules, in the order of the file.

    Raises:
        InputError: The file cannot be read, holds no rules, or a row is not a rule; says which row, and why.
    """
    called = str(path)
    data = whole(path)
    rows = _parquet_rows(data, called) if data.startswith(b"PAR1") else _json_rows(data, called)
    if not rows:
        raise InputError(
            f"{called} holds no rules: a lower --min-expectation finds more, or go without a file of rules"
        )
    rules = [_rule(row, f"{called}, rule {number}") for number, row in enumerate(rows, start=1)]
    about = list(dict.fromkeys(row["sensitive"] for row in rows))
    if len(about) > 1:
        raise InputError(
            f"{called} has rules about two sensitive columns, {named(about[0])} and {named(about[1])}: use two files"
        )
    return Background(about[0], tuple(rules))


def _json_rows(data: bytes, called: str) -> list[Any]:
    try:
        rows = parse_strictly(data)
    except ValueError as error:
        raise InputError(f"{called} is neither JSON nor Parquet ({error}): {_ADVICE}") from None
    if not isinstance(rows, list):
        raise InputError(f"{called} is not a JSON array with an object for each rule: {_ADVICE}")
    return rows


def _parquet_rows(data: bytes, called: str) -> list[Any]:
    with parquet_damage(called):
        file = parquet_file(pa.BufferReader(data), called)
        lacking = [name for name in _NEEDED if name not in file.schema_arrow.names]
        if lacking:
            raise InputError(f"{called} has no column {listed(lacking)}: {_ADVICE}")
        table = file.read(columns=list(_NEEDED))
        for name in _NEEDED[:2]:
            require_words(table[name], name, called)
        table.validate(full=True)  # readers accept any bytes as text
        rows: list[Any] = table.to_pylist()
    return rows


def _rule(row: Any, where: str) -> NegativeRule:
    if not isinstance(row, dict):
        raise InputError(f"{where} is {shown(row)}, not an object with {', '.join(_NEEDED)}")
    sensitive, excluded = (_text(row, name, where) for name in ("sensitive", "excluded"))
    parts = row.get("conditions")
    if not isinstance(parts, list) or not parts:
        raise InputError(f"{where}: 'conditions' must be a list of conditions, and there is {_found(parts)}")
    conditions = tuple(_condition(part, where) for part in parts)
    columns = [condition.column for condition in conditions]
    if len(set(columns)) < len(columns):
        raise InputError(f"{where} has two conditions on one column: join their values in one condition, or split it")
    if sensitive in columns:
        raise InputError(f"{where} has a condition on {named(sensitive)}, the sensitive column itself")
    return NegativeRule(conditions, excluded)


def _condition(part: Any, where: str) -> Condition:
    if not isinstance(part, dict):
        raise InputError(f"{where} has the condition {shown(part)}, not an object with column, label and values")
    column, values = _text(part, "column", where), part.get("values")
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        raise InputError(
            f'{where}: the condition on {named(column)} must list its values as texts, as in ["39", "40"], and there '
            "is "
            f"{shown(values)}"
        )
    label = part.get("label", " or ".join(values))
    return Condition(column, _text({"label": label}, "label", where), tuple(dict.fromkeys(values)))


def _text(row: dict[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: {named(name)} must be a text, and there is {_found(value)}")
    return value


def _found(value: Any) -> str:
    return "nothing" if value is None else shown(value)
