"""``shoal reproduce qs``: what the paper on k-anonymity with hidden Q-S associations claims, measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, kernel_work, note, paragraph, progress_bar, result, result_json, table

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.study.qs_associations import Reproduction

_MADE_UP_ROWS = 30_000
_QUICK: dict[str, Any] = {"k": 50, "starts": (5, 25), "runs": 1}

# Two of the combinations of columns that the paper averages over; it does not say which they are.
_ROLES = (
    (("age", "education", "sex", "race"), ("workclass", "marital-status", "occupation", "salary-class")),
    (("age", "sex", "race", "marital-status"), ("workclass", "education", "occupation", "salary-class")),
)


def qs(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="FOLDER", help="Where adult.data and adult.test are, and hierarchies, if you have them."
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few settings on a few made-up people, to see that it works.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """k-anonymity with hidden Q-S associations, figure 3: cells beside IGA, and what evaluating associations changes.

    And what the paper leaves out: what an adversary gets back who fills hidden cells, and the price of resisting her.
    Without --data on made-up people, to which the paper's claims need not apply. Adult takes about a minute.
    """
    tables = _made_up(2_000 if quick else _MADE_UP_ROWS) if data is None else _adult(data)
    outcomes = []
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.study.qs_associations import reproduce

        for people, trees in tables:
            outcomes.append(reproduce(people, trees, progress=step, **(_QUICK if quick else {})))
    if json:
        runs = [outcome.as_dict() for outcome in outcomes]
        result_json({"data": "made up" if data is None else "Adult", "runs": runs})
        return
    if data is None:
        paragraph("Made-up people, to which the paper's claims need not apply (--data FOLDER takes Adult).")
    for outcome in outcomes:
        _print(outcome)


def _adult(folder: Path) -> Iterator[tuple[Table, dict[str, Hierarchy]]]:
    from shoal.data.table import Table
    from shoal.io.hierarchies import read_hierarchy
    from shoal.study.paper_data import find_adult

    found = find_adult(folder)
    if found.test is None:
        note(f"note: adult.test is not beside {found.rows}: the rows of adult.data only are looked at")
    rows = _rows([found.rows, *([found.test] if found.test else [])])
    for quasi, sensitive in _ROLES:
        people = Table.from_arrow(rows, quasi=quasi, sensitive=sensitive)
        for name in quasi:
            if name not in found.hierarchies:
                note(f"note: there is no hierarchy of {name}: it is generalized as shoal publish does without one")
        trees = {
            name: read_hierarchy(found.hierarchies[name], column=people.column(name), name=name)
            for name in quasi
            if name in found.hierarchies
        }
        yield people, trees


def _rows(files: list[Path]) -> pa.Table:
    """The complete rows of both files; the second has a line above its rows, and a full stop at the end of each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from shoal.io.tables import read_table
    from shoal.study.paper_data import ADULT_COLUMNS

    parts = []
    for number, file in enumerate(files):
        names = list(ADULT_COLUMNS)
        part = read_table(file, missing="drop", column_names=names, skip_rows=number).to_arrow()
        last = part.column_names.index(names[-1])
        parts.append(part.set_column(last, names[-1], pc.utf8_rtrim(part.column(last), ".")))
    return pa.concat_tables(parts)


def _made_up(rows: int) -> Iterator[tuple[Table, dict[str, Hierarchy]]]:
    from shoal.data.hierarchy_builders import prefixes
    from shoal.data.table import Table
    from shoal.generate.people import people

    roles = {"quasi": ["age", "sex", "postcode"], "sensitive": ["education", "occupation", "diagnosis"]}
    made = Table.from_arrow(people(rows, seed=1), **roles)
    yield made, {"postcode": prefixes(made.column("postcode"))}


def _print(outcome: Reproduction) -> None:
    from shoal.study.qs_associations import CONFIDENCE, RATIO_SUPPORT, SUPPORT

    result(f"{outcome.rows:,} rows, k = {outcome.k}, confidence {CONFIDENCE:g}")
    result(f"quasi-identifiers {', '.join(outcome.quasi)}; sensitive {', '.join(outcome.sensitive)}")
    result(f"Figure 3(a): cells generalized, association rules only, support {RATIO_SUPPORT:g}; mean over combinations")
    drawn = table("sensitive columns", "combinations", "greedy", "IGA", "greedy / IGA", "least", "most")
    for one in outcome.ratios:
        shares = map(_ratio, (one.ratio, one.least, one.most))
        drawn.add_row(f"{one.n_columns}", f"{one.combinations}", f"{one.greedy:,}", f"{one.iga:,}", *shares)
    draw(drawn)
    result(
        f"Figure 3(b): associations evaluated from a smallest group on, support {SUPPORT:g}; ratios to no evaluation"
    )
    drawn = table("from", "groups", "bits lost", "CPU s", "cells hidden", "bits", "CPU", "cells")
    for start in outcome.starts:
        drawn.add_row(
            "never" if start.evaluate_from is None else f"{start.evaluate_from}",
            f"{start.groups:,}",
            f"{start.entropy_loss:,.0f}",
            f"{start.seconds:.2f}",
            f"{start.hidden_cells:,}",
            *map(_ratio, outcome.relative(start)),
        )
    draw(drawn)
    result("Not in the paper: hidden cells that are filled with the most frequent value that their group shows")
    drawn = table("hidden by", "cells", "of all", "filled right", "associations", "back", "CPU s")
    for hiding in outcome.hidings:
        right = f"{hiding.filled_right / hiding.hidden_cells:.1%}" if hiding.hidden_cells else "none"
        drawn.add_row(
            hiding.method,
            f"{hiding.hidden_cells:,}",
            f"{hiding.share:.1%}",
            right,
            f"{hiding.associations:,}",
            f"{hiding.associations_back:,}",
            f"{hiding.seconds:.2f}",
        )
    draw(drawn)
    for claim, holds in outcome.claims.items():
        result(f"{claim}: {'nothing to compare' if holds is None else 'yes' if holds else 'no'}")
    result("")


def _ratio(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.3f}"
