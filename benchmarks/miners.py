"""Frequent itemsets beside public miners, in one run: pyfim's eclat and mlxtend's fpgrowth."""

from __future__ import annotations

import importlib.util
import statistics
import sys
from functools import partial

from beside import DATA
from clock import child, cpu
from results import RESULTS, Wanted

from shoal.engine.threads import Threads
from shoal.run import Run

T10I4D100K = DATA / "t10i4d100k" / "T10I4D100K.dat"


def mining(repeat: int) -> None:
    """Frequent itemsets of T10I4D100K beside public miners: mining alone, warm, one thread, in turns."""
    path = T10I4D100K
    RESULTS.section("mining T10I4D100K, frequent itemsets (one thread, warm, in turns)")
    if not path.exists():
        RESULTS.left_out("frequent itemsets", f"T10I4D100K is not in {DATA.name} (SHOAL_DATA)")
        return
    import shoal.mining

    data = shoal.read(path)
    try:
        import fim
    except ImportError:
        RESULTS.left_out("frequent itemsets beside eclat", "pyfim is not installed")
        return
    records = [list(map(int, line.split())) for line in path.read_text().splitlines()]
    for share in (0.004, 0.001):
        least = round(share * len(data))
        shoal.mining.frequent_itemsets(data, least, run=Run(engine=Threads(1)))
        ours, theirs = [], []
        for _ in range(repeat):  # in turns: machines are noisy
            ours.append(cpu(partial(shoal.mining.frequent_itemsets, data, least, run=Run(engine=Threads(1)))))
            theirs.append(cpu(partial(fim.eclat, records, supp=-least)))
        mine, other = statistics.median(ours), statistics.median(theirs)
        RESULTS.add(
            f"in {share:.1%} of the records",
            mine,
            ratio=mine / other,
            to=f"pyfim's eclat, {other:.3f} s",
            wanted=Wanted("at most 2 x", mine <= 2 * other),
        )


def beside_mlxtend(share: float, repeat: int) -> None:
    """Time and memory beside fpgrowth of mlxtend: each in processes that read, and mine or do not."""
    path = T10I4D100K
    if not path.exists():
        return  # which mining() says
    if not importlib.util.find_spec("mlxtend"):
        RESULTS.left_out("frequent itemsets beside fpgrowth", "mlxtend is not installed")
        return
    read = f"import shoal, numpy as np; data = shoal.read({str(path)!r}); "
    one = "run=shoal.Run(engine=shoal.Threads(1))"
    imported = read + "import shoal.mining; "
    ours = [imported, imported + f"shoal.mining.frequent_itemsets(data, {share}, {one})"]
    table = (
        "import pandas as pd; from mlxtend.frequent_patterns import fpgrowth; "
        "cells = np.zeros((len(data), data.n_items), bool); "
        "cells[np.repeat(np.arange(len(data)), data.lengths), data.items] = True; "
        "table = pd.DataFrame(cells, columns=data.words); "
    )
    theirs = [read + table, read + table + f"fpgrowth(table, min_support={share}, use_colnames=True)"]
    figures = []
    for scripts in (ours, theirs):
        idle, busy = ([child([sys.executable, "-c", script]) for _ in range(min(3, repeat))] for script in scripts)
        seconds = statistics.median(run[0] for run in busy) - statistics.median(run[0] for run in idle)
        figures.append((seconds, max(run[1] for run in busy)))
    (mine, peak), (other, other_peak) = figures
    RESULTS.section("mining beside mlxtend, in processes of their own")
    RESULTS.add(
        f"itemsets in {share:.1%} of the records of T10I4D100K",
        mine,
        memory=peak,
        ratio=mine / other,
        to=f"mlxtend's fpgrowth, {other:.3f} s and {other_peak:.0f} MB",
        wanted=Wanted("at most 1 x", mine <= other),
    )
