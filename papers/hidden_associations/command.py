"""``python -m papers.hidden_associations``: what the paper on hidden Q-S associations claims, measured."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    import pyarrow as pa

    from papers.hidden_associations.figures import Reproduction, Roles
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table

EXAMPLES = (
    "python -m papers.hidden_associations data",
    "python -m papers.hidden_associations --quick --json --quiet",
)
_GENERATED_ROWS = 30_000
_QUICK: dict[str, Any] = {"k": 50, "starts": (5, 25)}

# Hidden cells and the effect of filling them are shown for the first combinations only.
_SHOWN = 2
_ADULT = ("workclass", "education", "marital-status", "occupation", "race", "sex", "salary-class")
_FIRST = (("education", "race", "sex"), ("marital-status", "race", "sex"))


def hidden_associations(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="A folder with the Adult data: adult.data, adult.test and, if you have them, hierarchies/COLUMN.csv.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Try a few settings on a few generated people, to check that it runs.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Reproduce figure 3 of the paper on hidden Q-S associations: hidden cells, and the effect of evaluation.

    It also measures what the paper leaves out: how many hidden cells an adversary can fill in, and what it costs to
    prevent that. Without DATA, people are generated, and the paper's claims need not apply. Adult takes one to two
    minutes: the quasi-identifiers are age and each choice of three of seven columns; the other four are sensitive.
    """
    people, trees, roles = _generated(2_000 if quick else _GENERATED_ROWS) if data is None else _adult(data)
    with progress_bar() as progress, kernel_work(progress) as step:
        from papers.hidden_associations.figures import reproduce

        if quick:
            roles = roles[:_SHOWN]
        outcome = reproduce(people, trees, roles, progress=step, **(_QUICK if quick else {}))
    if json:
        result_json({"data": "generated" if data is None else "Adult", **outcome.as_dict()})
    else:
        if data is None:
            paragraph("Generated people: the paper's claims need not apply. Give DATA to use Adult.")
        _print(outcome)


def _adult(folder: Path) -> tuple[Table, dict[str, Hierarchy], list[Roles]]:
    from papers.data_sets import find_adult
    from shoal.data.table import Table
    from shoal.io.hierarchies import read_hierarchy

    found = find_adult(folder, ("age", *_ADULT))
    if found.test is None:
        note(f"note: adult.test is not beside {found.rows}: only the rows of adult.data are used")
    people = Table.from_arrow(_rows([found.rows, *([found.test] if found.test else [])]))
    trees = {}
    for name in ("age", *_ADULT):
        if name in found.hierarchies:
            trees[name] = read_hierarchy(found.hierarchies[name], column=people.column(name), name=name)
        else:
            note(f"note: there is no hierarchy of {name}: it gets the default one of shoal publish")
    chosen = dict.fromkeys([*_FIRST, *combinations(_ADULT, 3)])
    return people, trees, [(("age", *quasi), [name for name in _ADULT if name not in quasi]) for quasi in chosen]


def _rows(files: list[Path]) -> pa.Table:
    """The complete rows of both files; the second has a line above its rows, and a full stop at the end of each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from papers.data_sets import ADULT_COLUMNS
    from shoal.io.tables import read_table

    parts = []
    for number, file in enumerate(files):
        names = list(ADULT_COLUMNS)
        part = read_table(file, missing="drop", column_names=names, skip_rows=number).to_arrow()
        last = part.column_names.index(names[-1])
        parts.append(part.set_column(last, names[-1], pc.utf8_rtrim(part.column(last), ".")))
    return pa.concat_tables(parts)


def _generated(rows: int) -> tuple[Table, dict[str, Hierarchy], list[Roles]]:
    from shoal.data.hierarchy_builders import prefixes
    from shoal.data.table import Table
    from shoal.generate.people import people

    made = Table.from_arrow(people(rows, seed=1))
    others = ["sex", "education", "occupation", "postcode", "diagnosis"]
    first = [("sex", "postcode"), ("sex", "education")]
    chosen = dict.fromkeys([*first, *(pair for pair in combinations(others, 2) if "diagnosis" not in pair)])
    roles: list[Roles] = [(("age", *quasi), [name for name in others if name not in quasi]) for quasi in chosen]
    # As something to infer, a postcode is no more than a number: it is a quasi-identifier, or left out.
    roles = [(quasi, [name for name in sensitive if name != "postcode"]) for quasi, sensitive in roles]
    return made, {"postcode": prefixes(made.column("postcode"))}, roles


def _print(outcome: Reproduction) -> None:
    from papers.hidden_associations.figures import CONFIDENCE, RATIO_SUPPORT, SUPPORT

    n = len(outcome.combinations)
    result(f"{outcome.rows:,} rows, k = {outcome.k}, confidence {CONFIDENCE:g}; {n} combinations of columns")
    result(f"Figure 3(a): ratio of generalized cells, greedy to IGA; association rules only, support {RATIO_SUPPORT:g}")
    drawn = table("sensitive columns", "choices", "mean", "min", "max")
    for number, mean in outcome.cells_to_iga.items():
        drawn.add_row(f"{number}", f"{mean.combinations}", *map(_ratio, (mean.mean, mean.least, mean.most)))
    draw(drawn)
    result(
        "Figure 3(b): associations evaluated once the smallest group has this size; ratios to no evaluation, "
        f"support {SUPPORT:g}"
    )
    drawn = table("weight", "size", "entropy loss", "min", "max", "CPU time", "cells hidden", "min", "max")
    for (weight, start), means in outcome.to_no_evaluation.items():
        loss, seconds, cells = (means[name] for name in ("entropy_loss", "seconds", "hidden_cells"))
        drawn.add_row(
            f"{weight:g}",
            f"{start}",
            *map(_ratio, (loss.mean, loss.least, loss.most, seconds.mean, cells.mean, cells.least, cells.most)),
        )
    draw(drawn)
    for weight, changed in outcome.changed.items():
        result(f"With weight {weight:g}, evaluation changes the release in {changed} of {n} combinations.")
    result()
    result("Not in the paper: an adversary fills each hidden cell with the most frequent value of its group")
    drawn = table(
        "quasi-identifiers", "hidden by", "cells", "of all", "filled right", "associations", "recovered", "CPU s"
    )
    for one in outcome.combinations[:_SHOWN]:
        for number, hiding in enumerate(one.hidings):
            drawn.add_row(
                "" if number else ", ".join(one.quasi),
                hiding.method,
                f"{hiding.hidden_cells:,}",
                f"{hiding.share:.1%}",
                f"{hiding.filled_right / hiding.hidden_cells:.1%}" if hiding.hidden_cells else "nothing",
                f"{hiding.associations:,}",
                f"{hiding.associations_back:,}",
                f"{hiding.seconds:.2f}",
            )
    draw(drawn)
    result("Claims of the paper, reproduced? Judged by the means at the smallest and largest size, with weight 1:")
    for claim, holds in outcome.claims.items():
        result(f"  {claim}: {'nothing to compare' if holds is None else 'yes' if holds else 'no'}")


def _ratio(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.3f}"
