"""A release by every method, written to a folder, of small data whose names may be anything."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.methods import METHODS
from shoal.study.original import Original

BREAKS_OUT = "</script><img src=x onerror=alert(1)>"
ODD = (
    BREAKS_OUT,
    "\"><svg onload='alert(2)'>",
    'it\'s, "so" said',
    "R&amp;D & </title></style></desc>--> ]]>",
    "שָׁלוֹם \u202eevil",
    "🐟 $after {{ 7*7 }} {% raw %}",
    "=-- two\tblanks  in a row",
    "n" * 300,
)
"""Names that try to be something else."""
ODD_FOLDER = '<img src=x onerror=alert(5)> it\'s a "release" & more'
ODD_FILE = '<b onclick=alert(4)> "original" & co.csv'
PLAIN = tuple("abcdefgh")
COLUMNS = ("age", "sex", "illness")
ODD_COLUMNS = (BREAKS_OUT, 'it\'s "my" number, & yours', "<b onmouseover='alert(3)'> 🐟 " + "w" * 300)


def baskets(items: Sequence[str] = PLAIN, n: int = 60) -> Transactions:
    """Some baskets; the first item is in all of them, and the second in most."""
    chance = random.Random(3)
    rows = [{items[0], *chance.sample(items, chance.randint(1, 4)), *chance.choice([items[1:2], ()])} for _ in range(n)]
    return Transactions.from_records([*rows, {items[0], items[1]}])


def baskets_with_rare_items(items: Sequence[str]) -> Transactions:
    """The same with more records, and items after all of these in their order: two as frequent, five in a record each.

    Ten neighbours are joined at a time: the rare ones are, and the others stay as they are.
    """
    last = max(items)
    more = [f"{last} {number}" for number in range(7)]
    rows = [*baskets(items, 100), *([{items[0], *more[:2]}] * 6), *({items[0], name} for name in more[2:])]
    return Transactions.from_records(rows)


def people(columns: Sequence[str] = COLUMNS, values: Sequence[str] = PLAIN, n: int = 60) -> Table:
    """Some people with a number that may be missing, one of two words, and one of four sensitive words."""
    chance = random.Random(4)
    number, word, secret = columns
    rows = {
        number: [None if i == 7 else chance.randint(20, 50) for i in range(n)],
        word: [chance.choice(values[:2]) for _ in range(n)],
        secret: [chance.choice(values[:4]) for _ in range(n)],
    }
    return Table.from_arrow(pa.table(rows), quasi=[number, word], sensitive=secret)


def publish_by(name: str, folder: Path, *, odd: bool = False) -> Transactions | Table:
    """Write a release by the method of this name; returns the original."""
    method = METHODS[name]
    items = ODD if odd else PLAIN
    made = baskets_with_rare_items if method.generalizes and "k" in method.parameters else baskets
    data = made(items) if method.about == "baskets" else people(ODD_COLUMNS if odd else COLUMNS, items)
    given = {"k": 3, "l": 2, "sensitive": [items[-1]], "epsilon": 30.0}
    verdict = method.make(Original.of(data), method.settings(given)).write(folder)
    assert verdict.holds
    return data
