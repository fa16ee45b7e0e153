"""``python -m papers.injector``: what the Injector paper claims, measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    from papers.injector.figures import Outcome, Reproduction
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table

EXAMPLES = (
    "python -m papers.injector data",
    "python -m papers.injector --quick --json --quiet",
)
_GENERATED_ROWS = 30_000
_QUICK: dict[str, Any] = {"ls": (2, 3), "expectations": (0.8, 0.9), "runs": 2, "queries": 100}


def injector(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with the Adult data: adult.data and, if you have them, hierarchies/COLUMN.csv.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Try a few settings on a few generated people, to check that it runs.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Reproduce figures 3 to 8 of the Injector paper: rules, vulnerable rows, time, and errors of rules and queries.

    Without DATA, people are generated, and the paper's numbers do not apply. Adult takes a few minutes.
    """
    people, trees, others = _adult(data) if data is not None else _generated(2_000 if quick else _GENERATED_ROWS)
    with progress_bar() as progress, kernel_work(progress) as step:
        from papers.injector.figures import reproduce

        outcome = reproduce(people, trees, other_trees=others, progress=step, **(_QUICK if quick else {}))
    if json:
        result_json({"data": "generated" if data is None else "Adult", **outcome.as_dict()})
    else:
        _print(outcome, adult=data is not None)


def _adult(folder: Path) -> tuple[Table, dict[str, Hierarchy], dict[str, dict[str, Hierarchy]]]:
    from papers.data_sets import ADULT_COLUMNS, ADULT_QUASI, find_adult
    from shoal.data.hierarchy import Hierarchy
    from shoal.io.hierarchies import read_hierarchy
    from shoal.io.tables import read_table

    found = find_adult(folder)
    people = read_table(
        found.rows, quasi=ADULT_QUASI, sensitive="occupation", missing="drop", column_names=list(ADULT_COLUMNS)
    )
    for name in ADULT_QUASI:
        if name not in found.hierarchies:
            note(f"note: there is no hierarchy of {name}: only its values are used")
    trees = {
        name: read_hierarchy(path, column=people.column(name), name=name) for name, path in found.hierarchies.items()
    }
    work = people.column("workclass")
    rows = [(value, _employer(value), "*") for value in work.texts]
    return people, trees, {"Government, Self-emp": {"workclass": Hierarchy.from_rows(rows, name="workclass")}}


def _employer(workclass: str) -> str:
    if workclass.endswith("-gov"):
        return "Government"
    return "Self-emp" if workclass.startswith("Self-emp") else workclass


def _generated(rows: int) -> tuple[Table, dict[str, Hierarchy], dict[str, dict[str, Hierarchy]]]:
    from shoal.data.hierarchy_builders import ranges
    from shoal.data.table import Table
    from shoal.generate.people import people

    quasi = ["age", "sex", "education", "occupation"]
    made = Table.from_arrow(people(rows, seed=1), quasi=quasi, sensitive="diagnosis")
    return made, {"age": ranges(made.column("age"))}, {}


def _print(outcome: Reproduction, *, adult: bool) -> None:
    from papers.injector.figures import PAPER_EXCLUDED, PAPER_RULES

    result(f"{outcome.rows:,} rows. Figure 3: negative rules, and the share of rows with 0, 1, ... excluded values")
    drawn = table("trees", "expectation", "rules", *(f"N{n}" for n in range(5)), "N5+", "CPU s")
    for found in outcome.rules:
        shares = (f"{share:.1%}" for share in found.excluded)
        drawn.add_row(found.trees, f"{found.min_expectation:g}", f"{found.rules:,}", *shares, f"{found.seconds:.2f}")
    if adult:
        for at, number in PAPER_RULES.items():
            drawn.add_row("the paper", f"{at:g}", f"{number}", *(f"{share:.1%}" for share in PAPER_EXCLUDED[at]))
    draw(drawn)
    _print_outcomes(outcome)
    _print_answers(outcome)
    for why in outcome.left_out:
        paragraph(f"skipped: {why}")
    vulnerable = max((one.vulnerable for one in outcome.outcomes if one.method != "anatomy"), default=0)
    paragraph(
        f"The paper says that Injector has no vulnerable rows. Here it has {vulnerable:g}. "
        "The paper says that Injector has smaller errors than Anatomy in all settings. Here its errors are smaller in "
        f"{_claims(outcome, 'injector')}; with the printed rule for filling groups in {_claims(outcome, 'printed')}. "
        "The paper does not state its thresholds of support and conviction, nor the settings of dim and sel."
    )


def _claims(outcome: Reproduction, method: str) -> str:
    return ", ".join(
        f"{fewer} of {settings} ({words})"
        for name, words in (
            ("confidence_error", "confidence error"),
            ("sigma_plus", "sigma+"),
            ("sigma_minus", "sigma-"),
            ("query_error", "query error"),
        )
        for fewer, settings in [outcome.beaten(name, method)]
    )


def _print_outcomes(outcome: Reproduction) -> None:
    result("Figures 4 and 5: vulnerable rows (mean, and range over the runs), the largest probability of a value given")
    result("the rules, the share of rows that naive Bayes across groups guesses, and CPU seconds without mining")
    drawn = table("l", "expectation", "method", "vulnerable", "range", "largest probability", "guessed", "CPU s")
    for one in outcome.outcomes:
        least, most = one.vulnerable_range
        drawn.add_row(
            *_setting(one),
            f"{one.vulnerable:,.1f}" if one.runs > 1 else f"{one.vulnerable:,.0f}",
            f"{least:,} to {most:,}" if one.runs > 1 else "",
            *(_share(one.largest_chance), _share(one.guessed), f"{one.seconds:.2f}"),
        )
    draw(drawn)
    result(f"The most frequent value occurs in {outcome.base_rate:.1%} of the rows.")
    result("Figures 6, 7 and 8: errors, by l and expectation")
    drawn = table("l", "expectation", "method", "confidence error", "sigma+", "sigma-", "query error")
    for one in outcome.outcomes:
        errors = one.confidence_error, one.sigma_plus, one.sigma_minus, one.query_error
        drawn.add_row(*_setting(one), *map(_share, errors))
    draw(drawn)


def _setting(one: Outcome) -> tuple[str, str, str]:
    """Where a row of a table stands; the second method of a setting does not repeat it."""
    return (f"{one.l}", f"{one.min_expectation:g}", one.method) if one.method == "anatomy" else ("", "", one.method)


def _print_answers(outcome: Reproduction) -> None:
    result("Figure 8: query error, by number of columns (dim) and share of values (sel)")
    from papers.injector.figures import METHODS

    drawn = table("dim", "sel", "answered", *METHODS)
    errors: dict[tuple[int, float, int], dict[str, float | None]] = {}
    for one in outcome.answers:
        errors.setdefault((one.dim, one.sel, one.answered), {})[one.method] = one.query_error
    for (dim, sel, answered), found in errors.items():
        drawn.add_row(f"{dim}", f"{sel:g}", f"{answered:,}", *(_share(found.get(method)) for method in METHODS))
    draw(drawn)


def _share(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.1%}"
