"""The hybrid of flips and fake transactions: distorting and mining T10I4D100K, as whole commands, and by size."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from beside import DATA
from clock import child
from miners import T10I4D100K
from results import RESULTS, Wanted, at_most
from tables import SHOAL

KEEP = 0.95
FAKES = (1, 3, 5)
"""Made-up rows for each real one; the last is what the paper's Table 6 ends with."""
SUPPORT = 0.004
PAPER = "11,416 to 11,493 s"
"""Mohaisen et al. 2010, Table 6, w = 5, .4 %: on a data set of as many records, and on their machine."""

_DISTORT = """
import sys, time, shoal
file, keep, fakes, repeat = sys.argv[1:]
baskets = shoal.read(file)
for run in range(int(repeat) + 1):
    start = time.process_time()
    shoal.hybrid(baskets, float(keep), float(fakes))
    if run:  # the first one warms
        print(time.process_time() - start)
"""


def randomized(repeat: int, most: int | None = None) -> None:
    """CPU seconds and peak memory of publishing, in memory and as a command, and of mining the release."""
    RESULTS.section(f"Randomized baskets: hybrid of flips (keep {KEEP:g}) and made-up rows, T10I4D100K")
    if not T10I4D100K.exists():
        RESULTS.left_out("hybrid", f"T10I4D100K is not in {DATA.name} (SHOAL_DATA)")
        return
    with tempfile.TemporaryDirectory() as folder:
        file, releases = Path(folder) / "baskets.dat", [Path(folder) / f"release-{fakes}" for fakes in FAKES]
        with T10I4D100K.open() as lines:
            file.write_text("".join(islice(lines, most)))
        found = [_grown(file, fakes, release, repeat) for fakes, release in zip(FAKES, releases, strict=True)]
        seconds = _distorted(file, FAKES[-1], repeat)
        name = f"distortion in memory, {FAKES[-1]} made-up rows a real one"
        RESULTS.add(name, seconds, wanted=at_most(4, seconds))
        _linear("shoal publish hybrid", [(ones, *publishing) for ones, publishing, _ in found])
        _linear(f"shoal mine --min-support {SUPPORT:g}", [(ones, *mining) for ones, _, mining in found])
        mining = found[-1][2][0]
        note = f"the paper reports {PAPER} for a similar data set on its machine"
        RESULTS.add(f"mining with {FAKES[-1]}", mining, note=note, wanted=at_most(10, mining))


Run = tuple[float, float]


def _grown(file: Path, fakes: int, release: Path, repeat: int) -> tuple[int, Run, Run]:
    """Ones written, and CPU and peak of publishing and of mining them, whole commands, warm."""
    publish = [SHOAL, "publish", "hybrid", file, "--keep-prob", str(KEEP), "--fakes", str(fakes), "-o", release]
    publishing = _runs([*publish, "--force"], repeat)
    ones = json.loads((release / "manifest.json").read_text())["counts"]["ones"]
    mining = _runs([SHOAL, "mine", release, "--min-support", str(SUPPORT)], repeat)
    for what, (seconds, peak) in (
        (f"publish hybrid --fakes {fakes}", publishing),
        (f"mine {SUPPORT:.1%} of it", mining),
    ):
        note = f"{ones:,} ones" if what.startswith("publish") else ""
        RESULTS.add(f"shoal {what} (the whole command, warm)", seconds, memory=peak, note=note)
    return ones, publishing, mining


def _runs(command: list[str | Path], repeat: int) -> Run:
    """The median of the seconds and the largest peak; once more before, to be warm."""
    runs = [child(command) for _ in range(repeat + 1)][1:]
    return statistics.median(seconds for seconds, _ in runs), max(peak for _, peak in runs)


def _distorted(file: Path, fakes: int, repeat: int) -> float:
    command = [sys.executable, "-c", _DISTORT, file, str(KEEP), str(fakes), str(repeat)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return statistics.median(map(float, done.stdout.split()))


def _linear(name: str, runs: list[tuple[int, float, float]]) -> None:
    """What a one more takes, and whether the size between lies on the straight line."""
    (few, less, small), *between, (many, more, large) = runs
    seconds, memory = (more - less) / (many - few), (large - small) * 2**20 / (many - few)
    note = f"{seconds * 1e9:.0f} ns and {memory:.1f} bytes of peak memory a one more"
    wanted = None
    for ones, took, peak in between:
        straight, line = less + seconds * (ones - few), small + (large - small) * (ones - few) / (many - few)
        note += f"; between {took:.2f} s and {peak:.0f} MB, on a straight line {straight:.2f} and {line:.0f}"
        # Within a quarter: the clock of a busy machine tells no more.
        wanted = Wanted("linear", abs(took - straight) <= straight / 4 and abs(peak - line) <= line / 4)
    RESULTS.add(f"{name} as releases grow", note=note, wanted=wanted)
