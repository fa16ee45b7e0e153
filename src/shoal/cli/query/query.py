"""``shoal query``: how many records hold these items, or how many rows meet these conditions, as a release tells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.query.numbers import numbers
from shoal.cli.terminal import (
    cell_text,
    draw,
    item_text,
    kernel_work,
    paragraph,
    progress_bar,
    result,
    result_json,
    table,
)
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.analyse.answers import Supports
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
    term_items: options.TermItemsOption = None,
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
    if none_of is not None or term_items is not None:
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
    release: BasketRelease,
    itemsets: list[str],
    none_of: str | None,
    term_items: options.TermItems | None,
    *,
    json: bool,
) -> None:
    """Items are asked for in every release of baskets; of a disassociated one also without some, and in two models."""
    from shoal.cli.query.rows import query_generalized, query_noisy
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.randomized import Randomized

    if isinstance(release, Disassociated):
        _baskets(release, itemsets, none_of, term_items, json=json)
        return
    if none_of is not None or term_items is not None:
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
    term_items: options.TermItems | None,
    *,
    json: bool,
) -> None:
    wanted = [options.item_names(text) for text in itemsets]
    unwanted = options.item_names(none_of) if none_of else []
    if not wanted and not unwanted:
        raise InputError('nothing is asked: name some items, as in shoal query release "bread, milk"')
    wanted = wanted or [[]]
    model = term_items or options.TermItems.uniform
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.analyse.disassociated.supports import supports

        found = supports(release, wanted, without=[unwanted] * len(wanted), term_items=model.value, progress=step)
    if json:
        answers = [{"all_of": items, "none_of": unwanted, **numbers(found[at])} for at, items in enumerate(wanted)]
        said = {"records": release.n_records, "occurrences_left_out": found.left_out}
        result_json({**said, "term_items": model.value, "expected_if": found.model, "supports": answers})
        return
    drawn = table("all of", "none of", "at least", "at most", "expected", "deviation")
    for at, items in enumerate(wanted):
        one = found[at]
        drawn.add_row(
            ", ".join(map(item_text, items)),
            ", ".join(map(item_text, unwanted)),
            *(f"{one.least:,}", f"{one.most:,}", f"{one.expected:,.1f}", f"{one.deviation:,.1f}"),
        )
    result(f"of {release.n_records:,} records:")
    draw(drawn)
    paragraph(" ".join(_about_baskets(release, found, model)))


def _about_baskets(release: Disassociated, found: Supports, model: options.TermItems) -> Iterator[str]:
    """What is certain, what is a model, and which way the truth may lie from it (measured in docs/query.md)."""
    from shoal.analyse.disassociated.term_chunks import model_words

    yield "Certain: every possible original lies between at least and at most."
    if found.left_out:
        yield f"Publishing left out {found.left_out:,} occurrences of items: the original may differ by as many."
    yield (
        f"Expected and deviation hold if {found.model}. The release does not tell whether that is so, nor how items of "
        "different chunks went together: the truth may lie many deviations away."
    )
    if model_words(release, "once") == model_words(release, "uniform"):
        return
    if model is options.TermItems.once:
        yield "The truth is greater where such an item is in more records: --term-items uniform reckons with that."
    else:
        yield "On real baskets most of these items are in one record: of single items --term-items once comes nearer."


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
        aggregates: Sequence[Aggregate] = (
            () if of is None else aggregate_rows(release, queries, of=of, progress=progress)
        )
    if json:
        answers: list[dict[str, Any]] = [{"query": text, **numbers(counts[at])} for at, text in enumerate(queries)]
        for answer, found in zip(answers, aggregates, strict=False):
            answer["of"] = asdict(found)
        result_json({"rows": release.n_rows, "expected_if": counts.model, "counts": answers})
        return
    result(f"of {release.n_rows:,} rows:")
    _draw_counts(queries, counts)
    if aggregates:
        drawn = table(f"{cell_text(str(of))} of rows with", "minimum", "maximum", "average", "expected average")
        for text, found in zip(queries, aggregates, strict=True):
            average = "" if found.expected_average is None else f"{found.expected_average:,.6g}"
            ranges = ("" if part is None else str(part) for part in (found.minimum, found.maximum, found.average))
            drawn.add_row(cell_text(text), *ranges, average)
        draw(drawn)
    paragraph(
        f"Certain: every possible original lies between at least and at most. Expected and deviation hold if "
        f"{counts.model}." + _about(aggregates)
    )


def _generalized(release: Generalized, queries: list[str], *, json: bool) -> None:
    from shoal.analyse.tables.counts import count_rows

    with progress_bar() as progress:
        counts = count_rows(release, queries, progress=progress)
    if json:
        answers = [{"query": text, **numbers(counts[at])} for at, text in enumerate(queries)]
        said = {"rows": release.n_rows, "suppressed_rows": release.suppressed, "expected_if": counts.model}
        result_json({**said, "counts": answers})
        return
    suppressed = f" and {release.suppressed:,} suppressed" if release.suppressed else ""
    result(f"of {release.n_rows:,} rows{suppressed}:")
    _draw_counts(queries, counts)
    about = [
        "Certain: every possible original lies between at least and at most. Expected and deviation hold if "
        f"{counts.model}."
    ]
    if release.suppressed:
        about.append("Suppressed rows may be any rows: they count in the upper bound.")
    if any(answer is None for at in range(len(queries)) for answer in numbers(counts[at]).values()):
        about.append(
            "Where no mean is shown, the release does not tell how many of the values below some cells are meant: its "
            "hierarchies are cut at what rows hold, and do not list what was asked for, or labels that are no ranges "
            "of numbers stand for numbers."
        )
    paragraph(" ".join(about))


def _draw_counts(queries: list[str], counts: Supports) -> None:
    drawn = table("rows with", "at least", "at most", "expected", "deviation")
    for at, text in enumerate(queries):
        one = counts[at]
        means = ("" if math.isnan(mean) else f"{mean:,.1f}" for mean in (one.expected, one.deviation))
        drawn.add_row(cell_text(text), f"{one.least:,}", f"{one.most:,}", *means)
    draw(drawn)


def _about(found: Sequence[Aggregate]) -> str:
    if not found:
        return ""
    text = (
        " Bounds of the average are those of all possible originals; the expected average is the expected sum by the "
        "expected count. Rows without a number do not count."
    )
    if any(one.minimum is None for one in found):
        text += " Where nothing is shown, no row can meet the conditions and have a number."
    if any(one.minimum is not None and not one.least_rows for one in found):
        text += " Where no row is certain to meet them, the bounds are those of the originals in which some do."
    return text
