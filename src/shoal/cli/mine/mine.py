"""``shoal mine``: what is frequent in this file?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.files import require_csv, require_results_file, write_results
from shoal.cli.mine import negative_rules
from shoal.cli.mine import randomized as mine_randomized
from shoal.cli.terminal import (
    counted,
    draw,
    item_text,
    kernel_work,
    note,
    progress_bar,
    result,
    result_json,
    table,
)
from shoal.errors import InputError
from shoal.kernels.needed import require_numba

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.cli.terminal import Progress
    from shoal.data.transactions import Transactions
    from shoal.mining.search import Kind
    from shoal.release import Release

_DEFAULT_SUPPORT = 0.001


def mine(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|RELEASE",
            help="Baskets: FIMI, delimited, long CSV or Parquet; '-' reads standard input. Or the folder of a release. "
            "With --negative: a table (CSV, TSV, Parquet).",
        ),
    ],
    min_support: Annotated[
        str | None,
        typer.Option(
            "--min-support",
            metavar="SHARE|N",
            help="In what share of the records, as in .01, or (as a whole number) in how many records, a set must be. "
            "Default: .001; with --top, 1 record.",
        ),
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", min=1, metavar="K", help="Only the K most frequent itemsets.")
    ] = None,
    closed: Annotated[
        bool, typer.Option("--closed", help="Only sets that no item can join without losing a record.")
    ] = False,
    maximal: Annotated[
        bool, typer.Option("--maximal", help="Only sets that no item can join without becoming rare.")
    ] = False,
    rules: Annotated[bool, typer.Option("--rules", help="Association rules rather than itemsets.")] = False,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            metavar="SHARE",
            help="The smallest confidence. Default: with --rules .5, with --negative 1.",
        ),
    ] = None,
    max_length: Annotated[
        int | None, typer.Option("--max-length", min=1, metavar="N", help="How many items a set may have.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many rows to show.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Write all of them to a .csv, .parquet or .json file."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    raw: options.RawOption = False,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, metavar="N", help="Threads to use. Default: all processors. The result is the same."
        ),
    ] = None,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    negative: negative_rules.NegativeOption = False,
    sensitive: negative_rules.SensitiveOption = None,
    quasi: negative_rules.QuasiOption = None,
    hierarchy: options.HierarchyOption = None,
    complete: options.CompleteOption = False,
    min_expectation: negative_rules.ExpectationOption = None,
    max_attributes: negative_rules.AttributesOption = None,
    fuzzy: negative_rules.FuzzyOption = None,
    crisp: negative_rules.CrispOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: negative_rules.MissingOption = None,
    estimator: mine_randomized.EstimatorOption = None,
    grow_from: mine_randomized.GrowFromOption = None,
    max_candidates: mine_randomized.CandidatesOption = None,
    print_thresholds: mine_randomized.ThresholdsOption = False,
    term_items: options.TermItemsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Find itemsets that many records share, or rules between them, and print the first or write all of them.

    Of a release in chunks: the sets that are expected in enough records, by a model of what it leaves open, and which
    of them are certain; of a randomized one, estimates with their errors; of generalized baskets and of noisy counts,
    the sets of their rows. Of a table, with --negative: which values of a sensitive column people of some description
    never have.
    """
    about_baskets = {
        "--min-support": min_support,
        "--top": top,
        "--closed": closed,
        "--maximal": maximal,
        "--rules": rules,
        "--max-length": max_length,
        "--threads": threads,
        "--format": format is not options.Format.auto,
        "--long": long,
        "--column": column,
        "--term-items": term_items,
    }
    about_tables = {
        "--sensitive": sensitive,
        "--quasi": quasi,
        "--hierarchy": hierarchy,
        "--complete": complete,
        "--min-expectation": min_expectation,
        "--max-attributes": max_attributes,
        "--fuzzy": fuzzy,
        "--crisp": crisp,
        "--column-names": column_names,
        "--missing": missing,
    }
    idle = [name for name, value in (about_baskets if negative else about_tables).items() if value not in (None, False)]
    if idle and negative:
        raise InputError(f"{', '.join(idle)}: about baskets, and --negative is about tables: leave out one of them")
    if idle:
        raise InputError(f"{', '.join(idle)}: about negative rules of a table: add --negative, or leave it out")
    if sum((closed, maximal, rules, top is not None)) > 1:
        raise InputError("--top, --closed, --maximal and --rules ask for different things: choose one")
    if min_confidence is not None and not rules and not negative:
        raise InputError("--min-confidence is about rules: add --rules, or leave it out")
    support = None if min_support is None else options.support_of(min_support)
    asked = mine_randomized.Asked(estimator, grow_from, max_candidates, print_thresholds)
    if out:
        require_results_file(out, force=force, raw=raw)
    else:
        require_csv(raw, is_csv=False)
    released = file != "-" and (Path(file) / "manifest.json").is_file()
    if released and negative:
        raise InputError(f"{file} is a release: negative rules are mined from the table before it is published")
    if not released:
        asked.require_none(file)
        _require_no_model(file, term_items)
    from shoal.io.release_folder import read_release
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized

    require_numba()
    confidence = (0.5 if min_confidence is None else min_confidence) if rules else None
    said: dict[str, object] = {}
    with progress_bar() as progress, kernel_work(progress) as step:
        if negative:
            found_rules = negative_rules.mine_negative(
                file,
                sensitive,
                quasi,
                hierarchy,
                complete,
                min_expectation,
                min_confidence,
                max_attributes,
                fuzzy,
                crisp,
                separator,
                column_names,
                missing,
                step,
            )
            rows = found_rules.to_arrow()
            summary = "" if out or json else negative_rules.summary(found_rules, min_expectation)
        else:
            step("read", 0, 1)
            opened = read_release(file) if released else None
            data = opened.baskets() if isinstance(opened, GeneralizedBaskets | NoisyBaskets) else None
            if opened is None:
                data = options.read_baskets(file, format, separator, long, column)
            step("read", 1, 1)
            kind: Kind = "closed" if closed else "maximal" if maximal else "all"
            if data is not None:
                asked.require_none(file)
                _require_no_model(file, term_items)
                rows, summary = _mine_baskets(data, support, kind, top, confidence, max_length, threads, step)
                summary += _about(opened)
            else:
                assert opened is not None
                if kind != "all":
                    raise InputError(f"{file} is a release: --closed and --maximal are for files of baskets")
                if isinstance(opened, Randomized):
                    _require_no_model(file, term_items)
                rows, summary, said = _mine_release(
                    file, opened, support, top, confidence, max_length, threads, asked, term_items, step
                )
        if out:
            write_results(rows, out, raw=raw)
    if out:
        note(f"wrote {counted(len(rows), 'row')} to {out}" + (f"; {summary}" if said else ""))
    if json:
        from shoal.io.results import as_json

        found = [as_json(row) for row in rows.to_pylist()]
        result_json({**said, "rules" if rules else "itemsets": found} if said else found)
    elif not out:
        result(summary)
        (negative_rules.draw_rules if negative else _draw)(rows, limit)


