"""``shoal mine``: what is frequent in this file?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.basket_reading import Reading
from shoal.cli.files import require_csv, require_results_file, write_results
from shoal.cli.mine import negative_rules
from shoal.cli.mine.negative_rules import NegativeOptions
from shoal.cli.mine.release_options import ReleaseOptions
from shoal.cli.option_groups import given_in, grouped
from shoal.cli.terminal import draw, item_text, kernel_work, note, progress_bar, result, result_json, table, warn
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.kernels.needed import require_numba
from shoal.plural import counted
from shoal.run import Run
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.cli.terminal import Progress
    from shoal.mining.task import Mined, Task
    from shoal.release import Release


@dataclass(frozen=True)
class Sought:
    """The options that say which itemsets or rules are looked for."""

    min_support: Annotated[
        str | None,
        typer.Option(
            "--min-support",
            metavar="SHARE|N",
            help="In what share of the records, as in .01, or (as a whole number) in how many records, a set must be. "
            "Default: .001; with --top, 1 record.",
        ),
    ] = None
    top: Annotated[int | None, typer.Option("--top", min=1, metavar="K", help="Only the K most frequent itemsets.")] = (
        None
    )
    closed: Annotated[
        bool, typer.Option("--closed", help="Only sets that no item can join without losing a record.")
    ] = False
    maximal: Annotated[
        bool, typer.Option("--maximal", help="Only sets that no item can join without becoming rare.")
    ] = False
    rules: Annotated[bool, typer.Option("--rules", help="Association rules rather than itemsets.")] = False
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            metavar="SHARE",
            help="The smallest confidence. Default: with --rules .5, with --negative 1.",
        ),
    ] = None
    max_length: Annotated[
        int | None, typer.Option("--max-length", min=1, metavar="N", help="How many items a set may have.")
    ] = None

    def require_one(self, *, negative: bool) -> None:
        """Refuse options that ask for different things."""
        if sum((self.closed, self.maximal, self.rules, self.top is not None)) > 1:
            raise InputError("--top, --closed, --maximal and --rules ask for different things: choose one")
        if self.min_confidence is not None and not self.rules and not negative:
            raise InputError("--min-confidence is about rules: add --rules, or leave it out")

    @property
    def task(self) -> Task:
        """The same as a task of mining."""
        from shoal.mining.task import Task

        return Task(
            None if self.min_support is None else options.support_of(self.min_support),
            self.top,
            "closed" if self.closed else "maximal" if self.maximal else "all",
            (0.5 if self.min_confidence is None else self.min_confidence) if self.rules else None,
            self.max_length,
        )


@dataclass(frozen=True)
class Output:
    """The options that say where results go."""

    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="How many rows to show.")] = 20
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Write all of them to a .csv, .parquet or .json file."),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False
    raw: options.RawOption = False


@grouped
def mine(
    *,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|RELEASE",
            help="Baskets: FIMI, delimited, long CSV or Parquet; '-' reads standard input. Or the folder of a release. "
            "With --negative: a table (CSV, TSV, Parquet).",
        ),
    ],
    sought: Sought,
    output: Output,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, metavar="N", help="Threads to use. Default: all processors. The result is the same."
        ),
    ] = None,
    reading: Reading,
    negative_rule: NegativeOptions,
    of_release: ReleaseOptions,
    json: options.JsonOption = False,
) -> None:
    """Find itemsets that many records share, or rules between them, and print the first or write all of them.

    For a release in chunks: the sets that a model expects in enough records, and which of them are certain. For a
    randomized release: estimates with their errors. For generalized baskets and noisy counts: the sets of their rows.
    For a table, with --negative: negative rules, the sensitive values that a group never has.
    """
    negative = negative_rule.negative
    about_threads = [] if threads is None else ["--threads"]
    about_chunks = [] if of_release.term_items is None else ["--term-items"]
    about_baskets = [
        *given_in(sought, but=("min_confidence",)),
        *about_threads,
        *given_in(reading, but=("separator",)),
        *about_chunks,
    ]
    if negative and about_baskets:
        raise InputError(
            f"{', '.join(about_baskets)}: about baskets, and --negative is about tables: leave out one of them"
        )
    if not negative and (idle := given_in(negative_rule)):
        raise InputError(f"{', '.join(idle)}: about negative rules of a table: add --negative, or leave it out")
    sought.require_one(negative=negative)
    task = sought.task
    if output.out:
        require_results_file(output.out, force=output.force, raw=output.raw)
    else:
        require_csv(output.raw, is_csv=False)
    released = file != "-" and (Path(file) / "manifest.json").is_file()
    if released and negative:
        raise InputError(f"{file} is a release: negative rules are mined from the table before it is published")
    if not released:
        of_release.refuse_idle(file, ())
    require_numba()
    with progress_bar() as progress, kernel_work(progress) as step:
        if negative:
            shown = not (output.out or json)
            found = _mine_negative(file, negative_rule, sought, reading.separator, step, with_summary=shown)
        elif released:
            found = _mine_release(file, task, threads, of_release, step)
        else:
            found = _mine_file(file, task, threads, reading, step)
        if output.out:
            write_results(found.rows, output.out, raw=output.raw)
    if output.out:
        note(f"wrote {counted(len(found), 'row')} to {output.out}" + (f"; {found.summary}" if found.said else ""))
    if json:
        from shoal.io.results import as_json

        rows = [as_json(row) for row in found.rows.to_pylist()]
        result_json({**found.said, "rules" if sought.rules else "itemsets": rows} if found.said else rows)
    elif not output.out:
        result(found.summary)
        (negative_rules.draw_rules if negative else _draw)(found.rows, output.limit)


def _mine_file(file: str, task: Task, threads: int | None, reading: Reading, progress: Progress) -> Mined:
    """Read baskets, and mine them."""
    progress("read", 0, 1)
    data = reading.baskets(file)
    progress("read", 1, 1)
    from shoal.mining.task import mine_baskets

    return mine_baskets(data, task, run=Run(engine=Threads(threads), progress=progress))


def _mine_release(folder: str, task: Task, threads: int | None, asked: ReleaseOptions, progress: Progress) -> Mined:
    """Read a release, and mine it as its shape allows."""
    from shoal.io.release_folder import read_release

    progress("read", 0, 1)
    release = read_release(folder)
    progress("read", 1, 1)
    reader = release.reader()
    _refuse_idle(folder, release, reader.mining_options, task, asked)
    found = reader.mine(task, run=Run(engine=Threads(threads), progress=progress), **asked.values())
    for sentence in found.notes:
        note(f"not explored: {sentence}")
    for sentence in found.warnings:
        warn(f"warning: {sentence}")
    return found


def _refuse_idle(folder: str, release: Release, known: frozenset[str], task: Task, asked: ReleaseOptions) -> None:
    """Refuse options that do not apply to this release."""
    if task.kind != "all" and "kind" not in known:
        raise InputError(f"{folder} is a release: --closed and --maximal are for files of baskets")
    asked.refuse_idle(folder, known)
    if SHAPES[release.shape].data == "table":
        raise InputError(
            f"{folder} is a release of a table ({release.method}), and this is for releases of baskets: shoal query "
            "counts rows of it"
        )


def _mine_negative(
    file: str,
    asked: NegativeOptions,
    sought: Sought,
    separator: str | None,
    progress: Progress,
    *,
    with_summary: bool,
) -> Mined:
    """Read a table, and mine its negative rules."""
    from shoal.mining.task import Mined

    rules = negative_rules.mine_negative(file, asked, sought.min_confidence, separator, progress)
    summary = negative_rules.summary(rules, asked.min_expectation) if with_summary else ""
    return Mined(rules, rules.to_arrow(), summary)


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
