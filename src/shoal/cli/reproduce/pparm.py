"""``shoal reproduce pparm``: what the paper on MASK, fake transactions and the hybrid claims, computed and measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions
    from shoal.study.papers.paper_data import Found
    from shoal.study.papers.pparm_tables import Cell
    from shoal.study.papers.randomization import MiningErrors, Reproduction, Spread

_TIMED = "T10I4D100K"
_SHOWN_FAKES = (0, 1, 2, 5, 10, 20, 50, 100)
_MEAN_SUPPORTS = (0.005, 0.01, 0.02)


def pparm(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="Where BMS-WebView-1, msweb, diabetes, groceries and T10I4D100K are, as far as you have them.",
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", min=1, metavar="N", help="How often each setting of table 5 is published.")
    ] = 10,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few settings on a few made-up baskets, to see that it works.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """MASK, fake transactions and their hybrid: tables 2, 3, 7, 8 and figures 1, 2 computed, tables 5 and 6 measured.

    Without --data on made-up baskets, as many and as long as those of BMS-WebView-1 and T10I4D100K, to which the
    paper's numbers do not apply. All five data sets take some minutes.
    """
    from shoal.study.papers.paper_data import RANDOMIZATION_DATA, find

    found = None if data is None else find(data, RANDOMIZATION_DATA)
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.study.papers.randomization import QUICK, reproduce

        outcome = reproduce(
            _data_sets(found, quick=quick),
            _timed(found, quick=quick),
            runs=min(runs, 2) if quick else runs,
            grid=QUICK if quick else None,
            progress=step,
        )
    for missing in found.missing if found else ():
        note(f"left out: {missing} is not in {data}")
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
        yield "made up", quest(1_000, mean_length=3, n_items=40, n_patterns=30, seed=1)
    elif found is None:
        yield "made up", quest(59_602, mean_length=2.5, n_items=497, n_patterns=500, mean_pattern=2, seed=1)


def _timed(found: Found | None, *, quick: bool) -> tuple[str, Transactions]:
    from shoal.generate.quest import quest
    from shoal.io.baskets import read_baskets

    if found and _TIMED in found.files and not quick:
        return _TIMED, read_baskets(found.files[_TIMED])
    records, length, items = (1_000, 3, 40) if quick else (100_000, 10, 870)
    return f"made up like {_TIMED}", quest(records, mean_length=length, n_items=items, n_patterns=items, seed=1)


def _computed() -> dict[str, object]:
    from shoal.study.papers import pparm_tables as paper

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
    from shoal.study.papers import pparm_tables as paper

    _print_cells("Table 2: privacy of made-up rows on average, by the share that is filtered", paper.table_2())
    _print_cells("Table 3: the same with more of them", paper.table_3())
    _print_cells("Table 7: made-up rows for each real one, by the privacy and P_r of flips", paper.table_7())
    _print_cells("Table 8: the same in megabytes, of 4.4", paper.table_8())
    result("Figures 1 and 2: privacy by the number of made-up rows, in the worst case and on average")
    points = {point["fakes"]: point for point in paper.figures_1_and_2()}
    drawn = table("made-up rows", *(f"{fakes:g}" for fakes in _SHOWN_FAKES))
    for name in ("worst", "average"):
        drawn.add_row(name, *(f"{points[fakes][name]:.3f}" for fakes in _SHOWN_FAKES))
    draw(drawn)
    result("The heads of table 7, P_r of flips, said to be those at these chances of keeping")
    drawn = table("mean support", *(f"{keep:g}" for keep in paper.HEAD_KEEP_PROBS))
    drawn.add_row("the paper (not said)", *(f"{float(head):.2f}" for head in paper.HEADS))
    for support in _MEAN_SUPPORTS:
        drawn.add_row(f"{support:g}", *(f"{head:.4f}" for head in paper.column_heads(support)))
    draw(drawn)


def _print_cells(title: str, cells: Sequence[Cell]) -> None:
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows: dict[str, list[str]] = {}
    for cell in cells:
        shown = cell.shown if cell.agrees else f"{cell.shown} (printed: {cell.printed})"
        rows.setdefault(cell.row, []).append(shown)
    result(f"{title}: {sum(cell.agrees for cell in cells)} of {len(cells)} cells are as printed")
    drawn = table("", *columns)
    for row, shown_cells in rows.items():
        drawn.add_row(row, *shown_cells)
    draw(drawn)


def _print_errors(outcome: Reproduction) -> None:
    from shoal.study.papers.randomization import MIN_SUPPORTS, PAPER_ERRORS

    result(f"Table 5: sigma+ / sigma- in percent of the frequent itemsets, mean and spread of {outcome.runs} runs")
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
        "The small errors of table 5 and the savings of table 7 are not reached together: the savings need flips at "
        "which these errors are far larger (shoal privacy --frontier shows what is possible)."
    )
    result()


def _sigmas(one: MiningErrors) -> str:
    return f"{_percent(one.sigma_plus)} / {_percent(one.sigma_minus)}"


def _percent(spread: Spread) -> str:
    about = "" if spread.deviation is None else f"±{100 * spread.deviation:.2g}"
    return f"{100 * spread.mean:.3g}{about}"


def _print_times(outcome: Reproduction) -> None:
    from shoal.study.papers.randomization import LONGEST, PAPER_SECONDS, TIMED_FAKES, TIMED_KEEP_PROB

    result(
        f"Table 6: CPU seconds to mine {outcome.timed}, by the number of made-up rows (hybrid: keep_prob "
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
    result(f"Ways to undo flips of up to {LONGEST} items: threshold {at:g}, fakes {fakes:g}")
    drawn = table("estimator", "CPU s", "itemsets")
    for one in outcome.estimators:
        drawn.add_row(one.estimator, f"{one.seconds:.2f}", f"{one.itemsets:,}")
    draw(drawn)
    paragraph("The paper's seconds are of its own machine and program, on data that are alike.")
