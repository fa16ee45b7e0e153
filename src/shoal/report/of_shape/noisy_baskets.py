"""What a report says of noisy counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.release.noisy_baskets import NoisyBaskets
from shoal.report.page import Chart
from shoal.report.reading import Reading, items_to_ask_for
from shoal.report.size_charts import row_lengths

_WORDS = (
    "Baskets are published with counts to which noise was added; those that seemed too rare are missing, and some "
    "that nobody had may be there. Sums of counts have a standard error."
)
_REMARK = "in how many records items are, by noisy counts"
_SQL = """SELECT name, sum(count) AS records
FROM (SELECT unnest(items) AS item, count FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/hierarchy.parquet' USING (item)
GROUP BY name ORDER BY records DESC, name LIMIT 10;"""


def reading(release: NoisyBaskets) -> Reading:
    """How to read it: as baskets with counts, unless noise has left none."""
    if not release.n_rows:
        return Reading(_WORDS, "--rows", _REMARK, _SQL, python=("print(release.counts)",))
    return Reading(
        _WORDS,
        "--rows",
        _REMARK,
        _SQL,
        items=items_to_ask_for(release.tree.labels, np.bincount(release.items, minlength=len(release.tree))),
        commands=(("mine", "--min-support .05"),),
        python=("print(shoal.frequent_itemsets(release.baskets(), .05))",),
    )


def charts(release: NoisyBaskets) -> Iterator[Chart]:
    """Its rows."""
    yield row_lengths(release.lengths)
