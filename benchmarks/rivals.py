"""k-anonymity of Adult with eight quasi-identifiers beside ANJANA and anonypy, in one run.

CPU seconds are of the call alone, rows and hierarchies in memory; what is published is measured by one code: a cell
costs (values that it covers - 1) / (values of the column - 1), values being those of the hierarchy, and a row that is
not published 1 in every column (the normalized certainty penalty, NCP).
"""

from __future__ import annotations

import csv
import json
import re
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from clock import cpu
from results import RESULTS, Wanted
from tables import ADULT, write_adult

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
K = 5
SUPPRESSIONS = (0, 5, 20)
"""What ANJANA may suppress, in percent."""
OTHERS = Path(__file__).resolve().parent.parent / ".venv-rivals" / "bin" / "python"
_RANGE = re.compile(r"(\d+)-(\d+)")


class Domain:
    """What the cells of a column cover: labels of its hierarchy, ranges of numbers, and sets of values."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        """From the rows of a hierarchy's file."""
        self.size = len({row[0] for row in rows})
        self.numbers = [int(row[0]) for row in rows if row[0].isdecimal()]
        covers: dict[str, set[str]] = {}
        for row in rows:
            for label in row:
                covers.setdefault(label, set()).add(row[0])
        self.covers = {label: len(values) for label, values in covers.items()}

    def lost(self, cell: str) -> float:
        """From 0, one value, to 1, all of them."""
        if cell not in self.covers:
            ends = _RANGE.fullmatch(cell)
            if ends and self.numbers:
                low, high = map(int, ends.groups())
                self.covers[cell] = sum(low <= number <= high for number in self.numbers)
            else:
                self.covers[cell] = sum(self.covers[value] for value in cell.split(","))
        return (self.covers[cell] - 1) / (self.size - 1)


def ncp(published: Mapping[tuple[str, ...], int], domains: Sequence[Domain], rows: int) -> float:
    """The mean loss of a cell, rows that are not published included."""
    lost = sum(
        number * sum(domain.lost(cell) for domain, cell in zip(domains, cells, strict=True))
        for cells, number in published.items()
    )
    return (lost / len(domains) + rows - sum(published.values())) / rows


def beside_others(repeat: int, most: int | None = None) -> None:
    """Print a line for each of them."""
    RESULTS.section(f"Tables: k-anonymity of Adult beside other tools, {len(QUASI)} quasi-identifiers, k = {K}")
    if not (ADULT / "adult.test").exists():
        RESULTS.left_out("Adult", "adult.data and adult.test are not at hand (SHOAL_DATA)")
        return
    trees = {}
    for name in QUASI:
        with (ADULT / "hierarchies" / f"{name}.csv").open(newline="") as file:
            trees[name] = list(csv.reader(file, delimiter=";"))
    domains = [Domain(trees[name]) for name in QUASI]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        rows = write_adult(file, most)

        def line(name: str, seconds: float, published: Mapping[tuple[str, ...], int]) -> float:
            lost = ncp(published, domains, rows)
            gone = rows - sum(published.values())
            kept = min(published.values(), default=K) >= K
            RESULTS.add(name, seconds, note=f"NCP {lost:.4f}, {gone:,} suppressed{'' if kept else ', NOT k-anonymous'}")
            return lost

        ours = {
            name: (percent, seconds, line(f"shoal, {name}", seconds, made))
            for name, percent, seconds, made in _shoal(file, repeat)
        }
        if not OTHERS.exists():
            RESULTS.left_out("ANJANA and anonypy", "not installed (make .venv-rivals/.ready)")
            return
        theirs = {}
        asked = {"rows": str(file), "quasi": QUASI, "sensitive": SENSITIVE, "k": K, "hierarchies": trees}
        for percent in SUPPRESSIONS:
            made = _asked({**asked, "tool": "anjana", "suppression": percent})
            lost = line(f"ANJANA, up to {percent} % suppressed", *made)
            theirs[percent] = (made[0], lost)
        made = _asked({**asked, "tool": "anonypy"})
        line("anonypy, Mondrian", *made)
    least = min(made[0], *(seconds for seconds, _ in theirs.values()))
    for name, (percent, seconds, lost) in ours.items():
        other, as_many = min(lost for _, lost in theirs.values()), theirs[percent][1]
        note = f"NCP {lost / other:.2f} x the least of ANJANA"
        if name != "mondrian":
            note += f", {lost / as_many:.2f} x that of as many"
        met = seconds < least and (lost < other or name != "mondrian")
        wanted = Wanted("both below 1 x" if name == "mondrian" else "time below 1 x", met)
        RESULTS.add(f"{name}, beside them", ratio=seconds / least, to="the fastest of them", note=note, wanted=wanted)


def _shoal(file: Path, repeat: int) -> Iterator[tuple[str, int, float, Counter[tuple[str, ...]]]]:
    """How it was made, how many in a hundred rows could be suppressed, median seconds, warm, and what is published."""
    import shoal

    people = shoal.read_table(file, quasi=QUASI, sensitive=SENSITIVE)
    trees = {
        name: shoal.read_hierarchy(ADULT / "hierarchies" / f"{name}.csv", column=people.column(name)) for name in QUASI
    }
    ways = {
        "mondrian": (0, {"strategy": "mondrian"}),
        "bottom-up": (0, {}),
        "bottom-up, NCP as loss, up to 5 % suppressed": (5, {"loss": "ncp", "max_suppressed": 0.05}),
    }
    for name, (percent, options) in ways.items():
        work = partial(shoal.k_anonymity, people, K, hierarchies=trees, **options)
        made = work()
        seconds = statistics.median(cpu(work) for _ in range(repeat))
        cells = zip(*([column.tree.labels[node] for node in column.nodes] for column in made.quasi), strict=True)
        yield name, percent, seconds, Counter(cells)


def _asked(asked: dict[str, object]) -> tuple[float, dict[tuple[str, ...], int]]:
    """What another tool says."""
    command = [str(OTHERS), str(Path(__file__).with_name("other_tools.py"))]
    done = subprocess.run(command, input=json.dumps(asked), check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    return found["seconds"], {tuple(cells): number for cells, number in found["published"]}
