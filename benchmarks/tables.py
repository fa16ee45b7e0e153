"""Tables with a sensitive column: Injector as a whole command, on Adult, and on synthetic people by number."""

from __future__ import annotations

import csv
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from beside import DATA
from clock import child
from results import RESULTS, Wanted, at_most

SHOAL = str(Path(sys.executable).with_name("shoal"))
ADULT = DATA / "adult"
COLUMNS = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,"
    "capital-loss,hours-per-week,native-country,salary-class"
)
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex")


def write_adult(target: Path, most: int | None = None) -> int:
    """Write the rows of both files of Adult in which no value is missing, 45,222, with a line of names; how many."""
    names = COLUMNS.split(",")
    lines = [line for name in ("adult.data", "adult.test") for line in (ADULT / name).read_text().splitlines()]
    rows = [[cell.strip() for cell in line.rstrip(".").split(",")] for line in lines]
    rows = [row for row in rows if len(row) == len(names) and "?" not in row][:most]
    with target.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return len(rows)


def adult(repeat: int) -> None:
    """Read, mine, bucket, write, read back and verify the 30,718 complete rows of Adult."""
    RESULTS.section("Tables: Injector")
    rows = ADULT / "adult.data"
    if not rows.exists():
        RESULTS.left_out("shoal publish injector, Adult", f"adult.data is not in {DATA.name} (SHOAL_DATA)")
        return
    trees = [f"--hierarchy={name}={ADULT / 'hierarchies' / name}.csv" for name in QUASI]
    command = ["--column-names", COLUMNS, "--missing", "drop", "--quasi", ",".join(QUASI), "--sensitive", "occupation"]
    seconds, peak = _published([rows, *command, *trees, "-l", "6"], repeat)
    name = "shoal publish injector, 30,718 rows of Adult (the whole command, warm)"
    RESULTS.add(name, seconds, memory=peak, wanted=at_most(2, seconds))
    seconds = statistics.median(_in_process(rows, repeat))
    RESULTS.add("the same in a process: read, mined, bucketed, written and verified", seconds)


def _in_process(rows: Path, repeat: int) -> list[float]:
    """The same without the start of a process, in one where kernels are loaded."""
    script = (
        "import sys, time, shoal\n"
        f"names, quasi = {COLUMNS.split(',')!r}, {QUASI!r}\n"
        "def work():\n"
        f"    people = shoal.read_table({str(rows)!r}, column_names=names, quasi=quasi, sensitive='occupation',\n"
        "                              missing='drop')\n"
        "    trees = {name: shoal.read_hierarchy("
        f"{str(ADULT / 'hierarchies')!r} + '/' + name + '.csv', column=people.column(name)) for name in quasi}}\n"
        "    shoal.injector(people, 6, hierarchies=trees).write(sys.argv[1], force=True)\n"
        "work()\n"
        f"for _ in range({repeat}):\n"
        "    start = time.process_time()\n"
        "    work()\n"
        "    print(time.process_time() - start)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", script, str(Path(folder) / "release")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


def people(sizes: list[int], repeat: int) -> None:
    """The same for synthetic people: how time and memory grow."""
    start = statistics.median(child([SHOAL, "publish", "injector", "--help"])[0] for _ in range(repeat))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            file = Path(folder) / f"{rows}.parquet"
            subprocess.run([SHOAL, "generate", "people", "--rows", str(rows), "--seed", "1", "-o", file], check=True)
            columns = ["--quasi", "age,sex,education,occupation,postcode", "--sensitive", "diagnosis"]
            found.append(_published([file, *columns, "--hierarchy", "age=ranges", "-l", "4"], repeat))
            seconds, peak = found[-1]
            RESULTS.add(f"shoal publish injector, {rows:,} people", seconds, memory=peak)
    (least, small), (most, large) = found[0], found[-1]
    grown = (most - start) / (least - start)
    note = f"{most / least:.1f} times the CPU of the command, {grown:.1f} times without its start"
    RESULTS.add(f"{sizes[-1] / sizes[0]:.1f} times the rows", note=note, wanted=Wanted("at most 60 times", grown <= 60))
    note = f"{(large - small) * 2**20 / (sizes[-1] - sizes[0]):.0f} bytes of peak memory a row more"
    middle = [(size, peak) for size, (_, peak) in zip(sizes, found, strict=True)][1:-1]
    for size, peak in middle:
        straight = small + (large - small) * (size - sizes[0]) / (sizes[-1] - sizes[0])
        note += f"; at {size:,} rows {peak:.0f} MB, on a straight line {straight:.0f}"
    RESULTS.add("memory as rows grow", note=note)


def _published(arguments: list[str | Path], repeat: int) -> tuple[float, float]:
    """CPU seconds (the median) and peak memory of publishing; once more before, to be warm."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeat + 1):
            runs.append(child([SHOAL, "publish", "injector", *arguments, "-o", Path(folder) / "release", "--force"]))
    return statistics.median(seconds for seconds, _ in runs[1:]), max(peak for _, peak in runs[1:])
