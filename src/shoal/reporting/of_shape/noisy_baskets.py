"""The parts of a report that are specific to noisy counts."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from shoal.audit.attack.finding import Attacks
from shoal.data.transactions import Transactions
from shoal.measuring.risk.baskets import BasketRisk
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.reporting.page import Chart
from shoal.reporting.reading import Reading, items_to_ask_for
from shoal.reporting.remaining_risk import Line, Risks
from shoal.reporting.size_charts import row_lengths

_WORDS = (
    "Baskets are published with noisy counts. Baskets that seemed too rare are missing, and some published baskets may "
    "occur in no record. Sums of counts have a standard error."
)
_REMARK = "records with each item, by noisy counts"
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
        python=("print(release.mine(.05).to_arrow())",),
    )


def charts(release: NoisyBaskets) -> Iterator[Chart]:
    """Its rows."""
    yield row_lengths(release.lengths)


def risks(
    release: NoisyBaskets, original: Transactions | None, before: BasketRisk | None, attacks: Attacks | None
) -> Risks:
    """The probability of learning whether a record was in the data, which epsilon bounds."""
    del before, attacks  # the promise alone bounds it
    presence = Line(
        "presence",
        "to learn whether one record was among the data, for an adversary who knows all others and holds both for "
        "equally likely; a coin has 50 %",
        None if original is None else 1.0,
        1 / (1 + math.exp(-release.promise.epsilon)),
        "bounded by the promise",
        headline=True,
    )
    return Risks((presence,))
