"""``shoal publish anatomy`` and ``shoal publish injector``: a table with a sensitive column, published in two parts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.mine.negative_rules import Fuzzy
from shoal.cli.parameter_options import option_of
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said, SecretOption, SeedOption
from shoal.cli.publish.table_source import QuasiOption, SensitiveOption, TableFile, TableSource
from shoal.cli.terminal import Progress
from shoal.errors import InputError
from shoal.parameters import PARAMETERS
from shoal.plural import counted
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.data.table import Table
    from shoal.release.bucketized import Bucketized


class Strategy(StrEnum):
    """How a group is filled."""

    balanced = "balanced"
    printed = "printed"


LOption = Annotated[int, option_of("l", "anatomy")]


def anatomy(
    table: TableFile,
    quasi: QuasiOption,
    sensitive: SensitiveOption,
    l: LOption,  # noqa: E741  (the literature's name)
    secret: SecretOption = None,
    seed: SeedOption = None,
) -> AnyPublication:
    """Anatomy: in every group of rows a sensitive value belongs to at most one in l.

    Two tables are published: the rows with their quasi-identifiers and group numbers, and how often each value occurs
    in each group. Columns that are not named are left out.
    """
    from shoal.promises import FrequencyDiversity

    _require_one_source(secret, seed)
    FrequencyDiversity(l, sensitive)  # fail early, before a large file is read

    def publish(people: Table, step: Progress) -> Made[Bucketized]:
        from shoal.publish.anatomy import anatomy

        return Made(anatomy(people, l, secret=secret, run=Run(progress=step, chance=seed)))

    source = TableSource(table, quasi, sensitive)
    return Publication(source, publish, partial(_of_buckets, again=secret is not None))


@dataclass(frozen=True)
class KnownRules:
    """The negative rules that an adversary is assumed to know: how they are mined, or where they are."""

    min_expectation: Annotated[
        float | None,
        option_of("min_expectation", "injector", default=True),
    ] = None
    min_confidence: Annotated[
        float | None,
        typer.Option("--min-confidence", metavar="SHARE", help="The share of rows for which a rule holds. Default: 1."),
    ] = None
    max_attributes: Annotated[
        int | None,
        typer.Option("--max-attributes", min=1, metavar="N", help="Maximum number of columns in a rule. Default: 1."),
    ] = None
    hierarchy: options.HierarchyOption = None
    complete: options.CompleteOption = False
    fuzzy: Annotated[
        Fuzzy | None,
        typer.Option("--fuzzy", help="Numbers near those of a rule count in part, combined by product or minimum."),
    ] = None
    crisp: Annotated[
        str | None,
        typer.Option("--crisp", metavar="A,B", help="With --fuzzy: columns whose numbers are codes, without nearness."),
    ] = None
    rules: Annotated[
        Path | None,
        typer.Option("--rules", metavar="FILE", help="Assume these rules to be known (shoal mine --negative -o FILE)."),
    ] = None
    publish_rules: Annotated[
        bool,
        typer.Option(
            "--publish-rules", help="Publish the rules too: anyone can then use them to check, and read them."
        ),
    ] = False

    @property
    def expectation(self) -> float:
        """The expectation from which a rule counts as no accident."""
        default: float = PARAMETERS["min_expectation"].default
        return default if self.min_expectation is None else self.min_expectation

    @property
    def confidence(self) -> float:
        """The share of rows for which a rule holds."""
        return 1.0 if self.min_confidence is None else self.min_confidence

    def require_use(self) -> None:
        """Refuse options that would have no effect."""
        mining = {
            "--min-expectation": self.min_expectation,
            "--min-confidence": self.min_confidence,
            "--max-attributes": self.max_attributes,
            "--hierarchy": self.hierarchy,
            "--fuzzy": self.fuzzy,
            "--crisp": self.crisp,
        }
        if self.rules is not None:
            given = {name: value is not None for name, value in mining.items()}
            options.refuse_about("rules that are mined, and --rules gives them", given, "leave one of them out")
        if self.complete and not self.hierarchy:
            raise InputError(options.IDLE_COMPLETE)


def injector(
    table: TableFile,
    quasi: QuasiOption,
    sensitive: SensitiveOption,
    l: LOption,  # noqa: E741  (the literature's name)
    known: KnownRules,
    strategy: Annotated[
        Strategy,
        typer.Option(
            "--strategy",
            help="How groups are filled. balanced: the most frequent value first; printed: as in the paper, which "
            "leaves many rows over.",
        ),
    ] = Strategy.balanced,
    secret: SecretOption = None,
    seed: SeedOption = None,
) -> AnyPublication:
    """Injector: at least l sensitive values remain possible for every row, even for someone who can rule some out.

    Negative rules are mined first ("men do not have ovarian cancer"). Then rows are grouped so that every row has at
    least l values that the rules do not exclude. Columns that are not named are left out.
    """
    from shoal.promises import MatchingDiversity

    _require_one_source(secret, seed)
    MatchingDiversity(l, sensitive, known.expectation, known.confidence, known.max_attributes or 1)
    known.require_use()

    def publish(people: Table, step: Progress) -> Made[Bucketized]:
        from shoal.io.background import read_background
        from shoal.publish.injector import injector

        trees = options.read_hierarchies(known.hierarchy, people, complete=known.complete)
        release = injector(
            people,
            l,
            min_expectation=known.expectation,
            min_confidence=known.confidence,
            max_attributes=known.max_attributes or 1,
            hierarchies=trees,
            membership="crisp" if known.fuzzy is None else known.fuzzy.value,
            crisp=options.names(known.crisp),
            background=None if known.rules is None else read_background(known.rules),
            disclose_rules=known.publish_rules,
            strategy=strategy.value,
            secret=secret,
            run=Run(progress=step, chance=seed),
        )
        return Made(release, trees)

    source = TableSource(table, quasi, sensitive)
    return Publication(source, publish, partial(_of_buckets, again=secret is not None))


_DRAWN_ANEW = (
    "a second release of this table would draw other groups, and anyone who holds both learns the values of many "
    "people: the values that their groups have in common (shoal attack --other measures it); --secret FILE makes it "
    "the same again"
)


def _require_one_source(secret: Path | None, seed: int | None) -> None:
    if secret is not None and seed is not None:
        raise InputError("--secret and --seed are two sources of the same random choices: give only one of them")


def _of_buckets(release: Bucketized, *, again: bool) -> Said:
    sizes = release.group_sizes
    groups = counted(release.n_groups, "group")
    sentences = [f"{counted(release.n_rows, 'row')} in {groups} of {sizes.min():,} to {sizes.max():,}"]
    special: dict[str, object] = {"same_again": again}
    if not again and not release.reproducible:
        sentences.append(_DRAWN_ANEW)
    if release.background is not None:
        told = "also published" if release.discloses_background else "not published"
        sentences.append(f"{counted(len(release.background), 'negative rule')} assumed to be known; {told}")
        special |= {"rules": len(release.background), "rules_published": release.discloses_background}
    return Said(sentences, special)
