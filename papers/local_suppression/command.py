"""``python -m papers.local_suppression``: what the paper on local suppression claims, measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    from papers.data_sets import Found
    from papers.local_suppression.figures import Reproduction
    from shoal.data.transactions import Transactions

EXAMPLES = (
    "python -m papers.local_suppression data",
    "python -m papers.local_suppression --quick --json --quiet",
)


def local_suppression(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with any of groceries, msweb, diabetes, T10I4D100K and BMS-WebView-2.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Try a few settings on a few generated baskets, to check that it runs.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Reproduce figures 6 to 8 of the local suppression paper: pairs kept with and without suppression.

    The data are those in DATA and generated baskets, as many and as long as those of BMS-WebView-2. A data set takes a
    few seconds to a few minutes.
    """
    from papers.data_sets import find

    found = None if data is None else find(data)
    with progress_bar() as progress, kernel_work(progress) as step:
        from papers.local_suppression.figures import QUICK, reproduce

        outcome = reproduce(_data_sets(found, quick=quick), grid=QUICK if quick else None, progress=step)
    for missing in found.missing if found else ():
        note(f"skipped: {missing} is not in {data}")
    if json:
        result_json(outcome.as_dict())
    else:
        _print(outcome)


def _data_sets(found: Found | None, *, quick: bool) -> Iterator[tuple[str, Transactions]]:
    from shoal.generate.quest import quest
    from shoal.io.baskets import read_baskets

    for name, path in found.files.items() if found else ():
        yield name, read_baskets(path)
    if quick:
        yield "generated", quest(2_000, mean_length=5, n_items=100, n_patterns=60, seed=1)
    else:
        yield "generated", quest(77_512, mean_length=4.62, n_items=3_340, n_patterns=3_000, mean_pattern=3, seed=1)


def _print(outcome: Reproduction) -> None:
    from papers.local_suppression.figures import CLAIMED_ERROR, CLAIMED_PAIRS, VERTICALS

    paragraph(
        f"The paper: {CLAIMED_PAIRS:g} times the pairs (ANR, mean over figure 7), ARE {CLAIMED_ERROR:g} % lower (mean "
        "over figure 8). It does not state its cluster size. Here: by maximum cluster size, with suppression in all "
        "clusters (dls) and only where it keeps more pairs (best):"
    )
    drawn = table("data", "clusters", "method", "times the pairs", "ARE lower by", "mean ARE lower by", "instances")
    for claim in outcome.claims:
        first = claim.vertical == VERTICALS[1]
        drawn.add_row(
            claim.data if first else "",
            f"{claim.max_cluster_size}" if first else "",
            claim.vertical,
            _times(claim.pairs),
            _percent(claim.error),
            _percent(claim.mean_error),
            _times(claim.pooled_pairs),
        )
    draw(drawn)
    for name, (records, items) in outcome.sizes.items():
        result(f"{name}: {records:,} records, {items:,} items")
        _print_settings(name, outcome)


def _print_settings(name: str, outcome: Reproduction) -> None:
    from papers.local_suppression.figures import TOPS, VERTICALS

    labels = ["ANR", *(f"ARE top {top} %" for top in TOPS), "pair instances kept"]
    tops = [f"ARE {top} %" for top in TOPS]
    drawn = table("size", "k", "m", "items", "method", "ANR", *tops, "instances", "suppressed")
    for one in outcome.outcomes:
        if one.data == name:
            setting = one.setting
            where = f"{setting.max_cluster_size}", f"{setting.k}", f"{setting.m}", f"{setting.domain} %"
            shown = where if one.vertical == VERTICALS[0] else [""] * len(where)
            drawn.add_row(*shown, one.vertical, *(_share(one.values[label]) for label in labels), f"{one.suppressed:,}")
    draw(drawn)


def _times(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.1f} %"


def _share(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.4f}"
