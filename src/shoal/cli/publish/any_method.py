"""The command that publishes by a method: the one that the method names, or one built from its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.every_command import add_options, option
from shoal.cli.option_groups import grouped
from shoal.cli.parameter_options import options_of_method, plain
from shoal.cli.publish.basket_source import BasketSource
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said
from shoal.cli.publish.table_source import QuasiOption, SensitiveColumnsOption, TableFile, TableSource
from shoal.cli.terminal import Progress
from shoal.errors import InputError
from shoal.loading import loaded
from shoal.method import Method
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.release import Release


def publisher_of(method: Method) -> Callable[..., AnyPublication]:
    """The function that ``shoal publish`` runs for a method."""
    if method.options:
        return grouped(loaded(method.options), behind=True)
    read = grouped(_baskets if method.about == "baskets" else _table, behind=True)

    def call(**values: Any) -> AnyPublication:
        given = plain({name: values.pop(name) for name in method.parameters})
        settings = method.settings(given)  # fail early, before a large file is read
        hierarchy, complete = values.pop("hierarchy", None), values.pop("complete", False)
        if complete and not hierarchy:
            raise InputError(options.IDLE_COMPLETE)

        def publish(data: Transactions | Table, step: Progress) -> Made[Release]:
            from shoal.study.original import Original

            trees: Any = options.read_any_hierarchies(hierarchy, data, complete=complete)
            return Made(method.make(Original.of(data, trees), settings, Run(progress=step)), trees)

        return Publication(read(**values), publish, _said)

    made = add_options(read, [*options_of_method(method), *_of_hierarchies(method)], call)
    made.__doc__ = method.summary
    return made


def _baskets(source: BasketSource) -> BasketSource:
    return source


def _table(table: TableFile, quasi: QuasiOption, sensitive: SensitiveColumnsOption = None) -> TableSource:
    return TableSource(table, quasi, sensitive)


def _of_hierarchies(method: Method) -> Iterator[inspect.Parameter]:
    if method.hierarchy:
        metavar = "FILE" if method.about == "baskets" else "COLUMN=FILE"
        described = typer.Option("--hierarchy", metavar=metavar, help="How items or values may be generalized.")
        yield option("hierarchy", Annotated[list[str] | None, described], None)
        yield option("complete", options.CompleteOption, False)


def _said(release: Release) -> Said:
    return Said([", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in release.counts.items())])
