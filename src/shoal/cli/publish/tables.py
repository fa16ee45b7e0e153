"""``shoal publish anatomy`` and ``shoal publish injector``: a table with a sensitive column, as two tables."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from shoal.cli import options
from shoal.cli.mine.negative_rules import DEFAULT_EXPECTATION, Fuzzy
from shoal.cli.parameter_options import option_of
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said, SecretOption, SeedOption
from shoal.cli.terminal import Progress, note
from shoal.errors import InputError
from shoal.plural import counted
from shoal.quoting import called, named, shown

if TYPE_CHECKING:
    from shoal.data.table import Table
    from shoal.release.bucketized import Bucketized


class Strategy(StrEnum):
    """How a group is filled."""

    balanced = "balanced"
    printed = "printed"


TableArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A table: CSV, TSV or Parquet; '-' reads standard input.")
]
QuasiOption = Annotated[
    str,
    typer.Option("--quasi", metavar="A,B", help="Columns that others may know of a person; they are published as is."),
]
SensitiveOption = Annotated[
    str, typer.Option("--sensitive", metavar="COLUMN", help="The column that must not be learnt of a person.")
]
SensitiveColumnsOption = Annotated[
    str | None,
    typer.Option(
        "--sensitive",
        metavar="A,B",
        help="Columns that must not be learnt of a person; published as they are, or hidden.",
    ),
]
LOption = Annotated[int, option_of("l", "anatomy")]


def anatomy(
    file: TableArgument,
    quasi: QuasiOption,
    sensitive: SensitiveOption,
    l: LOption,  # noqa: E741  (the literature's name)
    separator: options.SeparatorOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    secret: SecretOption = None,
    seed: SeedOption = None,
) -> AnyPublication:
    """Anatomy: in every group of rows a sensitive value belongs to at most one in l.

    Two tables are published: the rows with their quasi-identifiers and the number of their group, and how often each
    value occurs in each group. Columns that are not named are left out.
    """
    from shoal.promises import FrequencyDiversity

    _require_one_source(secret, seed)
    FrequencyDiversity(l, sensitive)  # say at once what is wrong, before a large file is read

    def publish(people: Table, step: Progress) -> Made[Bucketized]:
        from shoal.publish.anatomy import anatomy

        return Made(anatomy(people, l, secret=secret, seed=seed, progress=step))

    source = TableSource(file, quasi, sensitive, separator, column_names, missing)
    return Publication(source, publish, partial(_of_buckets, again=secret is not None))


def injector(
    file: TableArgument,
    quasi: QuasiOption,
    sensitive: SensitiveOption,
    l: LOption,  # noqa: E741  (the literature's name)
    min_expectation: Annotated[
        float | None,
        option_of("min_expectation", "injector", default=True),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option("--min-confidence", metavar="SHARE", help="Share of rows a rule holds for. Default: 1."),
    ] = None,
    max_attributes: Annotated[
        int | None, typer.Option("--max-attributes", min=1, metavar="N", help="Columns a rule may use. Default: 1.")
    ] = None,
    hierarchy: options.HierarchyOption = None,
    complete: options.CompleteOption = False,
    fuzzy: Annotated[
        Fuzzy | None,
        typer.Option("--fuzzy", help="Numbers near those of a rule count in part, combined by product or minimum."),
    ] = None,
    crisp: Annotated[
        str | None,
        typer.Option("--crisp", metavar="A,B", help="With --fuzzy: columns whose numbers are codes, near to nothing."),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option("--rules", metavar="FILE", help="Take these rules to be known (shoal mine --negative -o FILE)."),
    ] = None,
    publish_rules: Annotated[
        bool,
        typer.Option("--publish-rules", help="Publish the rules too: everybody can check by them, and read them."),
    ] = False,
    strategy: Annotated[
        Strategy,
        typer.Option(
            "--strategy",
            help="How groups are filled. balanced: the most frequent value first; printed: as in the paper, which "
            "leaves many rows over.",
        ),
    ] = Strategy.balanced,
    separator: options.SeparatorOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    secret: SecretOption = None,
    seed: SeedOption = None,
) -> AnyPublication:
    """Injector: every row keeps l sensitive values, even for one who knows what the data show cannot be.

    Negative rules are mined first ("men do not have ovarian cancer"); then rows are grouped such that, whatever the
    rules exclude, l values remain for every row. Columns that are not named are left out.
    """
    from shoal.promises import MatchingDiversity

    _require_one_source(secret, seed)
    expectation = DEFAULT_EXPECTATION if min_expectation is None else min_expectation
    MatchingDiversity(l, sensitive, expectation, 1.0 if min_confidence is None else min_confidence, max_attributes or 1)
    mining = {
        "--min-expectation": min_expectation,
        "--min-confidence": min_confidence,
        "--max-attributes": max_attributes,
        "--hierarchy": hierarchy,
        "--fuzzy": fuzzy,
        "--crisp": crisp,
    }
    idle = [name for name, value in mining.items() if value is not None]
    if rules is not None and idle:
        raise InputError(f"{idle[0]} is about rules that are mined, and --rules gives them: leave one of them out")
    if complete and not hierarchy:
        raise InputError(options.IDLE_COMPLETE)

    def publish(people: Table, step: Progress) -> Made[Bucketized]:
        from shoal.io.background import read_background
        from shoal.publish.injector import injector

        trees = options.read_hierarchies(hierarchy, people, complete=complete)
        release = injector(
            people,
            l,
            min_expectation=expectation,
            min_confidence=1.0 if min_confidence is None else min_confidence,
            max_attributes=max_attributes or 1,
            hierarchies=trees,
            membership="crisp" if fuzzy is None else fuzzy.value,
            crisp=options.names(crisp),
            background=None if rules is None else read_background(rules),
            disclose_rules=publish_rules,
            strategy=strategy.value,
            secret=secret,
            seed=seed,
            progress=step,
        )
        return Made(release, trees)

    source = TableSource(file, quasi, sensitive, separator, column_names, missing)
    return Publication(source, publish, partial(_of_buckets, again=secret is not None))


class TableSource(NamedTuple):
    """Where a table is, and how it is to be read."""

    file: str
    quasi: str
    sensitive: str | None
    separator: str | None
    column_names: str | None
    missing: options.Missing

    def read(self) -> Table:
        """The table; what was left out, or may surprise, is said."""
        from shoal.io.tables import read_table

        people = read_table(
            self.file,
            quasi=options.names(self.quasi),
            sensitive=options.names(self.sensitive),
            missing=self.missing.value,
            separator=options.separator_of(self.separator),
            column_names=options.names(self.column_names) or None,
        )
        _say_what_was_left_out(people)
        return people


_DRAWN_ANEW = (
    "a second release of this table would draw other groups, and whoever holds both learns the values of many people: "
    "those that their groups have in common (shoal attack --other measures it); with --secret FILE it is the same again"
)


def _require_one_source(secret: Path | None, seed: int | None) -> None:
    if secret is not None and seed is not None:
        raise InputError("--secret and --seed are two sources of the same chance: leave one of them out")


def _of_buckets(release: Bucketized, *, again: bool) -> Said:
    sizes = release.group_sizes
    groups = counted(release.n_groups, "group")
    sentences = [f"{counted(release.n_rows, 'row')} in {groups} of {sizes.min():,} to {sizes.max():,}"]
    special: dict[str, object] = {"same_again": again}
    if not again and not release.reproducible:
        sentences.append(_DRAWN_ANEW)
    if release.background is not None:
        told = "they are published too" if release.discloses_background else "they are not published"
        sentences.append(f"{counted(len(release.background), 'negative rule')} taken to be known; {told}")
        special |= {"rules": len(release.background), "rules_published": release.discloses_background}
    return Said(sentences, special)


def _say_what_was_left_out(people: Table) -> None:
    from shoal.data.number_texts import number_text
    from shoal.data.table import Role

    if people.dropped:
        note(f"note: {counted(people.dropped, 'row')} with missing values left out")
    for column in people:
        sample = number_text(column) if column.role is Role.QUASI else None
        if sample is not None:
            note(
                f"note: column {named(column.name)} holds numbers as texts, such as {shown(sample)}, and is "
                "published as text: nobody will be able to ask for a range of them"
            )
    others = people.names_of(Role.PLAIN)
    if others:
        note(
            f"note: {counted(len(others), 'column')} neither --quasi nor --sensitive, so not published: "
            f"{', '.join(map(called, others))}"
        )
