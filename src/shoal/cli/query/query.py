"""``shoal query``: how many records hold these items, or how many rows meet these conditions, as a release tells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import (
    draw,
    item_text,
    kernel_work,
    paragraph,
    printable,
    progress_bar,
    result,
    result_json,
    table,
)
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.analyse.answers import Support, Supports
    from shoal.analyse.tables.aggregates import Aggregate
    from shoal.release import BasketRelease
    from shoal.release.bucketized import Bucketized
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized import Generalized
    from shoal.release.randomized import Randomized


def query(
    release: options.ReleaseArgument,
    queries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY...",
            help='Baskets: items parted by commas, as in "bread, milk". Tables: conditions joined by and, as in '
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
    term_items: options.TermItemsOption = options.TermItems.once,
    json: options.JsonOption = False,
) -> None:
    """Count the records with all of some items, or the rows that meet conditions: certain bounds, and the mean.

    Of generalized baskets, published items and groups are counted exactly; of noisy counts, summed.
    """
    from shoal.io.release_folder import read_release
    from shoal.release import BasketRelease
    from shoal.release.generalized import Generalized

    opened = read_release(release)
    if isinstance(opened, BasketRelease):
        if of is not None:
            raise InputError("--of is about columns, and this is a release of baskets: leave it out")
        _any_baskets(opened, queries or [], none_of, term_items, json=json)
        return
    if none_of is not None or term_items is not options.TermItems.once:
        raise InputError(
            "--none-of and --term-items are about items, and this is a release of a table: write conditions, as in "
            "'age >= 30 and disease != flu'"
        )
    if not queries:
        raise InputError(
            "nothing is asked: write conditions, as in shoal query release 'age in 30..40 and disease = flu'"
        )
    if not isinstance(opened, Generalized):
        _table(opened, queries, of, json=json)
        return
    if of is not None:
        raise InputError(
            "--of is about releases in which numbers stand as they are, and this one may have ranges in their place: "
            "leave it out, or shoal export it"
        )
    _generalized(opened, queries, json=json)


def _any_baskets(
    release: BasketRelease, itemsets: list[str], none_of: str | None, term_items: options.TermItems, *, json: bool
) -> None:
    """Items are asked for in every release of baskets; of a disassociated one also without some, and in two models."""
    from shoal.cli.query.rows import query_generalized, query_noisy
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.randomized import Randomized

    if isinstance(release, Disassociated):
        _baskets(release, itemsets, none_of, term_items, json=json)
        return
    if none_of is not None or term_items is not options.TermItems.once:
        kind = "randomized" if isinstance(release, Randomized) else f"by {release.method}"
        raise InputError(
            f"--none-of and --term-items are about releases of baskets in chunks, and this one is {kind}: ask for all "
            "items of a query, and for those and the unwanted ones, and subtract"
        )
    if isinstance(release, Randomized):
        _randomized(release, itemsets, json=json)
    elif isinstance(release, GeneralizedBaskets):
        query_generalized(release, itemsets, json=json)
    else:
        query_noisy(release, itemsets, json=json)


def _baskets(
    release: Disassociated,
    itemsets: list[str],
    none_of: str | None,
    term_items: options.TermItems,
    *,
    json: bool,
) -> None:
    wanted = [options.item_names(text) for text in itemsets]
    unwanted = options.item_names(none_of) if none_of else []
    if not wanted and not unwanted:
        raise InputError('nothing is asked: name some items, as in shoal query release "bread, milk"')
    wanted = wanted or [[]]
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.analyse.disassociated.supports import supports

        found = supports(release, wanted, without=[unwanted] * len(wanted), term_items=term_items.value, progress=step)
    struck = release.dropped.plain_instances + release.dropped.sensitive_instances
    if json:
        answers = [{"all_of": items, "none_of": unwanted, **asdict(found[at])} for at, items in enumerate(wanted)]
        result_json({"records": release.n_records, "occurrences_left_out": struck, "supports": answers})
        return
    drawn = table("all of", "none of", "expected", "deviation", "at least", "at most")
    for at, items in enumerate(wanted):
        one = found[at]
        drawn.add_row(
            ", ".join(map(item_text, items)),
            ", ".join(map(item_text, unwanted)),
            *(f"{one.expected:,.1f}", f"{one.deviation:,.1f}", f"{one.least:,}", f"{one.most:,}"),
        )
    result(f"of {release.n_records:,} records:")
    draw(drawn)
    paragraph(
        "Every possible original lies between the bounds. Expected is the mean over random reconstructions, each chunk "
        "placed independently and uniformly; it is no estimate of how items of different chunks went together."
        + (
            f" Publishing left out {struck:,} occurrences of items: the original may have up to so many records more."
            if struck
            else ""
        )
    )


def _randomized(release: Randomized, itemsets: list[str], *, json: bool) -> None:
    wanted = [options.item_names(text) for text in itemsets]
    if not wanted:
        raise InputError('nothing is asked: name some items, as in shoal query release "bread, milk"')
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.analyse.randomized.supports import estimated_supports

        found = estimated_supports(release, wanted, progress=step)
    rows = found.to_arrow().to_pylist()
    if json:
        answers = [{"all_of": items, **row} for items, row in zip(wanted, rows, strict=True)]
        result_json({"records": release.n_records, "estimates": answers})
        return
    drawn = table("all of", "records", "support", "error", "low", "high")
    for items, row in zip(wanted, rows, strict=True):
        shares = (f"{row[name]:.3%}" for name in ("support", "error", "low", "high"))
        drawn.add_row(", ".join(map(item_text, items)), f"{row['support'] * release.n_records:,.1f}", *shares)
    result(f"of {release.n_records:,} records:")
    draw(drawn)
    paragraph(
        "Support is an estimate: on average over the chance that made the release, it is that of the original, and its "
        "standard error says how far it may be off. Of intervals from low to high, about 95 in 100 hold the truth. "
        "What cannot be, as less than nothing, is chance, too."
    )


def _table(release: Bucketized, queries: list[str], of: str | None, *, json: bool) -> None:
    from shoal.analyse.tables.aggregates import aggregate_rows
    from shoal.analyse.tables.counts import count_rows

    with progress_bar() as progress:
        counts = count_rows(release, queries, progress=progress)
        numbers: Sequence[Aggregate] = () if of is None else aggregate_rows(release, queries, of=of, progress=progress)
    if json:
        answers = [{"query": text, **asdict(counts[at])} for at, text in enumerate(queries)]
        for answer, found in zip(answers, numbers, strict=False):
            answer["of"] = asdict(found)
        result_json({"rows": release.n_rows, "counts": answers})
        return
    result(f"of {release.n_rows:,} rows:")
    _draw_counts(queries, counts)
    if numbers:
        drawn = table(f"{printable(str(of))} of rows with", "minimum", "maximum", "average", "expected average")
        for text, found in zip(queries, numbers, strict=True):
            average = "" if found.expected_average is None else f"{found.expected_average:,.6g}"
            ranges = ("" if part is None else str(part) for part in (found.minimum, found.maximum, found.average))
            drawn.add_row(printable(text), *ranges, average)
        draw(drawn)
    paragraph(
        "Every possible original lies between the bounds. Expected is the mean over all ways to hand a group's values "
        "to its rows, as if each were as likely." + _about(numbers)
    )


def _generalized(release: Generalized, queries: list[str], *, json: bool) -> None:
    from shoal.analyse.tables.counts import count_rows

    with progress_bar() as progress:
        counts = count_rows(release, queries, progress=progress)
    if json:
        answers = [{"query": text, **_known(counts[at])} for at, text in enumerate(queries)]
        result_json({"rows": release.n_rows, "suppressed_rows": release.suppressed, "counts": answers})
        return
    suppressed = f" and {release.suppressed:,} suppressed" if release.suppressed else ""
    result(f"of {release.n_rows:,} rows{suppressed}:")
    _draw_counts(queries, counts)
    said = [
        "Every possible original lies between the bounds. Expected is the mean over all ways to fill generalized cells "
        "with values below them, as if each were as likely, whatever stands beside it."
    ]
    if release.suppressed:
        said.append("Suppressed rows may be any rows: they count in the upper bound.")
    if any(answer is None for at in range(len(queries)) for answer in _known(counts[at]).values()):
        said.append(
            "Where no mean is shown, the release does not tell how many of the values below some cells are meant: its "
            "hierarchies are cut at what rows hold, and do not list what was asked for, or labels that are no ranges "
            "of numbers stand for numbers."
        )
    paragraph(" ".join(said))


def _known(one: Support) -> dict[str, float | None]:
    """An answer as plain values, with None for what is not known: JSON has no nan."""
    return {name: None if math.isnan(value) else value for name, value in asdict(one).items()}


def _draw_counts(queries: list[str], counts: Supports) -> None:
    drawn = table("rows with", "expected", "deviation", "at least", "at most")
    for at, text in enumerate(queries):
        one = counts[at]
        means = ("" if math.isnan(mean) else f"{mean:,.1f}" for mean in (one.expected, one.deviation))
        drawn.add_row(printable(text), *means, f"{one.least:,}", f"{one.most:,}")
    draw(drawn)


def _about(numbers: Sequence[Aggregate]) -> str:
    if not numbers:
        return ""
    text = (
        " Bounds of the average are those of all possible originals; the expected average is the expected sum by the "
        "expected count. Rows without a number do not count."
    )
    if any(one.minimum is None for one in numbers):
        text += " Where nothing is shown, no row can meet the conditions and have a number."
    if any(one.minimum is not None and not one.least_rows for one in numbers):
        text += " Where no row is certain to meet them, the bounds are those of the originals in which some do."
    return text
