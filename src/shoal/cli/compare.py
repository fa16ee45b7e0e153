"""``shoal compare``: what do the methods keep of these data, and what do they cost?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.publish_k_anonymity import Hide
from shoal.cli.terminal import Interrupted, is_interruption, note, progress_bar, result, result_json
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.study.original import About


def compare(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Baskets or, with --quasi, a table; '-' reads standard input.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", metavar="FOLDER", help="Where numbers are kept as they come. The same command goes on there."
        ),
    ],
    methods: Annotated[
        str, typer.Option("--methods", metavar="A,B", help="Names parted by commas, or all for these data.")
    ] = "all",
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="Records or rows that one is hidden among. Default: 5.")
    ] = None,
    m: Annotated[
        int | None, typer.Option("-m", "--m", help="Baskets: items of a record that others may know. Default: 2.")
    ] = None,
    l: Annotated[  # noqa: E741  (the literature's name)
        int | None, typer.Option("-l", "--l", help="Tables: sensitive values to be reckoned with. Default: 3.")
    ] = None,
    quasi: options.QuasiOption = None,
    sensitive: options.SensitiveColumnsOption = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="FILE|COLUMN=FILE",
            help="Baskets: the hierarchy of the items. Tables: that of a column, from a file or made of the data "
            "(=ranges, =balanced, =prefixes, =frequency, =flat); may be repeated.",
        ),
    ] = None,
    complete: options.CompleteOption = False,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", metavar="E", help="diffpart: the budget of privacy. Default: 1.")
    ] = None,
    keep_prob: Annotated[
        float | None,
        typer.Option("--keep-prob", metavar="P", help="mask, hybrid: chance that an item is not flipped. Default: .9."),
    ] = None,
    fakes: Annotated[
        float | None,
        typer.Option("--fakes", metavar="N", help="fakes, hybrid: made-up records for each real one. Default: 1."),
    ] = None,
    max_cluster_size: Annotated[
        int | None,
        typer.Option("--max-cluster-size", metavar="N", help="disassociate, dls: records a cluster may hold."),
    ] = None,
    min_expectation: Annotated[
        float | None,
        typer.Option("--min-expectation", metavar="SHARE", help="injector: rules taken to be known. Default: .9."),
    ] = None,
    max_suppressed: Annotated[
        float | None,
        typer.Option("--max-suppressed", metavar="SHARE", help="bottom-up, mondrian: rows that may be left out."),
    ] = None,
    hide: Annotated[Hide | None, typer.Option("--hide", help="How associations are hidden. Default: greedy.")] = None,
    support: Annotated[
        float | None,
        typer.Option("--support", metavar="SHARE", help="Share of a group from which on a rule counts. Default: .1."),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", metavar="SHARE", help="Confidence no association may reach. Default: .5."),
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", help="Baskets: itemsets that are compared. Default: 1000.")
    ] = None,
    min_support: Annotated[
        float | None,
        typer.Option(
            "--min-support", metavar="SHARE", help="From which share on itemsets and rules count. Default: .01."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="For experiments: draw the same chance again.")
    ] = None,
    keep_releases: Annotated[
        bool,
        typer.Option("--keep-releases", help="Keep the releases, too, each marked as not to be published."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace what another request has left in the folder.")
    ] = False,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    json: options.JsonOption = False,
) -> None:
    """Publish the same data by several methods, verify and measure each release, and print one table.

    Numbers are kept, not releases: several releases of the same people undo each other. Exit code 3: no method can
    publish these data so; 4: a method failed by a bug of ours, the others are shown.
    """
    from shoal.study import compare as study

    settings = {
        "k": k,
        "m": m,
        "l": l,
        "epsilon": epsilon,
        "keep_prob": keep_prob,
        "fakes": fakes,
        "max_cluster_size": max_cluster_size,
        "min_expectation": min_expectation,
        "max_suppressed": max_suppressed,
        "hide": None if hide is None else hide.value,
        "support": support,
        "confidence": confidence,
    }
    # Say at once what is wrong, before a large file is read.
    about: About = "baskets" if quasi is None else "tables"
    _refuse_others(about, sensitive, format, long, column, column_names, missing)
    study.jobs_of(methods, about, {name: value for name, value in settings.items() if value is not None}, seed)
    with _saying_how_to_go_on(out), progress_bar() as progress:
        progress("read", 0, 1)
        data: Transactions | Table
        trees: Hierarchy | dict[str, Hierarchy] | None
        if quasi is None:
            data = options.read_baskets(file, format, separator, long, column)
            options.say_what_was_read(data)
            trees = _items_hierarchy(hierarchy, data, complete=complete)
        else:
            from shoal.cli.publish_table import TableSource

            data = TableSource(file, quasi, sensitive, separator, column_names, missing).read()
            trees = options.read_hierarchies(hierarchy, data, complete=complete)
        progress("read", 1, 1)
        comparison = study.compare(
            data,
            methods=methods,
            folder=out,
            hierarchy=trees,
            **settings,  # type: ignore[arg-type]
            top=top,
            min_support=min_support,
            seed=seed,
            keep_releases=keep_releases,
            force=force,
            progress=progress,
        )
    if comparison.resumed:
        note(f"note: done before, and not again: {', '.join(comparison.resumed)}")
    if json:
        result_json(comparison.as_dict())
    else:
        if comparison.made:
            note(_made(comparison.made, about))
        result(str(comparison))
        result()
        kept = f"; releases, none of which may be published, in {out / 'releases'}" if keep_releases else ""
        result(f"numbers are kept in {out}: internal, not for publication{kept}")
    if comparison.exit_code:
        raise typer.Exit(comparison.exit_code)


def _refuse_others(
    about: str,
    sensitive: str | None,
    format: options.Format,
    long: str | None,
    column: str | None,
    column_names: str | None,
    missing: options.Missing,
) -> None:
    """Refuse options about the other kind of data."""
    tables = {
        "--sensitive": sensitive is not None,
        "--column-names": column_names is not None,
        "--missing": missing is not options.Missing.error,
    }
    baskets = {
        "--format": format is not options.Format.auto,
        "--long": long is not None,
        "--column": column is not None,
    }
    idle = [name for name, given in (tables if about == "baskets" else baskets).items() if given]
    if idle and about == "baskets":
        raise InputError(f"{idle[0]} is about tables: name the columns that others may know, too (--quasi A,B)")
    if idle:
        raise InputError(f"{idle[0]} is about baskets, and --quasi reads a table: leave one of them out")


def _items_hierarchy(given: list[str] | None, data: Transactions, *, complete: bool) -> Hierarchy | None:
    from shoal.io.hierarchies import read_hierarchy

    if not given:
        if complete:
            raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
        return None
    if len(given) > 1:
        raise InputError("baskets have one hierarchy, that of their items: give --hierarchy once")
    return read_hierarchy(given[0], column=data.words, complete=complete)


def _made(made: tuple[str, ...], about: str) -> str:
    if about == "baskets":
        return (
            "note: no hierarchy of items given: neighbours by name are joined, ten at a time, which says nothing of "
            "what they are; give one with --hierarchy FILE"
        )
    return f"note: no hierarchy given for {', '.join(made)}: numbers become intervals, all else all or nothing"


@contextmanager
def _saying_how_to_go_on(out: Path) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if is_interruption(error):
            kept = f"; what was done is in {out}, and the same command goes on there" if out.is_dir() else ""
            raise Interrupted(f"no release is left{kept}") from None
        raise