def _mine_baskets(
    data: Transactions,
    support: float | None,
    kind: Kind,
    top: int | None,
    confidence: float | None,
    max_length: int | None,
    threads: int | None,
    progress: Progress,
) -> tuple[pa.Table, str]:
    """The itemsets of baskets, or rules between them, and a sentence about them."""
    from shoal import mining

    support = support or _default_support(top)
    found: mining.Itemsets | mining.Rules
    if top is not None:
        found = mining.top_itemsets(
            data, top, min_support=support, max_length=max_length, threads=threads, progress=progress
        )
    else:
        searches = {
            "all": mining.frequent_itemsets,
            "closed": mining.closed_itemsets,
            "maximal": mining.maximal_itemsets,
        }
        found = searches[kind](data, support, max_length=max_length, threads=threads, progress=progress)
        if confidence is not None:
            found = mining.association_rules(found, confidence)
    rows = found.to_arrow()
    what = "rule" if confidence is not None else "itemset" if kind == "all" else f"{kind} itemset"
    least = mining.least_count(support, len(data))
    return rows, f"{counted(len(rows), what)} in at least {least:,} of {len(data):,} records"


def _about(release: Release | None) -> str:
    """What is to be known of numbers that were counted in the rows of a release."""
    from shoal.release.generalized_baskets import GeneralizedBaskets

    if release is None:
        return ""
    if isinstance(release, GeneralizedBaskets):
        return "; counts are exact, and a group stands for any of its items"
    return ", by noisy counts; rare baskets are missing, and some that nobody has are there"


