"""Files of rules: what was written comes back, and what is wrong is named by file and rule."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import Background, Table, negative_rules, read_background
from shoal.data.background import Condition, NegativeRule
from shoal.errors import InputError
from shoal.io.results import WRITERS

TABLE = pa.table(
    {
        "sex": ["m", "m", "f", "f", "m", "f"] * 3,
        "age": [30, 31, 31, None, 30, 60] * 3,
        "ill": ["flu", "flu", "birth", "flu", "gout", None] * 3,
    }
)
RULE = {"sensitive": "ill", "excluded": "birth", "conditions": [{"column": "sex", "label": "m", "values": ["m"]}]}


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@pytest.mark.parametrize("membership", ["crisp", "product"])
@pytest.mark.parametrize("compressed", [False, True])
def test_what_was_written_comes_back(tmp_path: Path, suffix: str, membership: Any, compressed: bool) -> None:
    table = Table.from_arrow(TABLE, quasi=["sex", "age"], sensitive="ill")
    rules = negative_rules(table, 0.3, max_attributes=2, membership=membership)
    file = tmp_path / f"rules{suffix}"
    with file.open("wb") as out:
        WRITERS[suffix](rules.to_arrow(), out)
    if compressed:
        file.write_bytes(gzip.compress(file.read_bytes()))
    read = read_background(file)
    assert read.sensitive == "ill"
    assert len(read) == len(rules) > 10
    assert set(rules.background().rules) < set(read.rules)
    assert any(len(rule.conditions) == 2 for rule in read.rules)
    assert "?" in {rule.excluded for rule in read.rules}


def test_rules_can_be_written_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([RULE | {"conditions": [{"column": "age", "values": ["8", "9", "9"]}]}]))
    age = Condition("age", "8 or 9 or 9", ("8", "9"))
    assert read_background(file) == Background("ill", (NegativeRule((age,), "birth"),))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "holds no rules"),
        ("{", "is neither JSON nor Parquet"),
        ("\ufeff\x00", "line 1: a NUL byte: this is not a text file"),
        ("[" * 100_000, "is neither JSON nor Parquet"),
        ('{"rules": []}', "is not a JSON array with an object for each rule"),
        ([RULE, 3], "rule 2 is 3, not an object"),
        ([RULE, RULE | {"sensitive": "job"}], "rules about two sensitive columns, 'ill' and 'job'"),
        ([RULE | {"sensitive": None}], "rule 1: 'sensitive' must be a text, and there is nothing"),
        ([RULE | {"excluded": 3}], "rule 1: 'excluded' must be a text, and there is 3"),
        ([RULE | {"excluded": ""}], "rule 1: 'excluded' must be a text, and there is ''"),
        ([RULE | {"conditions": []}], "rule 1: 'conditions' must be a list of conditions, and there is []"),
        ([RULE | {"conditions": "sex"}], "rule 1: 'conditions' must be a list of conditions, and there is 'sex'"),
        ([RULE | {"conditions": ["sex = m"]}], "rule 1 has the condition 'sex = m', not an object with column"),
        ([RULE | {"conditions": [{"column": "a"}]}], "rule 1: the condition on 'a' must list its values as texts"),
        ([RULE | {"conditions": [{"column": "a", "values": [39]}]}], "must list its values as texts, as in"),
        ([RULE | {"conditions": [{"column": "a", "values": []}]}], "must list its values as texts, as in"),
        ([RULE | {"conditions": [{"values": ["a"]}]}], "rule 1: 'column' must be a text, and there is nothing"),
        ([RULE | {"conditions": [{"column": "a", "values": ["b"], "label": 1}]}], "'label' must be a text"),
        ([RULE | {"conditions": [RULE["conditions"][0]] * 2}], "rule 1 has two conditions on one column"),
        ([RULE | {"conditions": [{"column": "ill", "values": ["flu"]}]}], "a condition on 'ill', the sensitive column"),
    ],
)
def test_what_is_no_rule_is_named(tmp_path: Path, content: Any, message: str) -> None:
    file = tmp_path / "rules.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_background(file)
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


def test_damaged_parquet_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rules.parquet"
    with pytest.raises(InputError, match=r"rules\.parquet"):
        read_background(file)
    file.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="cannot be read as one"):
        read_background(file)
    pq.write_table(pa.table({"items": [["a"]]}), file)
    with pytest.raises(InputError, match="has no column 'sensitive', 'excluded', 'conditions'"):
        read_background(file)
    pq.write_table(pa.table({"sensitive": ["a", None], "excluded": ["b", "c"], "conditions": [[], []]}), file)
    with pytest.raises(InputError, match="rule 1: 'conditions' must be a list of conditions"):
        read_background(file)
    flawed = pa.table({"sensitive": ["a"], "excluded": pa.array([b"\xff"]).cast(pa.string(), safe=False)})
    pq.write_table(flawed.append_column("conditions", pa.array([["a"]])), file)
    with pytest.raises(InputError, match=r"row 1: column 'excluded' holds b'\\xff', which is not UTF-8"):
        read_background(file)
