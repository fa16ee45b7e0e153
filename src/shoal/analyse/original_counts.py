"""Counts in original data, answered in the form of answers from releases: what is certain is all there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analyse.answers import Answers, Supports
from shoal.analyse.tables.matching_rows import AskedColumns
from shoal.data.arrays import Int64
from shoal.data.transactions import codes_of
from shoal.errors import InputError
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions


def count_baskets(data: Transactions, queries: Sequence[Any], run: Run = DEFAULT_RUN) -> Answers:
    """In how many records the items of each query are."""
    from shoal.mining.counting import count_itemsets

    wanted = [(one,) if isinstance(one, str) else tuple(dict.fromkeys(one)) for one in queries]
    if not all(wanted):
        raise InputError("each query must name 1 item or more, not 0")
    offsets = np.concatenate([[0], np.cumsum([len(items) for items in wanted])]).astype(np.int64)
    codes = codes_of(data.vocabulary, [name for items in wanted for name in items], "the data")
    found = _certain(count_itemsets(data, (offsets, codes), run=run))
    rows = tuple({"all_of": [*items], **found[at].as_dict()} for at, items in enumerate(wanted))
    return Answers(tuple(wanted), found, {"records": len(data)}, "supports", rows)


def count_table(data: Table, queries: Sequence[str]) -> Answers:
    """How many rows meet the conditions of each query."""
    asked = AskedColumns({column.name: column for column in data})
    counts = np.array([asked.rows(text, len(data)) for text in queries], np.int64)
    found = _certain(counts)
    rows = tuple({"query": text, **found[at].as_dict()} for at, text in enumerate(queries))
    return Answers(tuple(queries), found, {"rows": len(data)}, "counts", rows)


def _certain(counts: Int64) -> Supports:
    return Supports(counts, counts, counts.astype(np.float64), np.zeros(len(counts)))
