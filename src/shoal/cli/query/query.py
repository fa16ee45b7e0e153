"""``shoal query``: how many records hold these items, or how many rows meet these conditions, in a release."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.terminal import kernel_work, paragraph, progress_bar, result, result_json
from shoal.errors import InputError
from shoal.run import Run
from shoal.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from shoal.analyse.reader import Reader


def query(
    release: options.ReleaseArgument,
    queries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY...",
            help='Baskets: comma-separated items, as in "bread, milk". Tables: conditions joined by and, as in '
            '"age in 30..40 and disease = flu". Quote names that have commas or blanks.',
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="COLUMN", help="Tables: the minimum, maximum and average of this column, too."),
    ] = None,
    none_of: Annotated[
        str | None,
        typer.Option(
            "--none-of", metavar="ITEMS", help="Baskets: count only records with none of these items, in every query."
        ),
    ] = None,
    term_items: options.TermItemsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Count the records with all of some items, or the rows that meet conditions: certain bounds, and the mean.

    Of generalized baskets, published items and groups are counted exactly; of noisy counts, summed.
    """
    from shoal.cli.show.drawing import draw_contents
    from shoal.io.release_folder import read_release

    published = read_release(release)
    shape, reader = SHAPES[published.shape], published.reader()
    _refuse_idle(shape, reader, of=of, none_of=none_of, term_items=term_items)
    unwanted = options.item_names(none_of) if none_of else None
    wanted: list[Any] = queries or []
    if shape.data == "baskets":
        wanted = [options.item_names(text) for text in wanted]
    if not wanted and not unwanted:
        raise InputError(f"nothing is asked: {_EXAMPLES[shape.data]}")
    model: Any = None if term_items is None else term_items.value
    # What counts without kernels does not wait for Numba.
    working = kernel_work if reader.needs_kernels else nullcontext
    with progress_bar() as progress, working(progress) as step:
        answers = reader.query(wanted, none_of=unwanted, of=of, term_items=model, run=Run(progress=step))
    if json:
        result_json(answers.as_dict())
        return
    drawn = reader.tables_of(answers)
    result(drawn.heading)
    for table in drawn.tables:
        draw_contents(table)
    paragraph(drawn.words)


_EXAMPLES = {
    "baskets": 'name some items, as in shoal query release "bread, milk"',
    "table": "write conditions, as in shoal query release 'age in 30..40 and disease = flu'",
}


def _refuse_idle(shape: Shape, reader: Reader, **given: object) -> None:
    """Refuse options that do not apply to this release, and say what to do instead."""
    idle = {name for name, value in given.items() if value is not None} - reader.query_options
    if not idle:
        return
    if "of" not in idle:
        if shape.data == "table":
            raise InputError(
                "--none-of and --term-items are about items, and this is a release of a table: write conditions, as in "
                "'age >= 30 and disease != flu'"
            )
        raise InputError(
            f"--none-of and --term-items are about releases of baskets in chunks, and this is {shape.called}: ask for "
            "all items of a query, and for those and the unwanted ones, and subtract"
        )
    if shape.data == "baskets":
        raise InputError("--of is about columns, and this is a release of baskets: leave it out")
    raise InputError(
        "--of is about releases in which numbers stand as they are, and this one may have ranges in their place: "
        "leave it out, or shoal export it"
    )
