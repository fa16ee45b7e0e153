"""``python -m papers.disassociation``: what the paper on disassociation says about figures 7 to 11, measured."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    from papers.claim import Claim
    from papers.data_sets import Found
    from papers.disassociation.figures import Figure, Grid, Point, Shape
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.transactions import Transactions

EXAMPLES = (
    "python -m papers.disassociation data --figures 7a,11",
    "python -m papers.disassociation --quick --figures 7c --json --quiet",
)
SCALE = 0.2
_GENERATED = "like BMS-POS"


def disassociation(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with any of BMS-POS, BMS-WebView-1, BMS-WebView-2, msweb, diabetes, groceries and "
            "T10I4D100K.",
        ),
    ] = None,
    figures: Annotated[
        str, typer.Option("--figures", metavar="NAMES", help="Only these figures, as in 7a,8,m. Default: all.")
    ] = "",
    scale: Annotated[
        float,
        typer.Option(
            "--scale",
            min=0.001,
            max=10,
            help="Size of the generated data of figures 8 and 10, relative to the paper's million records.",
        ),
    ] = SCALE,
    quick: Annotated[
        bool, typer.Option("--quick", help="Try a few settings on a few generated baskets, to check that it runs.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Reproduce figures 7 to 11 of the disassociation paper: loss and cost, compared with Apriori and DiffPart.

    The parameters are k, m, ranks of items, reconstructions, records, domain sizes and record lengths. The data are
    those in DATA and generated baskets, as many and as long as those of BMS-POS. Each sentence of the paper is shown
    with the result; the points of its figures are not in its text. A full run takes about ten minutes, mostly for
    mining.
    """
    from papers.data_sets import DISASSOCIATION_DATA, find

    found = None if data is None else find(data, DISASSOCIATION_DATA)
    with progress_bar() as progress, kernel_work(progress) as step:
        from papers.disassociation.claims import claims
        from papers.disassociation.figures import PANELS, QUICK, Grid, chosen, needs_data, reproduce

        names = chosen(name.strip() for name in figures.split(",")) if figures else list(PANELS)
        grid = QUICK if quick else Grid().scaled(scale)
        step("read", 0, 1)
        sets = _data_sets(found, quick=quick) if needs_data(names) else {}
        trees = _hierarchies(found, sets)
        step("read", 1, 1)
        drawn = reproduce(sets, _make, figures=names, grid=grid, hierarchies=trees, progress=step)
        said = claims(drawn)
    for missing in found.missing if found and sets else ():
        note(f"skipped: {missing} is not in {data}")
    if json:
        result_json(
            {
                "scale": None if quick else scale,
                "hierarchies": {name: _tree(name, trees, grid) for name in sets},
                "figures": {name: figure.as_dict() for name, figure in drawn.items()},
                "claims": [claim.as_dict() for claim in said],
            }
        )
    else:
        _print(drawn, trees, grid)
        _print_claims(said)


def _data_sets(found: Found | None, *, quick: bool) -> dict[str, Transactions]:
    from shoal.generate.quest import quest
    from shoal.io.baskets import read_baskets

    sets = {name: read_baskets(path) for name, path in found.files.items()} if found else {}
    records, items = (3_000, 450) if quick else (515_597, 1_657)
    sets[_GENERATED] = quest(records, mean_length=6.5, n_items=items, n_patterns=items, mean_pattern=3, seed=1)
    return sets


def _make(shape: Shape) -> Transactions:
    """Twice as many patterns as the default 5,000 items, for every domain size: only the items in them differ."""
    from shoal.generate.quest import quest

    return quest(shape.records, mean_length=shape.length, n_items=shape.domain, n_patterns=10_000, seed=1)


def _hierarchies(found: Found | None, sets: dict[str, Transactions]) -> dict[str, Hierarchy]:
    """Item hierarchies in the folder: that of groceries, whose file has an id, a name and two levels on each line."""
    from papers.data_sets import item_levels_beside
    from shoal.data.hierarchy import ROOT, Hierarchy

    path = item_levels_beside(found.files["groceries"]) if found and "groceries" in sets else None
    if path is None:
        return {}
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    # The same word can be an item, a kind and a department: levels are distinguished by their labels.
    rows = [(code, f"{kind} (kind)", f"{department} (department)", ROOT) for code, _, kind, department in lines]
    return {"groceries": Hierarchy.from_rows(rows, name=path.name, column=sets["groceries"].words)}


