"""Which values are excluded for which rows: rule by rule, row by row."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Background, Table
from shoal.data.background import Condition, NegativeRule
from shoal.errors import InputError
from shoal.mining.exclusions import exclusions

rows_of = st.lists(
    st.tuples(st.sampled_from([1, 2, 3, None]), st.sampled_from("xyz"), st.sampled_from("abc")), min_size=1, max_size=12
)
COLUMNS = {"n": ["1", "2", "3", "?", "4"], "k": ["x", "y", "z"]}


@st.composite
def conditions(draw):
    columns = draw(st.sets(st.sampled_from(sorted(COLUMNS)), min_size=1))
    return tuple(
        Condition(name, "any", tuple(draw(st.lists(st.sampled_from(COLUMNS[name]), unique=True, min_size=1))))
        for name in sorted(columns)
    )


@given(rows_of, st.lists(st.tuples(conditions(), st.sampled_from("abcd")), max_size=5))
def test_a_value_is_excluded_where_a_rule_has_all_its_conditions_met(rows, rules):
    numbers, kinds, values = zip(*rows, strict=True)
    table = Table.from_arrow(pa.table({"n": pa.array(numbers, pa.int64()), "k": kinds, "y": values}))
    found = exclusions(table, Background("y", tuple(NegativeRule(parts, value) for parts, value in rules)))
    names = table.column("y").texts
    for row, (number, kind, _) in enumerate(rows):
        has = {"n": "?" if number is None else str(number), "k": kind}
        excluded = {value for parts, value in rules if value in names and all(has[p.column] in p.values for p in parts)}
        flags = found.sets[found.rows[row]]
        assert {name for name, out in zip(names, flags, strict=True) if out} == excluded
        assert found.sizes[row] == len(excluded)
    assert len({tuple(flags) for flags in found.sets.tolist()}) == len(found.sets)


def test_a_rule_about_a_column_that_is_not_there_is_refused():
    table = Table.from_arrow(pa.table({"sex": ["m"], "y": ["a"]}))
    rule = NegativeRule((Condition("Sexe", "m", ("m",)),), "a")
    with pytest.raises(InputError, match=r"no such column: 'Sexe'.*did you mean 'sex'"):
        exclusions(table, Background("y", (rule,)))
