"""Errors of rules and queries of released tables, against their definitions on small tables."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import Infeasible, InputError
from shoal.measuring.tables import rules as table_rules
from shoal.measuring.tables.queries import query_errors
from shoal.measuring.tables.utility import Compared, compared, query_metric, rule_metrics
from shoal.run import Run
from tests.making.bucketized_from_dicts import PATIENTS, arrow_of, bucketized
from tests.oracles import table_utility as oracle

Row = dict[str, Any]
TREE = Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], name="w")
BELOW = {
    "w": {"a": "a", "b": "b", "c": "c", "d": "d", "ab": "ab", "cd": "cd", "*": "abcd"},
    "n": {"0": [0], "1": [1], "2": [2], "*": [0, 1, 2]},
}


def table(rows: list[Row]) -> Table:
    return Table.from_arrow(arrow_of(rows).select(["n", "w", "s"]), quasi=["n", "w"], sensitive="s")


def rows(min_size: int = 1) -> st.SearchStrategy[list[Row]]:
    row = st.fixed_dictionaries(
        {"n": st.sampled_from([0, 1, 2]), "w": st.sampled_from("abc"), "s": st.sampled_from("xyz")}
    )
    return st.lists(row, min_size=min_size, max_size=9)


@st.composite
def published(draw: st.DrawFn) -> tuple[list[Row], Compared, oracle.Counter]:
    """An original, what is compared, and the expected counts of the release by their definition."""
    # Each value once, so that what is drawn is not the domain.
    original = [*draw(rows()), *({"n": n, "w": w, "s": s} for n, w, s in zip([0, 1, 2], "abc", "xyz", strict=True))]
    if draw(st.booleans()):
        order = draw(st.permutations(original))
        cuts = sorted({0, len(order), *draw(st.sets(st.integers(1, len(order)), max_size=4))})
        parts = [order[i:j] for i, j in pairwise(cuts)]
        parts = [part[at : at + 3] for part in parts for at in range(0, len(part), 3)]
        groups = [([{"n": r["n"], "w": r["w"]} for r in part], [r["s"] for r in part]) for part in parts]
        return original, compared(table(original), bucketized(groups, "s")), oracle.of_groups(groups, "s")
    kept = original[: draw(st.integers(1, len(original)))]
    general = [
        {
            "n": draw(st.sampled_from([str(row["n"]), "*"])),
            "w": draw(st.sampled_from([row["w"], "ab" if row["w"] in "ab" else "cd", "*"])),
            "s": row["s"],
        }
        for row in kept
    ]
    # All values of n: without a hierarchy these are what * stands for.
    both = compared(table(original), table(general), hierarchies={"w": TREE})
    return original, both, oracle.of_generalized(general, "s", BELOW)


@settings(deadline=None)
@given(published(), st.integers(1, 2), st.integers(1, 3), st.sampled_from([0.8, 1.0, 1.25, 2.0]))
def test_errors_of_rules_are_those_of_the_definitions(
    drawn: tuple[list[Row], Compared, oracle.Counter], most: int, least: int, conviction: float
) -> None:
    original, both, release = drawn
    before = oracle.of_rows(original, "s")
    domains = {"n": [0, 1, 2], "w": list("abc")}
    asked = (domains, list("xyz"), most, least, Fraction(str(conviction)))
    wanted, found = (set(oracle.interesting(count, *asked)) for count in (before, release))
    confidence, plus, minus = rule_metrics(both, max_attributes=most, min_support=least, min_conviction=conviction)
    assert plus.details["rules_of_the_original"] == len(wanted)
    assert plus.details["rules_of_the_release"] == len(found)
    if not wanted:
        assert (confidence.value, plus.value, minus.value) == (None,) * 3
        return
    error = oracle.confidence_error(before, release, wanted)
    assert error is not None
    assert confidence.value == pytest.approx(float(error))
    assert plus.value == pytest.approx(len(found - wanted) / len(wanted))
    assert minus.value == pytest.approx(len(wanted - found) / len(wanted))
    for metric in (confidence, plus, minus):
        assert metric.range[0] <= metric.value <= metric.range[1] + 1e-9
    vanished = sum(not release({c: [v] for c, v in left}, None) for left, _ in wanted)
    assert confidence.details["left_side_in_no_row"] == vanished


@settings(deadline=None)
@given(
    published(), st.sets(st.sampled_from([0, 1, 2])), st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("xyz"))
)
def test_expected_counts_are_those_of_the_definitions(
    drawn: tuple[list[Row], Compared, oracle.Counter], n: set[int], w: set[str], s: set[str]
) -> None:
    original, both, release = drawn
    masks = {0: np.array([v in n for v in (0, 1, 2)]), 1: np.array([v in w for v in "abc"])}
    sensitive = np.array([v in s for v in "xyz"])
    expected = oracle.of_rows(original, "s")({"n": n, "w": w}, s)
    assert both.original.count(masks, sensitive) == expected
    assert both.release.count(masks, sensitive) == pytest.approx(float(release({"n": n, "w": w}, s)))


def test_blocks_do_not_change_what_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    people = shoal.people(400, seed=1)
    whole = shoal.read_table(people, quasi=["age", "sex", "education"], sensitive="diagnosis")
    both = compared(whole, shoal.anatomy(whole, 3, run=Run(chance=1)))
    asked = {"max_attributes": 2, "min_support": 0.01, "min_conviction": 1.01}
    before = rule_metrics(both, **asked)
    monkeypatch.setattr(table_rules, "_BLOCK", 50)
    for one, two in zip(before, rule_metrics(both, **asked), strict=True):
        assert (one.name, one.details) == (two.name, two.details)
        assert one.value == pytest.approx(two.value)
        assert one.value is not None


def test_queries_are_answered_by_both_and_zero_counts_are_left_out() -> None:
    original = [
        {"n": n, "w": w, "s": s}
        for n, w, s in [(0, "a", "x"), (1, "b", "y"), (2, "c", "z"), (0, "a", "x"), (0, "b", "x")]
    ]
    groups = [
        ([{"n": r["n"], "w": r["w"]} for r in part], [r["s"] for r in part]) for part in (original[:2], original[2:])
    ]
    both = compared(table(original), bucketized(groups, "s"))
    before, after = oracle.of_rows(original, "s"), oracle.of_groups(groups, "s")
    # sel of a third of three values is one value: every query asks for one value of each column.
    found = query_errors(both.original, both.release, dim=2, sel=0.333, queries=400, run=Run(chance=3))
    truths = {}
    for n in (0, 1, 2):
        for w in "abc":
            for s in "xyz":
                truth, told = (count({"n": [n], "w": [w]}, [s]) for count in (before, after))
                if truth:
                    truths[n, w, s] = float(abs(told - truth) / truth)
    assert set(found.errors.round(9)) == {round(error, 9) for error in truths.values()}
    metric = found.metric()
    assert metric.details["answered"] == len(found.errors)
    # 4 of 27 combinations are met by a row.
    assert 20 < len(found.errors) < 110
    assert metric.details["left_out_with_no_row"] == 400 - len(found.errors)
    assert metric.value == pytest.approx(float(np.mean(found.errors)))
    assert metric.details["median"] == pytest.approx(float(np.median(found.errors)))


def test_queries_draw_each_size_and_each_column_alike() -> None:
    from shoal.measuring.tables.queries import _drawn
    from shoal.randomness import generator

    original = [{"n": n, "w": w, "s": s} for n in (0, 1, 2) for w in "abc" for s in "xyz"]
    both = compared(table(original), table(original))
    drawn = list(_drawn(both.original, 1, 0.5, 4000, generator(5)))
    columns = Counter(place for wanted, _ in drawn for place in wanted)
    sizes = Counter(int(values.sum()) for wanted, _ in drawn for values in wanted.values())
    secret = Counter(tuple(values.tolist()) for _, values in drawn)
    assert columns.keys() == {0, 1}
    assert sizes.keys() == {1, 2}  # half of three values, rounded up
    assert len(secret) == 6
    assert all(abs(count - 2000) < 150 for count in (*columns.values(), *sizes.values()))
    assert all(abs(count - 4000 / 6) < 120 for count in secret.values())


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    whole = shoal.read_table(shoal.people(300, seed=1), quasi=["age", "sex"], sensitive="diagnosis")
    release = shoal.anatomy(whole, 2, run=Run(chance=1))
    one, two, other = (shoal.measure(whole, release, run=Run(chance=seed))["query error"].value for seed in (1, 1, 2))
    assert one == two != other


def test_a_table_compared_with_itself_has_no_error() -> None:
    whole = shoal.read_table(shoal.people(300, seed=2), quasi=["age", "sex", "education"], sensitive="diagnosis")
    found = shoal.measure(whole, whole, min_conviction=1.01, run=Run(chance=1))
    assert [found[name].value for name in ("confidence error", "sigma+", "sigma-", "query error", "rows kept")] == [
        pytest.approx(0), 0, 0, pytest.approx(0), 1,
    ]  # fmt: skip
    assert (found.method, found.rows, found.dim) == ("generalized", 300, 3)
    assert found.head in str(found)
    assert found.as_dict()["metrics"][0]["name"] == "confidence error"


def test_the_patients_of_the_paper() -> None:
    original = [{**row, "disease": value} for part, values in PATIENTS for row, value in zip(part, values, strict=True)]
    whole = Table.from_arrow(arrow_of(original), quasi=["zip", "age", "sex"], sensitive="disease")
    confidence, plus, minus = rule_metrics(
        compared(whole, bucketized(PATIENTS, "disease")), min_support=2, min_conviction=1.1
    )
    # Rules of two rows or more: F => Ovarian Cancer (2 of 3), M => Flu (3 of 6), M => Heart Disease (2 of 6, by chance
    # 3 of 9: conviction 1) and nothing else. The release says 4/3 of 3, 2/3 + 2 of 6.
    assert confidence.details["rules_of_the_original"] == 2
    assert confidence.value == pytest.approx(((2 / 3 - 4 / 9) / (2 / 3) + (3 / 6 - (2 / 3 + 2) / 6) / (3 / 6)) / 2)
    assert (plus.value, minus.value) == (0, 0.5)  # F => Ovarian Cancer is left in 4/3 rows only


def test_what_is_wrong_is_named() -> None:
    original = [{"n": 0, "w": "a", "s": "x"}, {"n": 1, "w": "b", "s": "y"}, {"n": 2, "w": "c", "s": "z"}]
    whole = table(original)

    def general(**changed: object) -> Table:
        return table([{**original[0], **changed}, *original[1:]])

    for release, hierarchies, said in [
        (general(w="ab"), {}, r"neither the original's nor nodes of a hierarchy: none is given.*\(1\): 'ab'"),
        (general(w="xy"), {"w": TREE}, r"nor nodes of its hierarchy \(1\): 'xy'"),
        (general(s="q"), {}, "column 's' has values there that the original does not have .*: 'q'"),
        (general(s="y"), {}, "2 of its rows have 'y' in column 's', and only 1 of the original's"),
        (whole, {"s": TREE}, "given for 's', which is not a quasi column"),
    ]:
        with pytest.raises(InputError, match=said):
            shoal.measure(whole, release, hierarchies=hierarchies)
    torn = Hierarchy.from_rows([("a", "b", "*"), ("b", "c", "*"), ("c", "c", "*")])
    with pytest.raises(InputError, match="the label 'b' is at two levels for different values"):
        shoal.measure(whole, whole, hierarchies={"w": torn})
    release = bucketized([([{"n": 0, "w": "a"}], ["x"])], "s")
    assert shoal.measure(whole, release)["rows kept"].value == pytest.approx(1 / 3)
    for arguments, said in [
        ({"quasi": ["n"]}, "remove quasi and sensitive"),
        ({"hierarchies": {"w": TREE}}, "hierarchies: not used for a bucketized release: remove it"),
        ({"dim": 3}, "dim is 3: there are only 2 quasi columns"),
        ({"dim": 0}, "dim is 0"),
        ({"sel": 0}, "sel is 0"),
        ({"queries": 0}, "queries is 0"),
        ({"min_support": 0.0}, "min_support is 0.0"),
        ({"min_conviction": 0}, "min_conviction is 0"),
        ({"max_attributes": 0}, "max_attributes is 0"),
        ({"run": Run(chance=-1)}, "seed is -1"),
    ]:
        with pytest.raises(InputError, match=said):
            shoal.measure(whole, release, **arguments)
    with pytest.raises(InputError, match="2 of its rows have 'a' in column 'w', and only 1"):
        shoal.measure(whole, bucketized([([{"n": 0, "w": "a"}, {"n": 1, "w": "a"}], ["x", "y"])], "s"))
    with pytest.raises(InputError, match="no such column: 's'"):
        shoal.measure(Table.from_arrow(pa.table({"n": [0], "w": ["a"]})), release)
    with pytest.raises(InputError, match="name the quasi columns"):
        shoal.measure(whole.with_roles(plain=["n", "w"]), whole)
    with pytest.raises(InputError, match="its original must be read as a table"):
        shoal.measure(shoal.read([{"a"}]), release)  # type: ignore[arg-type]


def test_too_many_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = shoal.read_table(shoal.people(300, seed=1), quasi=["age", "sex"], sensitive="diagnosis")
    monkeypatch.setattr(table_rules, "MAX_RULES", 20)
    with pytest.raises(Infeasible, match="raise min_support or lower max_attributes"):
        shoal.measure(whole, whole, max_attributes=2)


def test_a_suppressed_column_stands_for_all_values() -> None:
    original = [{"n": 0, "w": "a", "s": "x"}, {"n": 1, "w": "b", "s": "y"}, {"n": 1, "w": "b", "s": "x"}]
    hidden = [{**row, "w": "*"} for row in original]
    found = query_metric(compared(table(original), table(hidden)), dim=1, sel=1.0, run=Run(chance=1))
    assert found.value is not None
    assert found.value > 0
    # Two of the three rows have b; of the release one and a half.
    both = compared(table(original), table(hidden))
    assert both.release.count({1: np.array([False, True])}, np.ones(2, bool)) == pytest.approx(1.5)
