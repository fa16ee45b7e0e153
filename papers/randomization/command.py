"""``python -m papers.randomization``: what the paper on MASK, fake transactions and their hybrid claims, measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    from papers.data_sets import Found
    from papers.randomization.computed_tables import Cell
    from papers.randomization.measured_tables import MiningErrors, Reproduction, Spread
    from shoal.data.transactions import Transactions

EXAMPLES = (
    "python -m papers.randomization data --runs 3",
    "python -m papers.randomization --quick --json --quiet",
)
_TIMED = "T10I4D100K"
_SHOWN_FAKES = (0, 1, 2, 5, 10, 20, 50, 100)
_MEAN_SUPPORTS = (0.005, 0.01, 0.02)


def randomization(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with any of BMS-WebView-1, msweb, diabetes, groceries and T10I4D100K.",
        ),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, metavar="N", help="Releases for each setting of table 5.")] = 10,
    quick: Annotated[
        bool, typer.Option("--quick", help="Try a few settings on a few generated baskets, to check that it runs.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Reproduce the paper on MASK, fake transactions and their hybrid: tables 2, 3, 5 to 8, figures 1 and 2.

    Tables 2, 3, 7, 8 and the figures are computed; tables 5 and 6 are measured. Without DATA, baskets are generated, as
    many and as long as those of BMS-WebView-1 and T10I4D100K, and the paper's numbers do not apply. All five data sets
    together take a few minutes.
    """
    from papers.data_sets import RANDOMIZATION_DATA, find

    found = None if data is None else find(data, RANDOMIZATION_DATA)
    with progress_bar() as progress, kernel_work(progress) as step:
        from papers.randomization.measured_tables import QUICK, reproduce

        outcome = reproduce(
            _data_sets(found, quick=quick),
            _timed(found, quick=quick),
            runs=min(runs, 2) if quick else runs,
            grid=QUICK if quick else None,
            progress=step,
        )
    for missing in found.missing if found else ():
        note(f"skipped: {missing} is not in {data}")
    if json:
        result_json({"tables": _computed(), "measured": outcome.as_dict()})
    else:
        _print_computed()
        _print_errors(outcome)
        _print_times(outcome)


def _data_sets(found: Found | None, *, quick: bool) -> Iterator[tuple[str, Transactions]]:
    from shoal.generate.quest import quest
    from shoal.io.baskets import read_baskets

    for name, path in found.files.items() if found else ():
        yield name, read_baskets(path)
    if quick:
        yield "generated", quest(1_000, mean_length=3, n_items=40, n_patterns=30, seed=1)
    elif found is None:
        yield "generated", quest(59_602, mean_length=2.5, n_items=497, n_patterns=500, mean_pattern=2, seed=1)


def _timed(found: Found | None, *, quick: bool) -> tuple[str, Transactions]:
    from shoal.generate.quest import quest
    from shoal.io.baskets import read_baskets

    if found and _TIMED in found.files and not quick:
        return _TIMED, read_baskets(found.files[_TIMED])
    records, length, items = (1_000, 3, 40) if quick else (100_000, 10, 870)
    return f"generated like {_TIMED}", quest(records, mean_length=length, n_items=items, n_patterns=items, seed=1)


def _computed() -> dict[str, object]:
    from papers.randomization import computed_tables as paper

    tables = {"2": paper.table_2(), "3": paper.table_3(), "7": paper.table_7(), "8": paper.table_8()}
    return {
        **{name: [cell.as_dict() for cell in cells] for name, cells in tables.items()},
        "figures": paper.figures_1_and_2(),
        "heads": [
            {
                "mean_support": support,
                "keep_prob": list(paper.HEAD_KEEP_PROBS),
                "ours": paper.column_heads(support),
                "printed": [float(head) for head in paper.HEADS],
            }
            for support in _MEAN_SUPPORTS
        ],
    }


def _print_computed() -> None:
    from papers.randomization import computed_tables as paper

    _print_cells(
        "Table 2: average privacy, by number of fakes per real transaction and share of fakes filtered out",
        paper.table_2(),
    )
    _print_cells("Table 3: the same with more fakes", paper.table_3())
    _print_cells("Table 7: fakes per real transaction, by privacy and P_r of the flips", paper.table_7())
    _print_cells("Table 8: the same in megabytes, for 4.4 MB of data", paper.table_8())
    result("Figures 1 and 2: privacy by fakes per real transaction, in the worst case and on average")
    points = {point["fakes"]: point for point in paper.figures_1_and_2()}
    drawn = table("fakes", *(f"{fakes:g}" for fakes in _SHOWN_FAKES))
    for name in ("worst", "average"):
        drawn.add_row(name, *(f"{points[fakes][name]:.3f}" for fakes in _SHOWN_FAKES))
    draw(drawn)
    result("Column heads of table 7: P_r of the flips, which the paper attributes to these values of keep_prob")
    drawn = table("mean support", *(f"{keep:g}" for keep in paper.HEAD_KEEP_PROBS))
    drawn.add_row("the paper (not stated)", *(f"{float(head):.2f}" for head in paper.HEADS))
    for support in _MEAN_SUPPORTS:
        drawn.add_row(f"{support:g}", *(f"{head:.4f}" for head in paper.column_heads(support)))
    draw(drawn)


