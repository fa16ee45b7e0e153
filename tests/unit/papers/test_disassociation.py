"""The study of disassociation: what is published for which figure, what is measured, and what becomes of claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import shoal
from papers.claim import Claim, exponent, slope
from papers.disassociation import figures as study
from papers.disassociation.claims import claims
from papers.disassociation.figures import Figure, Grid, Job, Point, Shape, chosen, needs_data, reproduce
from shoal.data.item_hierarchies import neighbours
from shoal.errors import InputError
from shoal.measuring.baskets.common_utility import basket_utility
from shoal.publish.diffpart import diffpart
from shoal.publish.km_generalization import km_generalization
from shoal.run import Run

DATA = {
    "small": shoal.quest(300, mean_length=4, n_items=60, n_patterns=30, seed=2),
    "large": shoal.quest(500, mean_length=4, n_items=240, n_patterns=100, seed=3),
    "as large": shoal.quest(500, mean_length=5, n_items=230, n_patterns=100, seed=4),
}
GRID = Grid(
    ks=(2, 5),
    ms=(2, 3),
    reconstructions=5,
    shape=Shape(400, 250, 5),
    records=(200, 400),
    domains=(240, 250),
    lengths=(4, 5),
    budgets=(0.5, 1),
    repeats=2,
)


def make(shape: Shape) -> shoal.Transactions:
    return shoal.quest(shape.records, n_items=shape.domain, mean_length=shape.length, n_patterns=50, seed=1)


@pytest.fixture(scope="module")
def found() -> dict[str, Figure]:
    return reproduce(DATA, make, figures=["7", "m", "8", "9", "10"], grid=GRID)


def test_values_are_what_utility_says_of_such_a_release(found: dict[str, Figure]) -> None:
    for name, at, n in (("7a", 0, 1), ("7b", 0, 1), ("m", 1, 1), ("7d", 0, 5), ("8c", 0, 1)):
        point = found[name].points[at]
        job = point.job
        data = make(job.source) if isinstance(job.source, Shape) else DATA[job.source]
        release = shoal.disassociate(data, job.k, job.m)
        utility = shoal.measure(data, release, top=1000, ranges=GRID.ranks, reconstructions=n, run=Run(chance=1))
        names = {"tKd", "tKd-a", "tlost", "re", "re-closed", "re-a", *(("re-r2", "re-r5") if n == 5 else ())}
        expected = {metric.label: metric.value for metric in utility if metric.name in names}
        others = {label: value for label, value in point.values.items() if label not in expected}
        assert {label: point.values[label] for label in expected} == expected
        assert all(label == "seconds" or label.startswith("in neither ") for label in others)
        neither = utility["re 200-220"].details
        share = neither["in_neither"] / neither["pairs"] if neither["pairs"] else None
        assert others["in neither 200-220"] == share
        assert (point.records, point.items) == (len(data), data.n_items)


def test_figures_vary_what_they_say(found: dict[str, Figure]) -> None:
    def jobs(name: str) -> list[Job]:
        return [point.job for point in found[name].points]

    assert jobs("7a") == [Job("small"), Job("large"), Job("as large")]
    # The first of two that are equally large: data of the user's come before generated ones.
    assert jobs("7b") == jobs("7c") == jobs("9") == [Job("large", k=2), Job("large", k=5)]
    assert jobs("7d") == [Job("large")]
    assert jobs("m") == [Job(name, m=m) for name in DATA for m in (2, 3)]
    assert jobs("8a") == jobs("8b") == jobs("10a") == [Job(Shape(200, 250, 5)), Job(Shape(400, 250, 5))]
    assert jobs("8c") == jobs("10b") == [Job(Shape(400, 240, 5)), Job(Shape(400, 250, 5))]
    assert jobs("8d") == [Job(Shape(400, 250, 4)), Job(Shape(400, 250, 5))]
    assert [point.job.place("records") for point in found["8a"].points] == [200, 400]


def test_what_figures_share_is_made_and_published_once(monkeypatch: pytest.MonkeyPatch) -> None:
    published: list[tuple[int, int, int]] = []
    made: list[Shape] = []
    heard: list[tuple[str, int, int]] = []

    def publish(data: shoal.Transactions, k: int, m: int, **options: Any) -> Any:
        published.append((len(data), k, m))
        return shoal.disassociate(data, k, m, **options)

    def generate(shape: Shape) -> shoal.Transactions:
        made.append(shape)
        return make(shape)

    monkeypatch.setattr(study, "disassociate", publish)
    names = ["7a", "7b", "7c", "m", "7d", "8"]
    data = {"large": DATA["large"]}
    reproduce(data, generate, figures=names, grid=GRID, progress=lambda *step: heard.append(step))
    shapes = [Shape(200, 250, 5), Shape(400, 250, 5), Shape(400, 240, 5), Shape(400, 250, 4)]
    assert made == shapes
    assert published == [(500, 5, 2), (500, 2, 2), (500, 5, 3), *((shape.records, 5, 2) for shape in shapes)]
    assert list(dict.fromkeys(heard)) == [("figures", done, 7) for done in range(8)]
    assert len(heard) > 20  # at each step of publishing too
    published.clear()
    reproduce(data, generate, figures=["9"], grid=GRID)
    assert published == [(10, 5, 2), (500, 2, 2), (500, 2, 2), (500, 5, 2), (500, 5, 2)]  # warm first, each twice


def test_time_is_published_alone(found: dict[str, Figure]) -> None:
    assert all((point.values["seconds"] or 0) > 0 for name in ("9", "10a", "10b") for point in found[name].points)
    alone = reproduce(DATA, make, figures=["9"], grid=GRID)
    assert [set(point.values) for point in alone["9"].points] == [{"seconds"}] * 2


def test_rivals_are_measured_as_all_releases_of_baskets_are() -> None:
    dense = shoal.quest(1_500, mean_length=3, n_items=30, n_patterns=10, mean_pattern=2, seed=5)
    grid = replace(GRID, budgets=(2, 8))  # at which noise leaves something, that differs from seed to seed
    tree = neighbours(dense.words, fanout=3)
    found = reproduce({"dense": dense}, make, figures=["11"], grid=grid, hierarchies={"dense": tree})
    general = km_generalization(dense, 5, 2, hierarchy=tree)
    noisy = [diffpart(dense, budget, hierarchy=tree, run=Run(chance=1)) for budget in grid.budgets]
    ours, *others = found["11c"].points
    assert [point.job.called for point in (ours, *others)] == [
        "disassociation",
        "Apriori",
        "DiffPart 2",
        "DiffPart 8",
    ]
    for point, release in zip(others, (general, *noisy), strict=True):
        expected = basket_utility(dense, release, hierarchy=tree, ranges=grid.ranks)
        assert point.values["tKd"] == expected["tKd"].value
        assert point.values["re 0-20"] == expected["re 0-20"].value
        assert point.values["items named"] == expected["items kept"].details["kept"]
    assert others[0].values["tKd-ML2"] == basket_utility(dense, general, hierarchy=tree)["tKd-ML2"].value
    release = shoal.disassociate(dense, 5, 2)
    utility = shoal.measure(dense, release, hierarchy=tree, ranges=[(0, 20)], reconstructions=1, run=Run(chance=1))
    for label in ("tKd", "tKd-ML2", "re 0-20"):
        assert ours.values[label] == utility[label].value
    # Without a hierarchy, neighbours are joined ten at a time.
    joined = km_generalization(dense, 5, 2, hierarchy=neighbours(dense.words, fanout=10))
    (_, without) = reproduce({"dense": dense}, make, figures=["11b"], grid=grid)["11b"].points
    assert without.values["re 0-20"] == basket_utility(dense, joined)["re 0-20"].value
    assert without.values["re 0-20"] != others[0].values["re 0-20"]


def test_figures_by_name_and_by_number() -> None:
    assert chosen(["8", "7a", "m"]) == ["7a", "m", "8a", "8b", "8c", "8d"]
    assert needs_data(["8a", "9"])
    assert not needs_data(chosen(["8", "10"]))
    with pytest.raises(InputError, match="there is no figure '12'"):
        chosen(["7", "12"])
    with pytest.raises(InputError, match="there are no data sets"):
        reproduce({}, make, figures=["7a"], grid=GRID)
    assert list(reproduce({}, make, figures=["10a"], grid=GRID)) == ["10a"]


def test_scale_is_of_records_only() -> None:
    grid = Grid().scaled(0.1)
    assert grid.shape == Shape(100_000, 5_000, 10)
    assert grid.records == (25_000, 50_000, 100_000, 200_000)
    assert (grid.domains, grid.lengths) == (Grid().domains, Grid().lengths)


# Claims: from numbers that are written down, so that each of them is seen to come out and not to.

Value = float | None


def figure(name: str, points: Mapping[Job, Mapping[str, Value]], sizes: Mapping[str, tuple[int, int]]) -> Figure:
    """A figure of given values; a source has (records, items)."""
    made = [Point(job, *sizes.get(str(job.source), (100, 10)), values) for job, values in points.items()]
    return Figure(name, tuple(made))


def outcomes(drawn: Figure) -> list[str]:
    return [claim.outcome for claim in claims({drawn.name: drawn})]


def seventh(rows: Mapping[str, tuple[int, int, Value, Value, Value, Value, Value, Value, Value]]) -> Figure:
    """Figure 7a of (records, items, tKd-a, tKd, re-a, re, tlost, tKd of small itemsets, of large ones)."""
    names = ("tKd-a", "tKd", "re-a 200-220", "re 200-220", "tlost", "tKd at most 2 items", "tKd more than 2 items")
    points = {Job(name): dict(zip(names, row[2:], strict=True)) for name, row in rows.items()}
    return figure("7a", points, {name: row[:2] for name, row in rows.items()})


def test_claims_of_figure_7a() -> None:
    a, b, pos = (
        (100, 10, 0.22, 0.20, 1.0, 0.8, 0.20, 0.1, 0.2),  # 10 records for each item
        (400, 20, 0.25, 0.15, 1.2, 0.6, 0.15, 0.2, 0.1),  # 20
        (900, 30, 0.20, 0.10, 1.4, 0.4, 0.10, 0.1, 0.2),  # 30
    )
    assert outcomes(seventh({"a": a, "b": b, "pos": pos})) == ["yes"] * 6
    # tKd-a further apart; another data set gains, too; all orders but most pairs upset; one direction only.
    c = (400, 20, 0.30, 0.15, 1.0, 0.9, 0.25, 0.1, 0.2)
    assert outcomes(seventh({"a": a, "b": c, "pos": pos})) == ["partly", "partly", "partly", "partly", "partly", "no"]
    d = (900, 30, 0.40, 0.30, 1.0, 1.9, 0.90, 0.1, 0.1)
    assert outcomes(seventh({"a": a, "b": b, "pos": d})) == ["no", "no", "no", "no", "no", "yes"]
    # tlost in order, but differing more than re
    e = (900, 30, 0.20, 0.10, 1.4, 0.5, -0.90, 0.1, 0.2)
    assert outcomes(seventh({"a": a, "b": b, "pos": e}))[4] == "partly"
    assert outcomes(seventh({"a": a})) == ["nothing to compare"] * 6
    none = (900, 30, 0.20, 0.10, None, None, 0.1, None, None)
    assert outcomes(seventh({"a": a, "b": b, "pos": none}))[2:5] == ["nothing to compare"] * 3


LABELS = ("tKd-a", "tKd", "tlost", "re-a 200-220", "re 200-220", "re-closed 200-220")


def by(name: str, jobs: list[Job], **series: list[float]) -> Figure:
    """A figure of series of values; metrics that are not given are 0."""
    given = {
        label.replace("_", "-").removesuffix("-at") + (" 200-220" if label.startswith("re") else ""): values
        for label, values in series.items()
    }
    rows = [
        {label: given.get(label, [0.0] * len(jobs))[at] for label in (*LABELS, "seconds")} for at in range(len(jobs))
    ]
    return figure(name, dict(zip(jobs, rows, strict=True)), {})


KS = [Job("pos", k=k) for k in (2, 5, 10)]
MS = [Job("pos", m=m) for m in (1, 2, 3)]
RECORDS = [Job(Shape(n, 10, 5)) for n in (100, 200, 400)]
DOMAINS = [Job(Shape(100, n, 5)) for n in (10, 20, 40)]
LENGTHS = [Job(Shape(100, 10, n)) for n in (5, 10, 20)]


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        (by("7b", KS, tKd=[0.1, 0.12, 0.15], tlost=[0.05, 0.02, 0.01]), ["yes"]),
        (by("7b", KS, tKd=[0.1, 0.12, 0.16]), ["partly"]),
        (by("7b", KS, tKd=[0.1, 0.12, 0.16], tlost=[0.1, 0.0, 0.0]), ["no"]),
        (by("7c", KS, re=[0.102, 0.105, 0.110]), ["yes"]),
        (by("7c", KS, re=[0.12, 0.149, 0.198]), ["yes"]),
        (by("7c", KS, re=[0.04, 0.10, 0.20]), ["partly"]),  # straight, and too steep
        (by("7c", KS, re=[0.10, 0.13, 0.11]), ["partly"]),  # flat, and not straight
        (by("7c", KS, re=[0.4, 0.9, 0.9]), ["no"]),
        (by("7c", KS, re=[0.110, 0.105, 0.102]), ["no"]),  # falls
        (by("m", MS, tKd=[0.5, 0.1, 0.105]), ["yes"]),  # m = 1 is not spoken of
        (by("m", MS, re_a=[0.5, 0.1, 0.14]), ["partly"]),
        (by("m", MS, re_closed=[0.1, 0.1, 0.2]), ["no"]),
        (by("m", MS, re=[0.1, 0.1, 0.2]), ["yes"]),  # one reconstruction differs by chance
        (by("m", MS[:2]), ["nothing to compare"]),
        (by("8a", RECORDS, tKd=[0.1, 0.12, 0.14]), ["yes"]),
        (by("8a", RECORDS, tKd=[0.1, 0.12, 0.16]), ["partly"]),
        (by("8a", RECORDS, tKd=[0, 0, 1], tKd_a=[0, 0, 1], tlost=[1, 0, 0]), ["no"]),
        (by("8b", RECORDS, re=[0.5, 0.4, 0.3], re_a=[0.5, 0.6, 0.4]), ["yes", "partly"]),
        (by("8b", RECORDS, re=[0.5, 0.5, 0.5], re_a=[0.5, 0.6, 0.7]), ["no", "no"]),
        (by("8c", DOMAINS, tKd=[0.1, 0.1, 0.11], re=[0.3, 0.4, 0.45]), ["yes", "yes"]),
        (by("8c", DOMAINS, tKd=[0.1, 0.1, 0.21], re=[0.3, 0.4, 0.65]), ["no", "partly"]),  # not slightly
        (by("8c", DOMAINS, re=[0.3, 0.2, 0.1]), ["yes", "no"]),
        (by("8d", LENGTHS, tKd_a=[0.1, 0.2, 0.3], tlost=[0.1, 0.2, 0.3], re=[0.3, 0.2, 0.1]), ["yes"] * 4),
        (
            by("8d", LENGTHS, tKd_a=[0.3, 0.2, 0.3], tlost=[0.1, 0.0, 0.3], re=[0.3, 0.4, 0.1], tKd=[0.1, 0, 0]),
            ["no", "partly", "partly", "partly"],
        ),
        (by("8d", LENGTHS, tKd=[0.1, 0.2, 0.06]), ["no", "no", "no", "no"]),
        (by("9", KS, seconds=[1.0, 1.2, 1.5]), ["yes"]),
        (by("9", KS, seconds=[3.0, 1.2, 1.0]), ["partly"]),
        (by("9", KS, seconds=[1.0, 1.2, 3.1]), ["no"]),
        (by("10a", RECORDS, seconds=[1.0, 2.1, 4.0]), ["yes"]),
        (by("10a", RECORDS, seconds=[1.0, 1.5, 2.0]), ["partly"]),
        (by("10a", RECORDS, seconds=[1.0, 4.0, 16.0]), ["no"]),
        (by("10b", DOMAINS, seconds=[1.0, 2.0, 4.0]), ["yes"]),
        (by("10b", DOMAINS, seconds=[1.0, 1.0, 1.0]), ["partly"]),
    ],
    ids=lambda value: value.name if isinstance(value, Figure) else "",
)
def test_claims_come_out_by_their_numbers(drawn: Figure, expected: list[str]) -> None:
    assert outcomes(drawn) == expected


def ranks(tkd: float, *rows: tuple[float, float]) -> Figure:
    """Figure 7d of (re, re-r10) at ranks 0-20, 100-120, ..."""
    values: dict[str, Value] = {"tKd": tkd}
    for at, (one, mean) in enumerate(rows):
        part = f"{100 * at}-{100 * at + 20}"
        values |= {f"re {part}": one, f"re-r2 {part}": 9.0, f"re-r10 {part}": mean, f"re-a {part}": 9.0}
    return figure("7d", {Job("pos"): values}, {})


def test_claims_of_averaging() -> None:
    assert outcomes(ranks(0.05, (0.1, 0.095), (0.5, 0.4), (0.6, 0.5))) == ["yes", "yes", "yes"]
    assert outcomes(ranks(0.10, (0.1, 0.06), (0.5, 0.4), (0.6, 0.7))) == ["partly", "partly", "partly"]
    assert outcomes(ranks(0.20, (0.2, 0.1), (0.5, 0.5), (0.6, 0.7))) == ["no", "no", "no"]


def beside(name: str, metric: str, rows: Mapping[str, tuple[float, float, float, float]]) -> Figure:
    """A panel of figure 11: disassociation, Apriori, DiffPart at two budgets; sources in ascending size."""
    points = {}
    for source, row in rows.items():
        jobs = [
            Job(source),
            Job(source, method="Apriori"),
            Job(source, method="DiffPart", epsilon=0.5),
            Job(source, method="DiffPart", epsilon=1),
        ]
        points |= {job: {metric: value} for job, value in zip(jobs, row, strict=True)}
    return figure(name, points, {source: (100 * (at + 1), 10) for at, source in enumerate(rows)})


@pytest.mark.parametrize(
    ("name", "metric", "rows", "expected"),
    [
        ("11a", "tKd", {"a": (0.2, 0, 0.9, 0.8), "pos": (0.05, 0, 0.9, 0.75)}, ["yes"]),
        ("11a", "tKd", {"a": (0.2, 0, 0.9, 0.7), "pos": (0.05, 0, 0.9, 0.75)}, ["partly"]),  # the best of them counts
        ("11a", "tKd", {"a": (0.2, 0, 0.9, 0.8), "pos": (0.06, 0, 0.9, 0.75)}, ["partly"]),
        ("11a", "tKd", {"a": (0.2, 0, 0.9, 0.1), "pos": (0.05, 0, 0.9, 0.75)}, ["no"]),
        ("11b", "tKd-ML2", {"a": (0.2, 0.4, 0, 0), "pos": (0.1, 0.5, 0, 0)}, ["yes", "yes"]),
        ("11b", "tKd-ML2", {"a": (0.2, 0.6, 0, 0), "pos": (0.1, 0.15, 0, 0)}, ["partly", "partly"]),
        ("11b", "tKd-ML2", {"a": (0.2, 0.2, 0, 0), "pos": (0.1, 0.05, 0, 0)}, ["no", "no"]),
        ("11c", "re 0-20", {"a": (0.18, 1.1, 1.5, 1.2), "pos": (0.1, 1.2, 1.5, 1.1)}, ["yes", "yes"]),
        ("11c", "re 0-20", {"a": (0.18, 1.1, 1.5, 0.9), "pos": (0.19, 1.2, 1.5, 1.1)}, ["partly", "partly"]),
        ("11c", "re 0-20", {"a": (0.2, 0.5, 1.5, 0.9)}, ["no", "no"]),
    ],
)
def test_claims_beside_rivals(
    name: str, metric: str, rows: Mapping[str, tuple[float, float, float, float]], expected: list[str]
) -> None:
    found = claims({name: beside(name, metric, rows)})
    assert [claim.outcome for claim in found if claim.measured != "too few numbers"] == expected


@pytest.mark.parametrize(("values", "expected"), [((1, 1), "yes"), ((0.2, 0.8), "partly"), ((0.2, 0.7), "no")])
def test_claims_of_what_generalization_leaves(values: tuple[float, float], expected: str) -> None:
    points = {Job(str(at), method="Apriori"): {"tKd": value} for at, value in enumerate(values)}
    assert outcomes(figure("11b", {Job("0"): {"tKd": 0.0}, **points}, {})) == [expected, "nothing to compare"]


@pytest.mark.parametrize(("left", "expected"), [((4, 5), "yes"), ((5, 7), "partly"), ((7, 8), "no")])
def test_claims_of_the_items_that_noise_leaves(left: tuple[float, float], expected: str) -> None:
    noisy = [Job("pos", method="DiffPart", epsilon=budget) for budget in (0.5, 1)]
    small = Job("small", method="DiffPart", epsilon=1)
    points = {job: {"items named": value} for job, value in zip([*noisy, small], (*left, 1), strict=True)}
    drawn = figure("11c", points, {"pos": (900, 100), "small": (100, 100)})  # 100 of 1,657 are 6 %
    assert outcomes(drawn)[-1] == expected


def test_a_claim_says_what_it_is_judged_by(found: dict[str, Figure]) -> None:
    said = claims(found)
    assert len(said) == 6 + 1 + 1 + 1 + 3 + 1 + 2 + 2 + 4 + 1 + 1 + 1
    assert all(isinstance(claim, Claim) and claim.says and claim.criterion and claim.measured for claim in said)
    assert {claim.outcome for claim in said} <= {"yes", "partly", "no", "nothing to compare"}


def test_slopes_and_exponents() -> None:
    assert slope([1, 2, 3], [1, 1, 1]) == (0, 1)
    assert slope([0, 1, 2], [0, 1, 0])[1] == pytest.approx(0)
    assert exponent([10, 20, 40], [3, 12, 48]) == pytest.approx(2)
    assert exponent([10, 20, 40], [5, 5, 5]) == pytest.approx(0)
