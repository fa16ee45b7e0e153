"""``shoal privacy``: how private are randomized baskets, in numbers? And which settings reach a privacy?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import evidence, options
from shoal.cli.files import require_csv, require_results_file, write_results
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import draw, item_text, note, paragraph, progress_bar, result, result_json, table
from shoal.errors import InputError
from shoal.plural import counted
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.measuring.randomization.frontier import PrivacySettings
    from shoal.measuring.randomization.privacy import RandomizationPrivacy, Reconstruction

_WEIGHT = 0.9
_OF_NUMBERS = ("keep_prob", "fakes", "mean_support", "records", "items", "max_basket")
_SIZES = {"rows": (1, 2, 3, 5, 10, 20), "ones": (2, 5, 10, 20, 50, 100)}
_WHAT = {"rows": "rows", "ones": "items in rows"}
_OF_SETTINGS = ("target", "max_size", "size_in", "frontier")


class SizeIn(StrEnum):
    """The unit of the size of a release."""

    rows = "rows"
    ones = "ones"


@dataclass(frozen=True)
class Settings:
    """The options that describe how data are randomized and what is required."""

    keep_prob: Annotated[
        float, typer.Option("--keep-prob", metavar="SHARE", help="The probability that an item is kept.")
    ] = 1.0
    fakes: Annotated[float, typer.Option("--fakes", metavar="W", help="Fake transactions per real one.")] = 0.0
    mean_support: Annotated[
        float | None,
        typer.Option("--mean-support", metavar="SHARE", help="The average share of records that contain an item."),
    ] = None
    weight: Annotated[
        float,
        typer.Option("--weight", metavar="SHARE", help="The weight of present items, against absent ones."),
    ] = _WEIGHT
    filtered: Annotated[
        float,
        typer.Option(
            "--filtered",
            metavar="SHARE",
            help="The share of the fake transactions that an adversary recognizes (shoal attack measures it).",
        ),
    ] = 0.0
    records: Annotated[
        int | None,
        typer.Option("--records", metavar="N", help="Number of records. Default: 1,000, for the average case only."),
    ] = None
    items: Annotated[int | None, typer.Option("--items", metavar="N", help="Number of different items.")] = None
    min_support: Annotated[
        float | None,
        typer.Option("--min-support", metavar="SHARE", help="The mining threshold, to compute the expected errors."),
    ] = None
    max_basket: Annotated[
        int | None,
        typer.Option(
            "--max-basket", metavar="N", help="The number of items to which publishing cuts records, if it does."
        ),
    ] = None


@dataclass(frozen=True)
class Search:
    """The options that search for settings."""

    target: Annotated[
        float | None,
        typer.Option("--target", metavar="SHARE", help="Find settings that reach this privacy, least error first."),
    ] = None
    max_size: Annotated[
        float | None,
        typer.Option("--max-size", metavar="X", help="With --target: at most X times the size of the original."),
    ] = None
    size_in: Annotated[
        SizeIn,
        typer.Option("--size-in", help="How size is counted: in rows, as in the paper, or in items."),
    ] = SizeIn.rows
    frontier: Annotated[
        bool,
        typer.Option("--frontier", help="Find the settings that no other beats in privacy, size and error at once."),
    ] = False


@dataclass(frozen=True)
class Output:
    """The options that say where results go."""

    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many rows of a table to show.")] = 10
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="FILE", help="Write all items or settings to a .csv, .parquet or .json file."
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False
    raw: options.RawOption = False


@grouped
def privacy(
    *,
    context: typer.Context,
    release: Annotated[
        Path | None,
        typer.Argument(metavar="[RELEASE]", help="The folder of a release made by mask, fakes or hybrid."),
    ] = None,
    settings: Settings,
    search: Search,
    output: Output,
    json: options.JsonOption = False,
) -> None:
    """Compute the privacy of randomized baskets, the size of the release, and the error of mining it.

    The input is a set of settings or a release. The reverse is also possible: --target finds the settings that reach a
    privacy, and --frontier finds the best trade-offs.
    """
    wanted = search.frontier or search.target is not None
    if search.frontier and search.target is not None:
        raise InputError("--frontier covers all privacies, and --target one: give only one of them")
    if search.max_size is not None and search.target is None:
        raise InputError("--max-size limits the search of --target: add --target, or remove --max-size")
    if output.out is not None:
        if release is None and not wanted:
            raise InputError("-o writes the items of a release, or settings: add --target or --frontier, or remove -o")
        require_results_file(output.out, force=output.force, raw=output.raw)
    else:
        require_csv(output.raw, is_csv=False)
    if release is not None:
        evidence.refuse(context, (*_OF_NUMBERS, *_OF_SETTINGS), "a release, which itself says how it was made")
        seen = _of_release(release, settings.weight, settings.filtered, settings.min_support)
        if output.out is not None:
            assert seen.items is not None
            _write(seen.items.to_arrow(), output.out, raw=output.raw)
        result_json(seen.as_dict(None if output.out is None else 0)) if json else _print(seen, output.limit, release)
        return
    if settings.mean_support is None:
        raise InputError(
            "--mean-support is missing: the average share of the records that contain an item, which is the mean "
            "length of the records divided by the number of items (shoal info FILE shows both). Or give a release"
        )
    data = {
        "mean_support": settings.mean_support,
        "records": settings.records,
        "items": settings.items,
        "min_support": settings.min_support,
    }
    if not wanted:
        evidence.refuse(context, ("size_in",), "given settings, for which both sizes are shown")
        from shoal.measuring.randomization.privacy import randomization_privacy

        seen = randomization_privacy(
            mean_support=settings.mean_support,
            keep_prob=settings.keep_prob,
            fakes=settings.fakes,
            weight=settings.weight,
            filtered=settings.filtered,
            records=settings.records,
            items=settings.items,
            min_support=settings.min_support,
            max_basket=settings.max_basket,
        )
        result_json(seen.as_dict()) if json else _print(seen, output.limit, None)
        return
    evidence.refuse(context, ("keep_prob", "fakes", "max_basket"), "settings that are searched for")
    missing = [f"--{name.replace('_', '-')}" for name, value in data.items() if value is None]
    if missing:
        raise InputError(
            f"the error of mining depends on {', '.join(missing)}: give {'it' if len(missing) == 1 else 'them'}"
        )
    found = _settings(data, settings.weight, settings.filtered, search.target, search.max_size, search.size_in.value)
    if output.out is not None:
        _write(found.to_arrow(), output.out, raw=output.raw)
    if json:
        result_json(found.as_dict())
    elif output.out is None:
        _print_settings(found, output.limit, search.target, search.size_in.value)


def _of_release(folder: Path, weight: float, filtered: float, min_support: float | None) -> RandomizationPrivacy:
    from shoal.io.release_folder import read_release

    with progress_bar() as progress:
        progress("read", 0, 1)
        release = read_release(folder)
        progress("read", 1, 1)
        privacy_of = SHAPES[release.shape].load("privacy")
        if privacy_of is None:
            raise InputError(
                f"{folder} is not a randomized release: give one made by shoal publish mask, fakes or hybrid. For "
                "other releases, shoal info shows what they promise"
            )
        found: RandomizationPrivacy = privacy_of(release, weight=weight, filtered=filtered, min_support=min_support)
        return found


def _settings(
    data: dict[str, Any], weight: float, filtered: float, target: float | None, max_size: float | None, size_in: Any
) -> PrivacySettings:
    from shoal.measuring.randomization.frontier import privacy_frontier, privacy_settings

    about = {**data, "size_in": size_in, "weight": weight, "filtered": filtered}
    if target is None:
        return privacy_frontier(**about)
    return privacy_settings(target, max_size=math.inf if max_size is None else max_size, **about)


def _write(rows: Any, out: Path, *, raw: bool) -> None:
    write_results(rows, out, raw=raw)
    note(f"wrote {counted(len(rows), 'row')} to {out}")


def _print(seen: RandomizationPrivacy, limit: int, release: Path | None) -> None:
    paragraph(str(seen))
    result()
    drawn = table("an adversary", "reconstruction", "on average", "privacy", "on average")
    filtered = f" ({seen.filtered:.0%} filtered)" if seen.filtered else ""
    if seen.keep_prob < 1:
        drawn.add_row("guesses an item that a real row has (R1)", f"{seen.ones:.4f}")
        drawn.add_row("guesses an item that it lacks (R0)", f"{seen.zeros:.4f}")
        drawn.add_row(f"guesses items, with weight {seen.weight:g} on those present", *_numbers(seen.flips))
    if seen.fakes:
        drawn.add_row(f"picks a row that is real{filtered}", *_numbers(seen.rows))
    if seen.keep_prob < 1 and seen.fakes:
        drawn.add_row("does both", *_numbers(seen.both))
    draw(drawn)
    if seen.fakes:
        paragraph(
            f"On average: all real rows are picked, one after another ({seen.records:,} records). Otherwise only the "
            "first one is: the worst case."
            + (" Filtered: fake transactions that the adversary recognizes." if seen.filtered else "")
        )
    if seen.keep_prob < 1:
        paragraph(
            "These are probabilities for single items, guessed from the published item and its frequency alone. Anyone "
            "who knows several items of a person can look for rows that match them; this is not measured here."
        )
    else:
        paragraph(
            "Real rows are published unchanged: anyone who knows items of a person finds them there. This is not "
            "measured here."
        )
    if release is not None and seen.keep_prob < 1:
        paragraph(
            f"Supports are estimated from the release (mean {seen.mean_support:.4g}); if all items had the mean, the "
            f"reconstruction probability of items would be {seen.flips_at_mean:.4f}."
            + (f" {counted(seen.clamped, 'estimate')} below 0 or above 1 counted as 0 or 1." if seen.clamped else "")
        )
    _print_costs(seen)
    privacy = seen.differential_privacy
    if privacy is None:
        paragraph(
            "Differential privacy: no statement is possible, because records may have any length. Publishing with "
            "--max-basket N cuts them and makes a statement possible."
            if seen.keep_prob < 1
            else "Differential privacy: no statement is possible, because real rows are published unchanged."
        )
    else:
        needs = "" if release is not None else " This holds only if publishing cuts records to it (--max-basket)."
        paragraph(f"Differential privacy: epsilon {privacy.epsilon:g}. {privacy.words}{needs}")
    if seen.items is not None and seen.keep_prob < 1:
        result()
        drawn = table(
            "items reconstructed best", "support (estimated)", "if present (R1)", "if absent (R0)", "weighted"
        )
        for row in seen.items.to_arrow().slice(0, limit).to_pylist():
            drawn.add_row(item_text(row["item"]), *(f"{row[name]:.4f}" for name in list(row)[1:]))
        draw(drawn)
        if len(seen.items) > limit:
            result(f"the first {limit:,} of {len(seen.items):,}: --limit N shows more, -o FILE writes all of them")


def _numbers(chance: Reconstruction) -> list[str]:
    return [f"{number:.4f}" for number in chance.as_dict().values()]


def _print_costs(seen: RandomizationPrivacy) -> None:
    result()
    stored = (
        " (--items N also gives the number of items in them)"
        if seen.size_ones is None
        else f", {seen.size_ones:.4g} times the items in them"
    )
    result(f"Size: {seen.size_rows:g} times the rows{stored}")
    if seen.errors:
        drawn = table("itemsets at the threshold", "standard error", "as a multiple of the threshold")
        for one in seen.errors:
            drawn.add_row(counted(one.size, "item"), f"{one.standard_error:.3g}", f"{one.of_threshold:.3g}")
        draw(drawn)
        if any(one.of_threshold >= 1 for one in seen.errors):
            paragraph(
                "If the error is as large as the threshold, mining cannot distinguish sets of that size from noise."
            )
    else:
        result("Mining: give --records, --items and --min-support to compute the expected errors")
    drawn = table("fake transactions per real one, for a privacy of", *(f"{one.privacy:g}" for one in seen.needed))
    drawn.add_row("fake transactions alone", *(f"{one.fakes_alone:.4g}" for one in seen.needed))
    if seen.keep_prob < 1:
        drawn.add_row("with items flipped as here", *(f"{one.with_flips:.4g}" for one in seen.needed))
    draw(drawn)


def _print_settings(found: PrivacySettings, limit: int, target: float | None, size_in: Any) -> None:
    given = found.circumstances
    result(
        f"{given.records:,} records, {given.items:,} items, mean support {given.mean_support:g}, threshold "
        f"{given.min_support:g}, weight {given.weight:g}, filtered {given.filtered:g}"
    )
    tried = f"{len(found.keep_probs)} values of keep_prob from {min(found.keep_probs):g} to {max(found.keep_probs):g}"
    if target is None:
        paragraph(
            f"{counted(len(found), 'setting')} that no other beats in privacy, size and error at once, from {tried}, "
            f"each with the fewest fake transactions for each of {len(found.targets)} privacies (-o FILE writes them). "
            f"The least error, and its keep_prob, for at most this many times the {_WHAT[size_in]} of the original:"
        )
        _draw_frontier(found, size_in)
    else:
        paragraph(
            f"{counted(len(found), 'setting')} with a privacy of {target:g} in the worst case, the least error first, "
            f"from {tried}:"
        )
        _draw_settings(found, limit)
    paragraph(
        "Privacy is 1 minus the reconstruction probability of single items. Rows and items in rows are multiples of "
        "the original's. Errors are standard errors of supports at the threshold, as multiples of it: at .5, about 1 "
        "in 44 sets that no record has passes the threshold by chance, at 1 about 1 in 6. Settings are ranked by the "
        "largest error of sets of 1, 2 and 3 items."
    )
    if target is not None:
        first, smallest = found.settings[0], min(found.settings, key=lambda one: (one.size(size_in), one.error))
        if smallest is not first:
            paragraph(
                "A small error and a small release exclude each other: the setting with the least error has "
                f"{first.size(size_in):.4g} times the {_WHAT[size_in]}; the smallest release has "
                f"{smallest.size(size_in):.4g} times, and {smallest.error / first.error:.3g} times that error."
            )


def _draw_settings(found: PrivacySettings, limit: int) -> None:
    drawn = table("keep_prob", "fakes", "privacy", "rows", "items in rows", "error: 1 item", "2 items", "3 items")
    for one in found.settings[:limit]:
        drawn.add_row(
            f"{one.keep_prob:g}",
            f"{one.fakes:.4g}",
            f"{one.privacy:.4f}",
            f"{one.rows:.4g}",
            f"{one.ones:.4g}",
            *(f"{error:.3g}" for error in one.errors),
        )
    draw(drawn)
    if len(found) > limit:
        result(f"the first {limit:,} of {len(found):,}: --limit N shows more, -o FILE writes all of them")


def _draw_frontier(found: PrivacySettings, size_in: Any) -> None:
    drawn = table("privacy", *(f"{size:g}" for size in _SIZES[size_in]))
    for target in found.targets:
        best = [found.best(target, size, size_in) for size in _SIZES[size_in]]
        cells = ("none" if one is None else f"{one.error:.2g} ({f'{one.keep_prob:g}'.lstrip('0')})" for one in best)
        drawn.add_row(f"{target:g}", *cells)
    draw(drawn)
