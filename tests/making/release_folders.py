"""Small releases by every method, with everything that a folder may hold, for tests of what folders hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import shoal
from shoal.pipeline import write
from shoal.run import Run

GROUPS = {"food": ["bread", "jam", "milk"], "drinks": ["juice", "tea"], "alcohol": ["beer", "wine"]}
OFTEN = {"bread milk": 900, "bread jam": 700, "tea": 800, "beer tea": 3, "tea wine": 4}


def tree() -> shoal.Hierarchy:
    return shoal.Hierarchy.from_rows([(item, group, "*") for group, items in GROUPS.items() for item in items])


def few_kinds() -> shoal.Transactions:
    """Baskets of few kinds, of which noisy counts leave some; two kinds are rare."""
    return shoal.read([basket.split() for basket, times in OFTEN.items() for _ in range(times)])


def table(*quasi: str, rows: int = 400) -> shoal.Table:
    return shoal.Table.from_arrow(shoal.people(rows, seed=1)).with_roles(quasi=quasi, sensitive=["diagnosis"])


def quest(records: int = 400) -> shoal.Transactions:
    return shoal.quest(records, n_items=30, seed=1)


def item(place: int) -> str:
    return quest().words[place]


RELEASES: Mapping[str, Callable[[], Any]] = {
    "disassociated": lambda: shoal.disassociate(quest(), 3, 2),
    "disassociated, suppressed": lambda: shoal.disassociate(quest(), 3, 2, vertical="dls"),
    "disassociated, sensitive items": lambda: shoal.disassociate(quest(), 3, 2, sensitive=[item(3)], l=3),
    "disassociated, no certain links": lambda: shoal.disassociate(
        quest(), 3, 2, sensitive=[item(3)], l=3, cover_safe=True
    ),
    "anatomy": lambda: shoal.anatomy(table("age", "sex", "postcode"), l=3),
    "anatomy, with a seed": lambda: shoal.anatomy(table("age", "sex"), l=3, run=Run(chance=1)),
    "injector, rules disclosed": lambda: shoal.injector(table("age", "sex"), l=3, disclose_rules=True),
    "bottom-up": lambda: shoal.k_anonymity(table("age", "sex"), k=10, max_suppressed=0.1),
    "bottom-up, hidden": lambda: shoal.k_anonymity(table("age", "sex"), k=10, hide="greedy"),
    "mondrian": lambda: shoal.k_anonymity(table("age", "sex"), k=10, strategy="mondrian", publish_hierarchies=True),
    "mask": lambda: shoal.mask(quest(), keep_prob=0.9, max_basket=8),
    "fakes": lambda: shoal.fakes(quest(), fakes=1.0),
    "hybrid, with a seed": lambda: shoal.hybrid(quest(), keep_prob=0.9, fakes=1.5, run=Run(chance=1)),
    "generalized baskets": lambda: shoal.km_generalization(few_kinds(), k=5, m=2, hierarchy=tree()),
    "generalized baskets, whole": lambda: shoal.km_generalization(
        few_kinds(), k=5, m=2, hierarchy=tree(), publish_hierarchy=True
    ),
    "noisy baskets": lambda: shoal.diffpart(few_kinds(), epsilon=1.0, hierarchy=tree()),
    "noisy baskets, with a seed": lambda: shoal.diffpart(few_kinds(), epsilon=1.0, hierarchy=tree(), run=Run(chance=1)),
}


def write_all(folder: Path) -> dict[str, Path]:
    """All of them, one that is marked as not to be published, and one of which nothing is left; by name."""
    for name, publish in RELEASES.items():
        publish().write(folder / name)
    write(RELEASES["disassociated"](), folder / "marked", mark="one of several")
    write(shoal.disassociate(shoal.read([{"a"}, {"b"}]), 2, 2), folder / "empty", even_if_empty=True)
    return {path.name: path for path in sorted(folder.iterdir())}
