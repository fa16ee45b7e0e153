"""k-anonymity with hidden associations: Adult, and a growing number of synthetic people."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from clock import child
from results import RESULTS, Wanted, at_most
from tables import ADULT, SHOAL, write_adult

K = 250
QUASI = ("age", "education", "sex", "race")
SENSITIVE = ("workclass", "marital-status", "occupation", "salary-class")
BOUND = 4.0
"""Seconds wanted for Adult."""
MANY = 1_000_000
TIMES = 30
"""A million rows may take so many times what Adult takes."""

_WORK = """
import sys, time, shoal
from shoal.data.hierarchy_builders import prefixes
file, quasi, sensitive, folder, k, repeat = sys.argv[1:]
quasi, sensitive = quasi.split(","), sensitive.split(",")
people = shoal.read_table(file, quasi=quasi, sensitive=sensitive)
trees = {}
for name in quasi:
    if folder:
        trees[name] = shoal.read_hierarchy(f"{folder}/{name}.csv", column=people.column(name))
    elif name == "postcode":
        trees[name] = prefixes(people.column(name))
for run in range(int(repeat)):
    start = time.process_time()
    shoal.k_anonymity(people, int(k), hierarchies=trees, hide="greedy")
    if run:  # the first one warms
        print(time.process_time() - start)
"""


def hidden(sizes: list[int], repeat: int, most: int | None = None) -> None:
    """Seconds of anonymising and hiding in a warm process, and the peak memory of processes of several sizes."""
    seconds = None
    RESULTS.section(f"Tables: k-anonymity by bottom-up generalization, k = {K}, associations hidden (greedy)")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        if (ADULT / "adult.test").exists():
            rows = write_adult(file, most)
            seconds = _seconds([file, ",".join(QUASI), ",".join(SENSITIVE), ADULT / "hierarchies"], repeat)
            RESULTS.add(f"Adult, {rows:,} rows, warm", seconds, wanted=at_most(BOUND, seconds))
        else:
            RESULTS.left_out("Adult", "adult.data and adult.test are not at hand (SHOAL_DATA)")
        peaks = []
        for rows in sizes:
            file = Path(folder) / f"{rows}.parquet"
            subprocess.run(
                [SHOAL, "generate", "people", "--rows", str(rows), "--seed", "1", "-o", file],
                check=True,
                stderr=subprocess.DEVNULL,
            )
            arguments = [file, "age,sex,education,postcode", "occupation,diagnosis", ""]
            took = _seconds(arguments, min(repeat, 2))
            # Once without and once with publishing: what reading takes is not what publishing takes.
            read, peak = (child([sys.executable, "-c", _WORK, *arguments, str(K), times])[1] for times in ("0", "1"))
            peaks.append(peak)
            beside = {}
            if seconds and rows == MANY:
                ratio = took / seconds
                beside = {"ratio": ratio, "to": "Adult", "wanted": Wanted(f"at most {TIMES} x", ratio <= TIMES)}
            RESULTS.add(f"{rows:,} people", took, memory=peak, note=f"{read:.0f} MB when read", **beside)
        more = (peaks[-1] - peaks[0]) * 2**20 / max(1, sizes[-1] - sizes[0])
        RESULTS.add("memory as rows grow", note=f"{more:.0f} bytes of peak memory a row more")


def _seconds(arguments: list[str | Path], repeat: int) -> float:
    command = [sys.executable, "-c", _WORK, *arguments, str(K), str(repeat + 1)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return statistics.median(map(float, done.stdout.split()))
