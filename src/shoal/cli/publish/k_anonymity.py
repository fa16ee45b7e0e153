"""``shoal publish k-anonymity``: a table with generalized quasi-identifiers, optionally with hidden associations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.parameter_options import option_of
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said
from shoal.cli.publish.table_source import SensitiveColumnsOption, TableFile, TableSource
from shoal.cli.terminal import Progress, note
from shoal.errors import InputError
from shoal.parameters import PARAMETERS
from shoal.plural import counted
from shoal.quoting import shown
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.data.table import Table
    from shoal.release.generalized import Generalized


class Strategy(StrEnum):
    """How quasi-identifiers are generalized."""

    bottom_up = "bottom-up"
    mondrian = "mondrian"


class Loss(StrEnum):
    """How the loss of a generalization step is measured."""

    entropy = "entropy"
    taxonomy = "taxonomy"
    ncp = "ncp"


class Hide(StrEnum):
    """How associations are hidden."""

    greedy = "greedy"
    iga = "iga"
    resistant = "resistant"


@dataclass(frozen=True)
class Steps:
    """How bottom-up recoding chooses its next step."""

    loss: Annotated[
        Loss,
        typer.Option("--loss", help="bottom-up: the loss of a step: entropy, distinct values in the taxonomy, or NCP."),
    ] = Loss.entropy
    weight_anonymity: Annotated[
        float,
        typer.Option(
            "--weight-anonymity", metavar="W", help="bottom-up: the weight of the growth of the smallest group."
        ),
    ] = 1.0
    weight_loss: Annotated[
        float, typer.Option("--weight-loss", metavar="W", help="bottom-up: the weight of the loss.")
    ] = 1.0
    weight_associations: Annotated[
        float, typer.Option("--weight-associations", metavar="W", help="bottom-up: the weight of weaker associations.")
    ] = 1.0
    evaluate_from: Annotated[
        str | None,
        typer.Option(
            "--evaluate-from",
            metavar="SIZE",
            help="bottom-up: once the smallest group has this size, prefer steps that weaken associations: rows, as in "
            "50, or a multiple of k, as in 0.4k.",
        ),
    ] = None
    take_back: Annotated[
        bool, typer.Option("--take-back/--no-take-back", help="bottom-up: undo steps that later ones made unnecessary.")
    ] = True


@dataclass(frozen=True)
class HidingOptions:
    """Which associations count, and how they are hidden."""

    hide: Annotated[
        Hide | None,
        option_of("hide", "bottom-up-hidden"),
    ] = None
    support: Annotated[
        float | None,
        option_of("support", "bottom-up-hidden", default=True),
    ] = None
    confidence: Annotated[
        float | None,
        option_of("confidence", "bottom-up-hidden", default=True),
    ] = None

    @property
    def least_support(self) -> float:
        """The least share of a group at which a rule counts."""
        default: float = PARAMETERS["support"].default
        return default if self.support is None else self.support

    @property
    def most_confidence(self) -> float:
        """The confidence that no association may reach."""
        default: float = PARAMETERS["confidence"].default
        return default if self.confidence is None else self.confidence

    def require_use(self, *, evaluated: bool) -> None:
        """Refuse options that would have no effect."""
        if self.hide is None and not evaluated:
            given = {"--support": self.support is not None, "--confidence": self.confidence is not None}
            options.refuse_about("associations that are hidden or evaluated", given, "add --hide or --evaluate-from")


@dataclass(frozen=True)
class Trees:
    """The hierarchies that generalize columns, and whether they are published."""

    hierarchy: options.HierarchyOption = None
    complete: options.CompleteOption = False
    publish_hierarchies: Annotated[
        bool,
        typer.Option(
            "--publish-hierarchies", help="Publish whole hierarchies, including values below those in the rows."
        ),
    ] = False


def k_anonymity(
    table: TableFile,
    quasi: Annotated[
        str,
        typer.Option(
            "--quasi", metavar="A,B", help="Columns that others may know about a person; they are generalized."
        ),
    ],
    k: Annotated[int, option_of("k", "bottom-up")],
    trees: Trees,
    steps: Steps,
    hiding: HidingOptions,
    sensitive: SensitiveColumnsOption = None,
    strategy: Annotated[
        Strategy,
        typer.Option(
            "--strategy",
            help="bottom-up: a value is generalized in all rows at once; mondrian: groups are split while each part "
            "has at least k rows.",
        ),
    ] = Strategy.bottom_up,
    max_suppressed: Annotated[float, option_of("max_suppressed", "bottom-up")] = 0.0,
) -> AnyPublication:
    """k-anonymity: generalize quasi-identifiers until k rows share every combination, and hide associations.

    Columns that are not named are left out. Without a hierarchy, numbers become intervals, and any other value is
    published unchanged or fully suppressed.
    """
    from shoal.promises import HiddenAssociations, KAnonymity

    # Fail early, before a large file is read.
    KAnonymity(k, tuple(options.names(quasi)))
    HiddenAssociations(("any",), hiding.least_support, hiding.most_confidence)
    hiding.require_use(evaluated=steps.evaluate_from is not None)
    smallest = None if steps.evaluate_from is None else _size(steps.evaluate_from)
    if trees.complete and not trees.hierarchy:
        raise InputError(options.IDLE_COMPLETE)

    def publish(people: Table, step: Progress) -> Made[Generalized]:
        from shoal.publish.k_anonymity import k_anonymity

        _say_what_hierarchies_are_made(people, trees.hierarchy)
        found = options.read_hierarchies(trees.hierarchy, people, complete=trees.complete)
        release = k_anonymity(
            people,
            k,
            hierarchies=found,
            strategy=strategy.value,
            max_suppressed=max_suppressed,
            loss=steps.loss.value,
            weights=(steps.weight_anonymity, steps.weight_loss, steps.weight_associations),
            evaluate_from=smallest,
            take_back=steps.take_back,
            hide=None if hiding.hide is None else hiding.hide.value,
            min_support=hiding.least_support,
            min_confidence=hiding.most_confidence,
            publish_hierarchies=trees.publish_hierarchies,
            run=Run(progress=step),
        )
        return Made(release, found)

    source = TableSource(table, quasi, sensitive)
    kernels = strategy is Strategy.mondrian or hiding.hide is not None
    return Publication(source, publish, _of_groups, kernels=kernels)


def _size(text: str) -> float:
    """A number of rows, or a multiple of k."""
    try:
        return float(text[:-1]) if text.endswith("k") else int(text)
    except ValueError:
        raise InputError(
            f"--evaluate-from is {shown(text)}: give a number of rows, as in 50, or of k, as in 0.4k"
        ) from None


def _say_what_hierarchies_are_made(people: Table, given: list[str] | None) -> None:
    from shoal.data.table import Role

    named = {text.partition("=")[0] for text in given or []}
    made = [column for column in people if column.role is Role.QUASI and column.name not in named]
    ranges = [column.name for column in made if column.is_number]
    flat = [column.name for column in made if not column.is_number]
    if ranges:
        note(f"note: no hierarchy given for {', '.join(ranges)}: generalized to intervals built from the data")
    if flat:
        note(
            f"note: no hierarchy given for {', '.join(flat)}: published unchanged or fully suppressed (--hierarchy "
            "COLUMN=FILE, or COLUMN=prefixes, says how to generalize it)"
        )


def _of_groups(release: Generalized) -> Said:
    sizes = release.group_sizes
    groups = counted(release.n_groups, "group")
    gone = f", {counted(release.suppressed, 'row')} suppressed" if release.suppressed else ""
    sentences = [f"{counted(release.n_rows, 'row')} in {groups} of {sizes.min():,} to {sizes.max():,}{gone}"]
    special: dict[str, object] = {}
    residual = release.residual
    if residual is not None:
        cells = release.n_rows * len(release.sensitive)
        sentences.append(
            f"{residual.hidden_cells:,} of {cells:,} sensitive cells ({residual.hidden_cells / cells:.1%}) hidden, and "
            f"with them {counted(residual.associations, 'association')}"
        )
        if residual.hidden_cells_plain is not None:
            sentences[-1] += f"; --hide greedy would hide {residual.hidden_cells_plain:,}, but filling undoes it"
        if residual.hidden_cells:
            sentences.append(
                "An adversary who fills each hidden cell with the most frequent value shown in its group gets "
                f"{residual.filled_right / residual.hidden_cells:.0%} of them right, and recovers "
                f"{residual.associations_back:,} of the {residual.associations:,} associations."
            )
        special["residual"] = vars(residual)
    return Said(sentences, special)
