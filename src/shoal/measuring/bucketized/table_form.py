"""A bucketized release in the form used to compare all releases of tables with their original."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from shoal.analyse.tables.matching_rows import Asked, sensitive_column
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table, names_in
from shoal.errors import InputError
from shoal.measuring.metric import Metric
from shoal.measuring.tables.reconstructed import Reconstructed, Schema, codes_in, plain, require_no_more
from shoal.release.bucketized import Bucketized


def schema(original: Table, release: Bucketized, quasi: str | Iterable[str] | None, sensitive: str | None) -> Schema:
    """The columns of the release; given columns must be the same."""
    published, secret = release.quasi.names, release.sensitive
    names = published if quasi is None else names_in(quasi)
    if set(names) != set(published) or sensitive not in (None, secret):
        raise InputError(
            f"the release has the quasi columns {', '.join(published)} and the sensitive column {secret}: remove "
            "quasi and sensitive"
        )
    return Schema(tuple(original.column(name) for name in published), original.column(secret))


def rows(
    release: Bucketized, schema: Schema, hierarchies: Mapping[str, Hierarchy], sensitive: str | None
) -> Reconstructed:
    """The values of quasi-identifiers unchanged; sensitive values by the counts of their group.

    Raises:
        InputError: it is not a release of this original: it has other values, or more rows of a value.
    """
    del sensitive
    if hierarchies:
        raise InputError("a bucketized release has unchanged values: hierarchies are for generalized tables")
    Asked(release)  # checks that each group has as many values as rows
    quasi = []
    for column in schema.quasi:
        published = release.quasi.column(column.name)
        codes = codes_in(published, column)
        require_no_more(published, codes, published.counts, column)
        quasi.append(plain(codes[published.codes], column))
    secret = sensitive_column(release)
    codes = codes_in(secret, schema.sensitive)
    times = np.bincount(release.bucket_values, release.bucket_counts, len(release.values)).astype(np.int64)
    require_no_more(secret, codes, times, schema.sensitive)
    return Reconstructed(
        tuple(quasi),
        release.row_groups,
        release.bucket_offsets,
        codes[release.bucket_values],
        release.bucket_counts / release.group_sizes[release.bucket_groups],
        len(schema.sensitive.values),
    )


def own_metrics(release: Bucketized, original: Reconstructed, rows: Reconstructed) -> Iterator[Metric]:
    """None: the loss is in the errors of rules and queries."""
    del release, original, rows
    return iter(())
