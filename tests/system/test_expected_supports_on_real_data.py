"""How near each model of term chunks comes to the truth: the table of docs/query.md, on the data that it names."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.analyse.disassociated.supports import supports
from shoal.mining.counting import count_itemsets

FILES = {
    "groceries": "groceries/groceries.dat",
    "msweb": "msweb/msweb.dat",
    "diabetes": "diabetes/icd9-by-patient.dat",
}
PAGE = Path(__file__).parents[2] / "docs" / "query.md"


def shown(data):
    """The lines of the table about some data, as (what is asked, model) and what they say."""
    table = PAGE.read_text(encoding="utf-8").partition("| data | asked | model |")[2].partition("\n\n")[0]
    found, name, asked = {}, "", ""
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name, asked = cells[0] or name, cells[1] or asked
        if name == data:
            found[asked, cells[2]] = cells[3:]
    return found


def row(found, true):
    """What the table says of some answers beside the truth."""
    off = (found.expected - true) / true
    worst = off[np.abs(off).argmax()]
    within = np.mean(np.abs(found.expected - true) <= 2 * found.deviation + 1e-9)
    total = found.expected.sum() / true.sum() - 1
    counts = [f"{int(np.count_nonzero(side)):,}" for side in (off < -1e-9, off > 1e-9)]
    return [*counts, f"{total:+.1%}", f"{np.median(off):+.1%}", f"{worst:+.0%}", f"{within:.0%}"]


@pytest.mark.parametrize("data", FILES)
def test_the_documentation_says_how_near_each_model_comes(data, whole_file):
    baskets = shoal.read(whole_file(FILES[data]))
    release = shoal.disassociate(baskets, k=5, m=2)
    frequent = [baskets.words[at] for at in np.argsort(-baskets.supports, kind="stable")]
    lines = shown(data)
    assert len(lines) >= 4
    for (asked, model), said in lines.items():
        top = re.search(r"pairs of (\d+) items", asked)
        sets = list(combinations(frequent[: int(top[1])], 2)) if top else [(word,) for word in frequent]
        codes = baskets.codes_of(name for items in sets for name in items)
        true = count_itemsets(baskets, (np.arange(len(sets) + 1) * len(sets[0]), codes))
        sets, true = [items for items, n in zip(sets, true, strict=True) if n], true[true > 0]
        assert asked.startswith(f"{len(sets):,} ")
        found = supports(release, sets, term_items=model)
        assert row(found, true) == [cell.replace(" %", "%") for cell in said]
        assert (found.least <= true).all()
        assert (true <= found.most).all()