def _print_cells(title: str, cells: Sequence[Cell]) -> None:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows: dict[str, list[str]] = {}
    for cell in cells:
        shown = cell.shown if cell.agrees else f"{cell.shown} (printed: {cell.printed})"
        rows.setdefault(cell.row, []).append(shown)
    result(f"{title}: {sum(cell.agrees for cell in cells)} of {len(cells)} cells match the paper")
    drawn = table("", *columns)
    for row, shown_cells in rows.items():
        drawn.add_row(row, *shown_cells)
    draw(drawn)


def _print_errors(outcome: Reproduction) -> None:
    from papers.randomization.measured_tables import MIN_SUPPORTS, PAPER_ERRORS

    result(f"Table 5: sigma+ / sigma- in percent of the frequent itemsets: mean ± deviation of {outcome.runs} runs")
    thresholds = list(dict.fromkeys(one.min_support for one in outcome.errors))
    drawn = table("data; scheme, keep_prob, fakes", *(f"{at:g}" for at in thresholds))
    for name in dict.fromkeys(one.data for one in outcome.errors):
        of_data = [one for one in outcome.errors if one.data == name]
        frequent = {one.min_support: f"{one.frequent:,} itemsets" for one in of_data}
        drawn.add_row(name, *(frequent.get(at, "") for at in thresholds))
        for scheme, keep, fakes in dict.fromkeys((one.scheme, one.keep_prob, one.fakes) for one in of_data):
            cells = {one.min_support: _sigmas(one) for one in of_data if (one.keep_prob, one.fakes) == (keep, fakes)}
            drawn.add_row(f"  {scheme}, {keep:g}, {fakes:g}", *(cells.get(at, "") for at in thresholds))
    if tuple(thresholds) == MIN_SUPPORTS:
        drawn.add_row("the paper, on BMS-WebView-1", "201 itemsets", "560 itemsets", "3,991 itemsets")
        for (scheme, fakes), pairs in PAPER_ERRORS.items():
            drawn.add_row(f"  {scheme}, {fakes:g}", *(f"{plus:.2f} / {minus:.2f}" for plus, minus in pairs))
    draw(drawn)
    paragraph(
        "No setting has both the small errors of table 5 and the savings of table 7: with the flips that the savings "
        "need, the errors are far larger (shoal privacy --frontier shows what is possible)."
    )
    result()


def _sigmas(one: MiningErrors) -> str:
    return f"{_percent(one.sigma_plus)} / {_percent(one.sigma_minus)}"


def _percent(spread: Spread) -> str:
    about = "" if spread.deviation is None else f"±{100 * spread.deviation:.2g}"
    return f"{100 * spread.mean:.3g}{about}"


def _print_times(outcome: Reproduction) -> None:
    from papers.randomization.measured_tables import LONGEST, PAPER_SECONDS, TIMED_FAKES, TIMED_KEEP_PROB

    result(
        f"Table 6: CPU seconds to mine {outcome.timed}, by fakes per real transaction (hybrid: keep_prob "
        f"{TIMED_KEEP_PROB:g})"
    )
    numbers = list(dict.fromkeys(one.fakes for one in outcome.times))
    drawn = table("threshold", "scheme", *(f"{fakes:g}" for fakes in numbers))
    for at, scheme in sorted({(one.min_support, one.scheme) for one in outcome.times}):
        seconds = [one.seconds for one in outcome.times if (one.min_support, one.scheme) == (at, scheme)]
        drawn.add_row(f"{at:g}", scheme, *(f"{second:.2f}" for second in seconds))
        if tuple(numbers) == TIMED_FAKES and (scheme, at) in PAPER_SECONDS:
            drawn.add_row("", "  the paper", *(f"{second:,.0f}" for second in PAPER_SECONDS[scheme, at]))
    draw(drawn)
    fakes, at = outcome.estimators[0].fakes, outcome.estimators[0].min_support
    result(f"Estimators of supports, itemsets of up to {LONGEST} items: threshold {at:g}, fakes {fakes:g}")
    drawn = table("estimator", "CPU s", "itemsets")
    for one in outcome.estimators:
        drawn.add_row(one.estimator, f"{one.seconds:.2f}", f"{one.itemsets:,}")
    draw(drawn)
    paragraph("The paper's seconds are from its own machine and program, on similar data.")
