"""k^m-anonymity by generalization as a whole command: baskets of 1,600 items below 160 below 16, as they grow."""

from __future__ import annotations

import math
import statistics
import tempfile
from itertools import islice
from pathlib import Path

from clock import child
from results import RESULTS, Wanted
from tables import SHOAL

K = 5
ITEMS, FANOUT, LEVELS = 1_600, 10, 2
RECORDS = 500_000
WANTED = 15


def generalized_baskets(baskets: Path, most: int, repeat: int) -> None:
    """CPU seconds and peak memory of reading, generalizing, writing, reading back and auditing."""
    records = min(RECORDS, most)
    RESULTS.section(f"Baskets by generalization: {ITEMS:,} items below 160 below 16, k = {K}; the whole command, warm")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "items.csv"
        tree.write_text("".join(f"{';'.join(_path(item))}\n" for item in range(ITEMS)))
        sizes = [records // 4, records // 2, records]
        files = [_written(baskets, Path(folder) / f"{size}.dat", size) for size in sizes]
        runs = [_published(file, tree, 2, repeat) for file in files]
        for size, (seconds, peak) in zip(sizes, runs, strict=True):
            wanted = Wanted(f"at most {WANTED} s for 500,000", seconds <= WANTED) if size == records else None
            RESULTS.add(f"m = 2, {size:,} baskets", seconds, memory=peak, wanted=wanted)
        slope = math.log(runs[-1][0] / runs[0][0]) / math.log(sizes[-1] / sizes[0])
        note = f"like the number of baskets to the power of {slope:.2f}"
        RESULTS.add("it grows", note=note, wanted=Wanted("at most about 1", slope <= 1.1))
        seconds, peak = _published(files[-1], tree, 3, 1)
        RESULTS.add(f"m = 3, {records:,} baskets", seconds, memory=peak)


def _path(item: int) -> list[str]:
    """From an item to the root, by its number."""
    groups = [f"level {level}: {item // FANOUT**level}" for level in range(1, LEVELS + 1)]
    return [str(item), *groups, "*"]


def _written(baskets: Path, target: Path, records: int) -> Path:
    """The first baskets of a file, with no more than so many different items, by number."""
    numbers: dict[str, int] = {}  # of names that are no numbers, as they come
    with baskets.open() as lines, target.open("w") as out:
        for line in islice(lines, records):
            names = line.split()
            items = {(int(n) if n.isdecimal() else numbers.setdefault(n, len(numbers))) % ITEMS for n in names}
            out.write(" ".join(map(str, sorted(items))) + "\n")
    return target


def _published(file: Path, tree: Path, m: int, repeat: int) -> tuple[float, float]:
    release = file.with_suffix(".release")
    numbers = ["-k", str(K), "-m", str(m), "--even-if-empty"]
    command = [SHOAL, "publish", "km-generalization", file, "--hierarchy", tree, *numbers, "-o", release]
    runs = [child([*command, "--force"]) for _ in range(repeat + 1)][1:]
    return statistics.median(seconds for seconds, _ in runs), max(peak for _, peak in runs)