def _mine_release(
    folder: str,
    opened: Release,
    support: float | None,
    top: int | None,
    confidence: float | None,
    max_length: int | None,
    threads: int | None,
    asked: mine_randomized.Asked,
    term_items: options.TermItems | None,
    progress: Progress,
) -> tuple[pa.Table, str, dict[str, object]]:
    """The itemsets of a release by their expected supports, or rules between them, and a sentence about them.

    Where numbers hold only if a model does, also what ``--json`` says of it.
    """
    from shoal.io.release_folder import require_shape
    from shoal.release.disassociated import Disassociated
    from shoal.release.randomized import Randomized

    if isinstance(opened, Randomized):
        # One record of many is far below what chance does to an estimate: the best ones are looked for among others.
        share = support or _DEFAULT_SUPPORT
        found = mine_randomized.mine_randomized(opened, share, top, confidence, max_length, threads, asked, progress)
        return *found, {}
    asked.require_none(folder)
    require_shape(opened, Disassociated.shape, folder)
    assert isinstance(opened, Disassociated)
    release = opened
    from shoal.analyse.disassociated.mine import expected_itemsets

    support = support or _default_support(top)
    model = term_items or options.TermItems.uniform
    sets = expected_itemsets(
        release,
        support,
        top=top,
        max_length=max_length,
        term_items=model.value,
        threads=threads,
        progress=progress,
    )
    reach = f"at least {sets.least:,} of {release.n_records:,} records"
    said: dict[str, object] = {"records": release.n_records, "term_items": model.value, "expected_if": sets.model}
    if confidence is not None:
        from shoal.mining import association_rules

        rules = association_rules(sets, confidence)
        certain = int(sets.certain[rules.wholes].sum())
        summary = (
            f"in {reach}: the items of {counted(certain, 'rule')} for certain; those of {len(rules):,} are expected "
            f"there, with such a confidence, if {sets.model}"
        )
        return rules.to_arrow(), summary, said
    certain = int(sets.certain.sum())
    summary = (
        f"in {reach}: {counted(certain, 'itemset')} for certain; {len(sets):,} are expected there, if {sets.model}"
    )
    return sets.to_arrow(), summary, said


def _require_no_model(file: str, term_items: options.TermItems | None) -> None:
    """Refuse the option for what has no term chunks."""
    if term_items is not None:
        raise InputError(f"--term-items is about releases of baskets in chunks, and {file} is none: leave it out")


def _default_support(top: int | None) -> float:
    return _DEFAULT_SUPPORT if top is None else 1


def _draw(rows: pa.Table, limit: int) -> None:
    if not len(rows):
        return
    names = [name for name in rows.column_names if name != "size" or "items" not in rows.column_names]
    if "antecedent" in names and "least" in names:
        # What is certain needs the room of what follows from the rest, which --json and files have.
        names = [name for name in names if name not in ("support", "leverage", "conviction")]
    drawn = table(*names)
    for row in rows.slice(0, limit).to_pylist():
        drawn.add_row(*(_cell(name, row[name]) for name in names))
    draw(drawn)
    if len(rows) > limit:
        result(f"the first {limit:,} of {len(rows):,}: --limit N shows more, -o FILE writes all of them")


def _cell(name: str, value: Any) -> str:
    if isinstance(value, list):
        return "{" + ", ".join(item_text(item) for item in value) + "}"
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    if name in ("expected", "deviation"):
        return f"{value:,.1f}"
    if name in ("error", "low", "high"):
        return f"{value:.3%}" if math.isfinite(value) else ""
    return f"{value:.2%}" if name in ("support", "confidence") else f"{value:.4g}"
