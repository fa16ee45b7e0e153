"""``shoal query`` on releases that are rows of nodes: generalized baskets, and baskets with noisy counts."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from shoal.cli import options
from shoal.cli.query.numbers import numbers
from shoal.cli.terminal import draw, item_text, paragraph, result, result_json, table
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets


def query_generalized(release: GeneralizedBaskets, itemsets: list[str], *, json: bool) -> None:
    """Count the rows with all of some items or groups, and what is expected of items below groups."""
    from shoal.analyse.node_rows.supports import node_supports

    wanted = _wanted(itemsets)
    found = node_supports(release, wanted)
    if json:
        answers = [{"all_of": items, **numbers(found[at])} for at, items in enumerate(wanted)]
        result_json({"records": release.n_rows, "expected_if": found.model, "supports": answers})
        return
    drawn = table("all of", "at least", "at most", "expected", "deviation")
    for at, items in enumerate(wanted):
        one = found[at]
        names = ", ".join(map(item_text, items))
        drawn.add_row(names, f"{one.least:,}", f"{one.most:,}", f"{one.expected:,.1f}", f"{one.deviation:,.1f}")
    result(f"of {release.n_rows:,} records:")
    draw(drawn)
    paragraph(
        "What rows hold is counted exactly; a record holds a group if it holds any item of it. An item below a group "
        "may be in all rows with the group or in none: expected divides them evenly over its items, each row holding "
        "one of them, so that two items of one group are never expected together."
    )


def query_noisy(release: NoisyBaskets, itemsets: list[str], *, json: bool) -> None:
    """Sum the counts of the baskets with all of some items or groups."""
    from shoal.analyse.node_rows.supports import noisy_counts

    wanted = _wanted(itemsets)
    found = noisy_counts(release, wanted)
    if json:
        answers = [
            {"all_of": items, **asdict(one), "error": one.error if math.isfinite(one.error) else None}
            for items, one in zip(wanted, found, strict=True)
        ]
        result_json({"records": release.n_records, "counts": answers})
        return
    drawn = table("all of", "count", "error", "baskets")
    for items, one in zip(wanted, found, strict=True):
        drawn.add_row(", ".join(map(item_text, items)), f"{one.count:,}", f"{one.error:,.1f}", f"{one.baskets:,}")
    result(f"of {release.n_records:,} records, by noisy counts:")
    draw(drawn)
    paragraph(
        "Count is the sum of the noisy counts of the published baskets with all items. Noise takes it about the "
        "standard error from what these baskets had. Rare baskets are missing, so that the sum is low on "
        "average; and some of those published nobody has. Of records nothing is certain."
    )


def _wanted(itemsets: list[str]) -> list[list[str]]:
    if not itemsets:
        raise InputError('nothing is asked: name some items, as in shoal query release "bread, milk"')
    return [options.item_names(text) for text in itemsets]