def _tree(name: str, trees: dict[str, Hierarchy], grid: Grid) -> str:
    return "its own hierarchy" if name in trees else f"neighbouring items joined, {grid.fanout} at a time"


def _print(figures: dict[str, Figure], trees: dict[str, Hierarchy], grid: Grid) -> None:
    for name, figure in figures.items():
        panel = figure.panel
        result(f"{'Section 7' if name == 'm' else f'Figure {name}'}: {panel.title}{_about(figure, grid)}")
        if panel.axis == "ranks":
            _print_ranks(figure.points[0], grid)
        elif panel.axis == "method":
            _print_methods(figure)
        else:
            _print_points(figure)
        if name == "7a":
            paragraph(
                "re, re-a and re-closed are errors of pairs of the 200th to 220th most frequent items. in neither: the "
                "share of these pairs that occur neither in the original nor in the reconstruction; they count as no "
                "error."
            )
            paragraph(f"{_GENERATED}: generated baskets, as many and about as long; not the data of the paper.")
            result()
        if name == "11b":
            for source in figure.sources:
                result(f"  {source}: {_tree(source, trees, grid)}")
            result()


def _about(figure: Figure, grid: Grid) -> str:
    if figure.panel.axis in ("records", "domain", "length"):
        return f" (default: {grid.shape})"
    return f" ({figure.sources[0]})" if figure.panel.axis in ("k", "ranks") else ""


def _print_points(figure: Figure) -> None:
    axis = figure.panel.axis
    several = axis == "m"
    sizes = ("records", "items") if axis == "data" else ()
    drawn = table(*(("data",) if several else ()), axis, *sizes, *map(_heading, figure.panel.metrics))
    before = ""
    for point in figure.points:
        source = str(point.job.source)
        place = point.job.place(axis)
        shown = f"{place:,}" if isinstance(place, int) else f"{place}"
        counts = (f"{point.records:,}", f"{point.items:,}") if sizes else ()
        first = ("" if source == before else source,) if several else ()
        drawn.add_row(*first, shown, *counts, *(_value(point.values[metric]) for metric in figure.panel.metrics))
        before = source
    draw(drawn)


def _print_ranks(point: Point, grid: Grid) -> None:
    kinds = list(dict.fromkeys(label.split()[0] for label in point.values if label.startswith("re")))
    drawn = table("ranks", *kinds)
    for start, end in grid.ranks:
        drawn.add_row(f"{start}-{end}", *(_value(point.values[f"{kind} {start}-{end}"]) for kind in kinds))
    draw(drawn)


def _print_methods(figure: Figure) -> None:
    (metric,) = figure.panel.metrics
    methods = list(dict.fromkeys(point.job.called for point in figure.points))
    # Only the first budget of a method shows the name of the method.
    named = list(dict.fromkeys(point.job.method for point in figure.points))
    first = {next(method for method in methods if method.startswith(name)) for name in named}
    drawn = table("data", *(method if method in first else method.split()[-1] for method in methods))
    for source in figure.sources:
        values = {point.job.called: point.values[metric] for point in figure.of(source)}
        drawn.add_row(source, *(_value(values[method]) for method in methods))
    draw(drawn)


def _print_claims(said: list[Claim]) -> None:
    from papers.claim import OUTCOMES

    counts = Counter(claim.outcome for claim in said)
    shown = ", ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES if counts[outcome])
    result(f"Claims of the paper, reproduced? {shown}")
    for claim in said:
        result()
        where = "m" if claim.figure == "m" else f"figure {claim.figure}"
        paragraph(f"[{claim.outcome}] {where}: {claim.says}. Measured: {claim.measured}. Criterion: {claim.criterion}.")


def _heading(metric: str) -> str:
    return "CPU s" if metric == "seconds" else metric.removesuffix(" 200-220")


def _value(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.3f}"
