from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.hierarchy_builders import balanced, by_frequency, flat, prefixes, ranges, usual
from shoal.data.table import Column, Table
from shoal.errors import InputError
from shoal.io.hierarchies import read_hierarchy, write_hierarchy
from tests.oracles import hierarchies as oracle
from tests.oracles.named_values import few_people


def column(values: list[Any], kind: pa.DataType | None = None) -> Column:
    return Table.from_arrow(pa.table({"c": pa.array(values, kind)})).column("c")


numbers = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1).map(lambda v: (v, pa.int64())),
    st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=1).map(lambda v: (v, pa.int32())),
    st.lists(
        st.one_of(st.none(), st.floats(-1e6, 1e6), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
    ).map(lambda v: (v, pa.float64())),
    st.lists(st.one_of(st.none(), st.decimals(-99, 99, places=2)), min_size=1).map(lambda v: (v, pa.decimal128(6, 2))),
)
texts = st.lists(st.one_of(st.none(), st.text(max_size=6), st.text("*#2 {},a;", max_size=4)), min_size=1)
anything = st.one_of(numbers, texts.map(lambda v: (v, pa.string())))


def check_generated(tree: Hierarchy, data: Column) -> list[tuple[str, ...]]:
    rows = list(tree.rows())
    assert oracle.faults(rows) == []
    assert list(tree.leaves) == data.texts, "each value exactly once"
    assert tree.root == "*"
    assert tree.places(data).tolist() == list(range(len(data.values)))
    for level in range(tree.height):
        assert oracle.is_coarser(oracle.partition(rows, level + 1), oracle.partition(rows, level))
    if data.missing:
        assert set(tree.ancestors("?")[1:]) == {"*"}
    return rows


def check_intervals(rows: list[tuple[str, ...]]) -> None:
    for leaf, *path in rows:
        assert all(oracle.holds(label, leaf) for label in path if leaf != "?")


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(numbers, st.integers(2, 5), st.data())
def test_ranges_of_any_numbers(made: tuple[list[Any], pa.DataType], fanout: int, data: st.DataObject) -> None:
    values = column(*made)
    assume(values.missing < len(values))
    how: dict[str, Any] = data.draw(
        st.one_of(
            st.just({}),
            st.fixed_dictionaries({"width": st.sampled_from([1, 7, 0.1, 2.5, 10**6])}),
            st.fixed_dictionaries({"count": st.integers(1, 40)}),
            st.fixed_dictionaries({"cuts": st.lists(st.one_of(st.integers(-60, 60), st.floats(-9, 9)), min_size=1)}),
        )
    )
    try:
        tree = ranges(values, fanout=fanout, **how)
    except InputError:
        present = [float(v) for v in values.values.to_pylist() if v is not None]
        steps = (present[-1] - present[0]) / how["width"]
        assert steps > fanout**63, "only a width that is tiny beside the numbers is refused"
        return
    rows = check_generated(tree, values)
    check_intervals(rows)
    if "count" in how:
        assert len(tree.labels[1]) <= how["count"] + bool(values.missing)
    if not how:
        assert len(tree.labels[1]) <= 16 + bool(values.missing)


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(numbers, st.integers(1, 5))
def test_balanced_intervals_of_any_numbers(made: tuple[list[Any], pa.DataType], halvings: int) -> None:
    values = column(*made)
    assume(values.missing < len(values))
    tree = balanced(values, halvings=halvings)
    rows = check_generated(tree, values)
    check_intervals(rows)
    assert tree.height <= halvings + 1
    sizes = dict(zip(values.texts, values.counts.tolist(), strict=True))
    leaves = [leaf for leaf in tree.leaves if leaf != "?"]
    # Each interval is cut where its two halves are alike enough, or is not cut: it is one value, or on the last level.
    for level in range(tree.height - 1, 0, -1):
        for above in dict.fromkeys(tree.ancestors(leaf)[level + 1] for leaf in leaves):
            inside = [leaf for leaf in leaves if tree.ancestors(leaf)[level + 1] == above]
            parts = list(dict.fromkeys(tree.ancestors(leaf)[level] for leaf in inside))
            assert len(parts) == min(2, len(inside))
            first = sum(tree.ancestors(leaf)[level] == parts[0] for leaf in inside)
            uneven = [
                abs(sum(sizes[leaf] for leaf in inside[:cut]) - sum(sizes[leaf] for leaf in inside[cut:]))
                for cut in range(1, len(inside))
            ]
            assert not uneven or uneven[first - 1] <= max(min(uneven), sum(sizes[leaf] for leaf in inside) / 4)
    rare = [leaf for leaf in leaves if sizes[leaf] < 2]
    assert not few_people({label for level in tree.labels[1:-1] for label in level} - set(leaves), rare, 2)


