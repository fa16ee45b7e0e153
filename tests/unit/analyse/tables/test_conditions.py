"""The language of queries: what it says, and how it says that a query is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.analyse.tables.conditions import Between, OneOf, parse
from shoal.errors import InputError


def clauses(text: str) -> list[tuple[object, ...]]:
    """The clauses of a query without positions."""
    found: list[tuple[object, ...]] = []
    for clause in parse(text).clauses:
        name = clause.column.text
        if isinstance(clause, OneOf):
            found.append((name, "not" if clause.negated else "in", *(word.text for word in clause.values)))
        else:
            bounds = [None if word is None else word.text for word in (clause.low, clause.high)]
            found.append((name, "open" if clause.open else "closed", *bounds))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age in 30..40 and disease = flu", [("age", "closed", "30", "40"), ("disease", "in", "flu")]),
        ("age in -1.5 .. .5", [("age", "closed", "-1.5", ".5")]),
        ("age in ..40 AND age in 30..", [("age", "closed", None, "40"), ("age", "closed", "30", None)]),
        ("age in 1e3..2E+4", [("age", "closed", "1e3", "2E+4")]),
        ("a<1 and b <=2", [("a", "open", None, "1"), ("b", "closed", None, "2")]),
        ("c>3 and d>= -4", [("c", "open", "3", None), ("d", "closed", "-4", None)]),
        ("sex!=M", [("sex", "not", "M")]),
        ('job in {a, b, "c, d"}', [("job", "in", "a", "b", "c, d")]),
        ("job in{a}and x=y", [("job", "in", "a"), ("x", "in", "y")]),
        ('\'marital status\' = "it""s"', [("marital status", "in", 'it"s')]),
        ("in in {and} and and = in", [("in", "in", "and"), ("and", "in", "in")]),
        ("x = Alzheimer's and y = 'O''Neill'", [("x", "in", "Alzheimer's"), ("y", "in", "O'Neill")]),
        ("salary = '<=50K'", [("salary", "in", "<=50K")]),
        ("x = ''", [("x", "in", "")]),
    ],
)
def test_what_a_query_says(text: str, expected: list[tuple[object, ...]]) -> None:
    assert clauses(text) == expected


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ('age > 3 and disease = "flu', 22, "a quote is left open"),
        ("age", 3, "expected =, !=, <, <=, >, >= or in behind the column 'age'"),
        ("marital status = x", 8, "a name with blanks needs quotes"),
        ("disease = heart disease", 16, "expected 'and' or the end"),
        ("age in 30..40, sex = M", 13, "expected 'and' or the end"),
        ("age = ", 6, "the query ends where a value is expected"),
        ("age = 3 and", 11, "the query ends where the name of a column is expected"),
        ("= 3", 0, "expected the name of a column, found '='"),
        ("age == 3", 5, "expected a value, found '='"),
        ("age in ..", 7, "a range needs a number before or behind the dots"),
        ("age in a..b", 7, "expected a range of numbers"),
        ("age in 3", 7, "expected a range of numbers"),
        ("age in {1 2}", 10, "expected a comma or }"),
        ("age in {1, 2", 12, "expected a comma or }"),
        ("age in {}", 8, "expected a value, found '}'"),
    ],
)
def test_what_is_wrong_and_where(text: str, at: int, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    first, shown, mark = str(caught.value).split("\n")
    assert first.startswith(f"the query is wrong at character {at + 1}: ")
    assert said in first
    assert shown == f"  {text}"
    assert mark == " " * (at + 2) + "^"


def test_an_empty_query_and_no_text() -> None:
    with pytest.raises(InputError, match="the query is empty"):
        parse("  ")
    with pytest.raises(InputError, match="a query is a text"):
        parse(3)  # type: ignore[arg-type]


def test_the_mark_stays_in_place_behind_tabs_and_line_breaks() -> None:
    with pytest.raises(InputError, match=r"character 9: .*\n  age = 3 x\n {10}\^$"):
        parse("age\n= 3\tx")


quoted = st.text(max_size=6).map(lambda text: (text, '"' + text.replace('"', '""') + '"'))


@given(quoted, st.lists(quoted, min_size=1, max_size=3), st.booleans())
def test_any_text_can_be_quoted(name: tuple[str, str], values: list[tuple[str, str]], single: bool) -> None:
    column = "'" + name[0].replace("'", "''") + "'" if single else name[1]
    assert clauses(f"{column} in {{{','.join(shown for _, shown in values)}}} and a=b") == [
        (name[0], "in", *(value for value, _ in values)),
        ("a", "in", "b"),
    ]


@given(st.text(alphabet="ab1.=!<>{},'\" and in", max_size=30))
def test_any_text_is_a_query_or_an_input_error(text: str) -> None:
    try:
        found = parse(text)
    except InputError:
        return
    assert found.clauses
    assert all(isinstance(clause, OneOf | Between) for clause in found.clauses)
