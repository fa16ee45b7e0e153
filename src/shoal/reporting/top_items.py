"""The number of records with the most frequent items: according to a release, and compared with its original."""

from __future__ import annotations

import numpy as np

from shoal.measuring.baskets.item_supports import ItemSupports
from shoal.reporting.charts import before_and_after, labelled
from shoal.reporting.page import Chart, Value

TOP = 15
"""Maximum number of items named in charts."""


def supports_chart(told: ItemSupports, before: np.ndarray[tuple[int], np.dtype[np.int64]] | None) -> Chart:
    """The number of records with the most frequent items in the release, and in the original if it is given."""
    records: list[dict[str, Value]] = []
    for at, label in enumerate(labelled(told.names)):
        records.append(
            {
                "label": label,
                "item": told.names[at],
                **({} if before is None else {"before": int(before[at])}),
                "low": round(float(told.low[at]), 2),
                "told": round(float(told.told[at]), 2),
                "high": round(float(told.high[at]), 2),
            }
        )
    columns = {"item": "item", **({} if before is None else {"before": "original"})}
    columns |= {"low": "from", "high": "to", "told": "release"}
    says = "The release names no item." if not records else f"The grey bar: {told.between}. {_most(told)}{_model(told)}"
    if before is not None and records:
        off = np.abs(told.told - before) / np.maximum(before, 1)
        worst = int(np.argmax(off))
        says = (
            f"The grey bar: {told.between}. The release is off by {off.mean():.1%} on average, at most by "
            f"{off.max():.1%} ({told.names[worst]}: {before[worst]:,} records, {told.told[worst]:,.0f} in the release)."
            f"{_model(told)}"
        )
    return before_and_after(
        "top-items",
        f"Records with the {len(records)} most frequent items",
        says,
        records,
        columns,
        unit="records",
        after="release",
    )


def _model(told: ItemSupports) -> str:
    return f" Values from the release: expected, if {told.model}." if told.model else ""


def _most(told: ItemSupports) -> str:
    return (
        f"In the release, {told.names[0]} is in {told.told[0]:,.0f} records, {told.names[-1]} in {told.told[-1]:,.0f}."
    )