@pytest.mark.parametrize(
    ("k", "ends"), [(1, ["< 38", ">= 38"]), (2, ["< 37.5", ">= 37.5"]), (3, ["< 37.5", ">= 37.5"])]
)
def test_balanced_intervals_end_at_no_value_of_few_people(k: int, ends: list[str]) -> None:
    values = Table.from_arrow(pa.table({"age": [36, 37, 38, 39]})).column("age")
    assert list(balanced(values, halvings=1, k=k).labels[1]) == ends
    twice = Table.from_arrow(pa.table({"age": [36, 37, 38, 38, 39]})).column("age")
    assert ("< 38" in balanced(twice, halvings=1, k=k).labels[1]) == (k <= 2)


def test_what_is_usual_depends_on_the_role() -> None:
    table = Table.from_arrow(
        pa.table({"age": [1, 2, 3, 4], "name": [*"abcd"], "pay": [1, 2, 3, 4]}), quasi=["age", "name"]
    )
    made = {made.name: usual(made) for made in table.with_roles(sensitive="pay")}
    assert list(made["age"].rows()) == list(balanced(table.column("age")).rows())
    assert made["age"].height == 3
    assert list(made["name"].rows()) == list(flat(table.column("name")).rows())
    assert made["pay"].height == 1, "numbers that must not be learnt are no ranges of themselves"
    missing = Table.from_arrow(pa.table({"c": pa.array([None, None], pa.int64())}), quasi="c").column("c")
    with pytest.raises(InputError, match="column 'c' holds no values to make a hierarchy of"):
        usual(missing)


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(texts, st.integers(1, 3))
def test_prefixes_of_any_texts(values: list[str | None], step: int) -> None:
    data = column(values, pa.string())
    assume(data.missing < len(data))
    rows = check_generated(prefixes(data, step=step), data)
    assert len(rows[0]) == 1 + max(
        1, -(-max(len(t) for t in data.texts[: len(data.values) - bool(data.missing)]) // step)
    )


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(anything, st.integers(2, 5))
def test_groups_by_frequency_of_anything(made: tuple[list[Any], pa.DataType], fanout: int) -> None:
    data = column(*made)
    assume(data.missing < len(data))
    tree = by_frequency(data, fanout=fanout)
    rows = check_generated(tree, data)
    rank = sorted(range(len(rows) - bool(data.missing)), key=lambda i: (-data.counts.tolist()[i], i))
    for level in range(1, tree.height):
        ranked = [rows[i][level] for i in rank]
        runs = [label for i, label in enumerate(ranked) if i == 0 or ranked[i - 1] != label]
        assert len(runs) == len(set(runs)), "a group holds neighbours in rank"
        below = len({rows[i][level - 1] for i in rank})
        assert len(runs) <= -(-below // fanout)
    shuffled = column(list(reversed(made[0])), made[1])
    assert list(by_frequency(shuffled, fanout=fanout).rows()) == rows


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(anything, st.sampled_from([";", ",", "\t", "|"]))
@example((["\ufeffa", "b\rc", 'd"e', "f\ng"], pa.string()), ";")
def test_a_generated_hierarchy_is_the_same_after_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[list[Any], pa.DataType], separator: str
) -> None:
    data = column(*made)
    assume(data.missing < len(data))
    path = tmp_path_factory.mktemp("trees") / "tree.csv"
    makers = [by_frequency, prefixes, ranges] if data.is_number else [by_frequency, prefixes]
    for make in makers:
        if make is prefixes and max(map(len, data.texts)) > 64:
            continue
        tree = make(data)
        write_hierarchy(tree, path, separator=separator)
        again = read_hierarchy(path, column=data, separator=separator)
        assert (again.labels, again.codes.tolist()) == (tree.labels, tree.codes.tolist())
        if separator == ";" and ";" not in "".join(map("".join, tree.labels)):
            assert read_hierarchy(path).labels == tree.labels


def test_ranges_by_example() -> None:
    ages = column([17, 23, 38, 90, None])
    assert list(ranges(ages).rows())[:2] == [
        ("17", "[15, 20)", "[15, 25)", "[15, 35)", "[15, 55)", "*"),
        ("23", "[20, 25)", "[15, 25)", "[15, 35)", "[15, 55)", "*"),
    ]
    assert ranges(ages).ancestors("?") == ("?", "*", "*", "*", "*", "*")
    assert ranges(ages, width=10, start=0, fanout=10).ancestors("90") == ("90", "[90, 100)", "*")
    assert ranges(ages, count=2).ancestors("90") == ("90", "[54, 91)", "*")
    cut = ranges(ages, cuts=[20, 30, 40])
    assert [cut.ancestors(age) for age in ("17", "23", "38", "90")] == [
        ("17", "< 20", "< 30", "*"),
        ("23", "[20, 30)", "< 30", "*"),
        ("38", "[30, 40)", ">= 30", "*"),
        ("90", ">= 40", ">= 30", "*"),
    ]
    assert ranges(ages, cuts=[0, 40, 100]).ancestors("38") == ("38", "[0, 40)", "*")
    edges = ranges(column([19, 20, 30]), cuts=[20, 30], fanout=3)
    assert list(edges.rows()) == [("19", "< 20", "*"), ("20", "[20, 30)", "*"), ("30", ">= 30", "*")]


def test_ranges_are_exact_in_decimals_negative_and_single() -> None:
    tenths = ranges(column([0.1, 0.2, 0.3, 0.6]), width=0.3, fanout=3)
    assert list(tenths.rows()) == [
        ("0.1", "[0, 0.3)", "*"),
        ("0.2", "[0, 0.3)", "*"),
        ("0.3", "[0.3, 0.6)", "*"),
        ("0.6", "[0.6, 0.9)", "*"),
    ]
    assert ranges(column([-7, 3]), width=5).ancestors("-7") == ("-7", "[-10, -5)", "[-10, 0)", "*")
    assert list(ranges(column([5, 5])).rows()) == [("5", "*")]
    assert ranges(column([-(2**63), 2**63 - 1]), count=2).labels[1] == (f"[{-(2**63)}, 0)", f"[0, {2**63})")


def test_prefixes_by_example() -> None:
    codes = column(["13053", "13068", "148"])
    assert list(prefixes(codes).rows()) == [
        ("13053", "1305*", "130**", "13***", "1****", "*"),
        ("13068", "1306*", "130**", "13***", "1****", "*"),
        ("148", "148", "148", "14***", "1****", "*"),
    ]
    assert prefixes(column([13053, 148])).ancestors("13053")[1] == "1305*"
    assert list(prefixes(column(["a"])).rows()) == [("a", "*")]


def test_frequency_groups_are_of_similar_weight() -> None:
    heavy = [value for value, count in enumerate([400, 200, 100, 50, 25, 13, 12]) for _ in range(count)]
    # Half of all rows hold 0, a quarter 1, an eighth 2: four parts of 200 rows put each of these by its middle.
    assert by_frequency(column(heavy)).labels[1:] == (
        ("0", "1", "{2, 3, 4, ... and 2 more}"),
        ("0", "{1, 2, 3, ... and 3 more}"),
        ("*",),
    )
    assert by_frequency(column(list("abcd"))).labels[1] == ("{a, b}", "{c, d}")
    assert by_frequency(column(list("ddddbbac"))).ancestors("a")[1] == "{a, b, c}"


def test_a_value_that_is_called_like_the_root_does_not_meet_the_missing_value() -> None:
    values = column([*"***", *"aaabbccddeeffgghh", None])
    for tree in (by_frequency(values), prefixes(column(["*", "abc", None]))):
        assert oracle.faults(list(tree.rows())) == []
        assert tree.ancestors("*")[1] == "* #2"
        assert tree.ancestors("?")[1] == "*"


def test_a_million_rows_cost_what_their_values_cost() -> None:
    data = Table.from_arrow(pa.table({"c": np.arange(1_000_000) % 1000})).column("c")
    for make in (ranges, prefixes, by_frequency):
        assert make(data).n_leaves == 1000


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (ranges, {"width": 1, "count": 2}, "ranges: give one of width, count and cuts"),
        (ranges, {"width": 0}, "ranges: width must be above 0, got 0"),
        (ranges, {"width": float("nan")}, "ranges: width: nan is not a number that an interval can hold"),
        (ranges, {"width": "5"}, "ranges: width: '5' is not a number"),
        (ranges, {"count": 0}, "ranges: count must be a whole number of at least 1, got 0"),
        (ranges, {"cuts": []}, "ranges: cuts must name at least one number"),
        (ranges, {"cuts": [1], "start": 0}, "ranges: start needs width or count"),
        (ranges, {"width": 5, "start": 2}, "ranges: start 2 is above the smallest value, 1"),
        (ranges, {"fanout": 1}, "fanout must be a whole number of at least 2, got 1"),
        (balanced, {"halvings": 0}, "halvings is 0: it must be a whole number from 1 to 64"),
        (by_frequency, {"fanout": 2.5}, "fanout must be a whole number of at least 2, got 2.5"),
        (prefixes, {"step": 0}, "prefixes: step must be a whole number of at least 1, got 0"),
    ],
)
def test_options_out_of_range(make: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make(column([1, 2]), **options)
    assert str(caught.value).startswith(message)


def test_columns_that_a_maker_cannot_use() -> None:
    with pytest.raises(InputError, match="column 'c' holds no numbers: make a hierarchy of prefixes or by frequency"):
        ranges(column(["a"]))
    with pytest.raises(InputError, match="column 'c': ranges that small make more than 64 levels: give a larger width"):
        ranges(column([1.0, 1e30]), width=1)
    with pytest.raises(InputError, match="column 'c': inf is not a number that an interval can hold"):
        ranges(column([1.0, float("inf")]))
    with pytest.raises(InputError, match="column 'c' holds no numbers: make a hierarchy of prefixes or by frequency"):
        balanced(column(["a"]))
    for make in (prefixes, by_frequency, flat):
        with pytest.raises(InputError, match="column 'c' holds no values to make a hierarchy of"):
            make(column([None], pa.string()))
    with pytest.raises(InputError, match=r"values of 130 characters, .* 64 levels: give a step of at least 3"):
        prefixes(column(["x" * 130]))
