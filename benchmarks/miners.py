"""Frequent itemsets beside public miners, in one run: pyfim's eclat and mlxtend's fpgrowth."""

from __future__ import annotations

import importlib.util
import os
import statistics
import sys
from functools import partial
from pathlib import Path

from clock import child, cpu

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
T10I4D100K = DATA / "t10i4d100k" / "T10I4D100K.dat"


def mining(repeat: int) -> None:
    """Frequent itemsets of T10I4D100K beside public miners: mining alone, warm, one thread, in turns."""
    path = T10I4D100K
    print("\nmining T10I4D100K, frequent itemsets")
    if not path.exists():
        print(f"left out: T10I4D100K is not in {DATA.name} (SHOAL_DATA)")
        return
    import shoal

    data = shoal.read(path)
    try:
        import fim
    except ImportError:
        print("left out: pyfim is not installed")
        return
    records = [list(map(int, line.split())) for line in path.read_text().splitlines()]
    for share in (0.004, 0.001):
        least = round(share * len(data))
        shoal.frequent_itemsets(data, least, threads=1)
        ours, theirs = [], []
        for _ in range(repeat):  # in turns: machines are noisy
            ours.append(cpu(partial(shoal.frequent_itemsets, data, least, threads=1)))
            theirs.append(cpu(partial(fim.eclat, records, supp=-least)))
        mine, other = statistics.median(ours), statistics.median(theirs)
        print(f"{f'  in {share:.1%} of the records':58} {mine:8.3f}", end="  ")
        print(f"{mine / other:5.2f} x pyfim's eclat, {other:.3f} (wanted: at most 2)")


def beside_mlxtend(share: float, repeat: int) -> None:
    """Time and memory beside fpgrowth of mlxtend: each in processes that read, and mine or do not."""
    path = T10I4D100K
    if not path.exists():
        return  # which mining() says
    if not importlib.util.find_spec("mlxtend"):
        print("left out: mlxtend is not installed")
        return
    read = f"import shoal, numpy as np; data = shoal.read({str(path)!r}); "
    ours = [read + "import shoal.mining", read + f"shoal.frequent_itemsets(data, {share}, threads=1)"]
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
    print(f"{f'itemsets in {share:.1%} of the records of T10I4D100K':58} {mine:8.3f}", end="  ")
    print(f"{mine / other:5.2f} x mlxtend's fpgrowth, {other:.3f} (wanted: at most 1)")
    print(f"{'  peak memory of the process':58} {peak:6.0f} MB  (mlxtend: {other_peak:.0f} MB)")
