"""A generalized release in the form used to compare all releases of tables with their original."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from shoal.data.table import Column, Role, Table, names_in
from shoal.errors import InputError
from shoal.measuring.metric import Metric
from shoal.measuring.tables.entropy_loss import entropy_loss
from shoal.measuring.tables.generalization import generalization
from shoal.measuring.tables.node_spreads import of_release
from shoal.measuring.tables.reconstructed import Reconstructed, Schema
from shoal.quoting import named
from shoal.release.generalized import Generalized
from shoal.suggestions import did_you_mean

rows = of_release


def schema(original: Table, release: Generalized, quasi: str | Iterable[str] | None, sensitive: str | None) -> Schema:
    """The columns of a generalized release; if it has several sensitive ones, the named one or the first."""
    published, secrets = [column.name for column in release.quasi], [column.name for column in release.sensitive]
    if quasi is not None and set(names_in(quasi)) != set(published):
        raise InputError(f"the quasi-identifiers of the release are {', '.join(published)}: remove quasi")
    if sensitive is not None and sensitive not in secrets:
        meant = did_you_mean(sensitive, secrets)
        raise InputError(
            f"{named(sensitive)}{meant} is not a sensitive column of the release: {', '.join(secrets) or 'it has none'}"
        )
    columns = tuple(original.column(name) for name in published)
    if not secrets:
        everyone = Column("", Role.SENSITIVE, np.zeros(len(original), np.int32), pa.array([""]))
        return Schema(columns, everyone)
    return Schema(columns, original.column(sensitive or secrets[0]))


def own_metrics(release: Generalized, original: Reconstructed, rows: Reconstructed) -> Iterator[Metric]:
    """The loss by generalization, independent of the use of the data."""
    yield from entropy_loss(original, rows, [column.name for column in release.quasi])
    yield from generalization(release)
