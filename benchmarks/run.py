"""What ``make bench`` prints: Shoal beside a literal C++ of the paper, in one run, because machines are noisy.

The same figures are written to ``.bench/results.json``, of which ``page.py`` makes docs/performance.md. Times are CPU
seconds, memory is the peak of the process. The generator of baskets and the C++ stand beside the project
(``../shared/bench``, or where SHOAL_BENCH points); without them the baskets come from ``shoal generate quest`` and the
ratios are left out, which is said.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from beside import BENCH
from clock import child, cpu
from generalized_baskets import generalized_baskets
from hidden import hidden
from miners import beside_mlxtend, mining
from randomized import randomized
from results import RESULTS, Wanted, at_most
from rivals import beside_others
from tables import adult, people

from shoal.engine.threads import Threads
from shoal.run import Run

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".bench"
K, M = 5, 2


def main() -> None:
    """Run all measurements and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=515_597, help="records of the main file")
    parser.add_argument(
        "--growth",
        type=int,
        nargs="*",
        default=[250_000, 500_000, 1_000_000, 2_000_000, 4_000_000],
        help="sizes to grow over",
    )
    parser.add_argument("--risk-records", type=int, default=1_000_000, help="records to measure the risk of")
    parser.add_argument(
        "--people", type=int, nargs="+", default=[30_000, 250_000, 1_000_000], help="rows of tables to grow over"
    )
    parser.add_argument("--adult-rows", type=int, help="rows of Adult for k-anonymity; by default all")
    parser.add_argument("--randomized-records", type=int, help="records of T10I4D100K to randomize; by default all")
    parser.add_argument("--skip-compile", action="store_true", help="do not time the compilation of the kernels")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each measurement; the median counts")
    parser.add_argument("--results", type=Path, default=CACHE / "results.json", help="where to write the figures")
    args = parser.parse_args()
    CACHE.mkdir(exist_ok=True)
    baskets = made_baskets(args.records)
    RESULTS.section(f"Disassociation: {args.records:,} baskets, k = {K}, m = {M}; medians of {args.repeat} runs")
    literal = literal_seconds(baskets, args.repeat)
    row("literal C++ of HORPART and VERPART (30 5 2)", literal)
    # Commands first, while this process is small: the peak reported of a child counts its parent's size at birth.
    command(baskets, args.repeat, literal)
    risk(args.risk_records, min(3, args.repeat))
    adult(args.repeat)
    people(args.people, min(3, args.repeat))
    hidden(args.people[1:], min(3, args.repeat), args.adult_rows)
    randomized(min(3, args.repeat), args.randomized_records)
    generalized_baskets(baskets, args.records, min(3, args.repeat))
    beside_mlxtend(0.01, args.repeat)
    RESULTS.section("Starting")
    row("shoal --help", statistics.median(child([SHOAL, "--help"])[0] for _ in range(args.repeat)), bound=0.2)
    if not args.skip_compile:
        row("kernels of publishing compiled from nothing (first run)", compile_seconds(PUBLISHING), bound=20)
        row("all kernels compiled from nothing (set-up)", compile_seconds(["-m", "shoal.kernels"]))
    RESULTS.section("Disassociation: its steps, in one process, warm, with one thread")
    for name, seconds, limit in in_process(baskets, args.repeat):
        row(name, seconds, literal if limit else None, limit)
    suppression(baskets, args.repeat)
    threads(baskets, args.repeat)
    mining(args.repeat)
    beside_others(min(3, args.repeat), args.adult_rows)
    if len(args.growth) > 1:
        growth(args.growth, min(3, args.repeat))
    options = {name: value for name, value in vars(args).items() if name != "results"}
    usual = {name: parser.get_default(name) for name in options}
    RESULTS.write(args.results, {"options": options, "short": options != usual})


def row(
    name: str,
    seconds: float | None,
    against: float | None = None,
    limit: float | None = None,
    bound: float | None = None,
    memory: float | None = None,
) -> None:
    """Add one line: seconds, and how they compare with what is wanted."""
    if seconds is None:
        RESULTS.left_out(name, f"no C++ compiler, or no {BENCH.name} folder beside the project")
    elif against and limit:
        ratio = seconds / against
        RESULTS.add(name, seconds, memory=memory, ratio=ratio, to="the C++", wanted=at_most(limit, ratio, "x"))
    else:
        RESULTS.add(name, seconds, memory=memory, wanted=None if bound is None else at_most(bound, seconds))


SHOAL = str(Path(sys.executable).with_name("shoal"))
PUBLISH = [SHOAL, "publish", "disassociate", "-k", str(K), "-m", str(M)]


def made_baskets(records: int) -> Path:
    """Baskets of the size and skew of BMS-POS, made once and kept; under another name where Quest made them."""
    maker = BENCH / "make_baskets.py"
    path = CACHE / f"{'baskets' if maker.exists() else 'quest'}-{records}.dat"
    if not path.exists():
        part = path.with_suffix(".part")
        if maker.exists():
            subprocess.run([sys.executable, maker, part, "--records", str(records)], check=True)
        else:
            print("no make_baskets.py beside the project: baskets from shoal generate quest")
            subprocess.run(
                [SHOAL, "generate", "quest", "--records", str(records), "--seed", "1", "-o", part], check=True
            )
        part.rename(path)
    return path


def literal_seconds(baskets: Path, repeat: int) -> float | None:
    """What the C++ prints of its own CPU time, without reading."""
    source, compiler = BENCH / "paper_literal.cpp", shutil.which("g++")
    if not source.exists() or not compiler:
        return None
    program = CACHE / "paper_literal"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
    printed = [
        subprocess.run([program, baskets, "30", str(K), str(M)], check=True, capture_output=True, text=True).stdout
        for _ in range(repeat)
    ]
    return statistics.median(float(re.search(r"total_cpu_s ([0-9.]+)", text)[1]) for text in printed)


def in_process(baskets: Path, repeat: int) -> list[tuple[str, float, float | None]]:
    """The stages, in this process, warm, with one thread."""
    import numpy as np

    import shoal
    from shoal.pipeline import verify

    reading = [cpu(lambda: shoal.read(baskets)) for _ in range(repeat)]
    data = shoal.read(baskets)
    stages = Stages(data)
    splitting = [cpu(stages.cluster) for _ in range(repeat)]
    chunking = [cpu(stages.partition) for _ in range(repeat)]
    refining = [cpu(stages.refine) for _ in range(repeat)]
    ordering = [cpu(stages.order) for _ in range(repeat)]
    release = stages.order()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "release"
        writing = cpu(lambda: release.write(target))
        verifying = [cpu(lambda: verify(target)) for _ in range(repeat)]
    kept = np.diff(release.subrecord_offsets)
    pairs = (kept * (kept - 1)).sum() / (data.lengths * (data.lengths - 1)).sum()
    counted = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in release.counts.items())
    RESULTS.add("what is made", note=f"{counted}; {pairs:.2%} of the pairs of items stay together")
    median = statistics.median
    return [
        ("read", median(reading), None),
        ("horizontal partitioning (split, fold, chop)", median(splitting), None),
        ("vertical partitioning", median(chunking), None),
        ("both of them", median(splitting) + median(chunking), 0.2),
        ("refining (ten rounds)", median(refining), None),
        ("canonical order", median(ordering), None),
        ("write, read back, verify", writing, None),
        ("verify alone (read the folder, audit)", median(verifying), None),
    ]


class Stages:
    """The stages of publishing, each on what the one before it made."""

    def __init__(self, data: object) -> None:
        import numpy as np

        from shoal.engine.threads import Threads
        from shoal.promises import KmAnonymity

        self.data, self.promise, self.run = data, KmAnonymity(K, M), Run(engine=Threads(1))
        self.plain = np.zeros(data.n_items, np.uint8)
        # Once, so that kernels are loaded before the clock starts.
        self.cluster(), self.partition(), self.refine(), self.order()

    def cluster(self) -> None:
        """Horizontal partitioning."""
        from shoal.publish.disassociation import default_max_cluster_size
        from shoal.publish.disassociation.horizontal import cluster_records

        self.clustering = cluster_records(self.data, least=K, most=default_max_cluster_size(K))

    def partition(self) -> None:
        """Vertical partitioning."""
        from shoal.publish.disassociation.vertical import partition_clusters

        self.first = partition_clusters(self.clustering, self.promise, sensitive=self.plain, run=self.run)

    def suppress(self) -> None:
        """Vertical partitioning with local suppression."""
        from shoal.publish.disassociation.local_suppression import suppress
        from shoal.publish.disassociation.vertical import partition_clusters

        options = {"sensitive": self.plain, "run": self.run}
        found = suppress(self.clustering, self.promise, **options)
        self.less = partition_clusters(found.applied_to(self.clustering), self.promise, later=found.later, **options)

    def refine(self) -> None:
        """Refining."""
        from shoal.publish.disassociation.refine import DEFAULT_ROUNDS, refine_clusters

        self.joints, self.chunks = refine_clusters(
            self.clustering,
            self.first,
            self.promise,
            sensitive=self.plain,
            rounds=DEFAULT_ROUNDS,
            run=self.run,
        )

    def order(self) -> object:
        """The release in its canonical order."""
        import numpy as np

        from shoal.publish.disassociation.canonical import in_canonical_order
        from shoal.release.manifest import Dropped

        sizes = np.diff(self.clustering.bounds)
        release, _ = in_canonical_order(
            sizes, self.joints, self.chunks, self.data.vocabulary, self.promise, dropped=Dropped()
        )
        return release


def suppression(baskets: Path, repeat: int) -> None:
    """Local suppression beside greedy splitting, on the same clusters, in turns."""
    import shoal

    stages = Stages(shoal.read(baskets))
    stages.suppress()
    greedy, dls = [], []
    for _ in range(repeat):
        greedy.append(cpu(stages.partition))
        dls.append(cpu(stages.suppress))
    before, after = (int(chunks.pairs(0).sum()) for chunks in (stages.first, stages.less))
    ratio = statistics.median(dls) / statistics.median(greedy)
    RESULTS.add(
        "vertical partitioning with local suppression",
        statistics.median(dls),
        ratio=ratio,
        to="the greedy one",
        note=f"{after:,} pairs stay together, {before:,} without",
        wanted=at_most(6, ratio, "x"),
    )


def threads(baskets: Path, repeat: int) -> None:
    """Whether a second thread helps, and changes nothing."""
    import numpy as np

    import shoal

    data = shoal.read(baskets)
    walls, made = {}, {}
    for count in (1, 2):
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            made[count] = shoal.disassociate(data, K, M, run=Run(engine=Threads(count)))
            times.append(time.perf_counter() - start)
        walls[count] = min(times)
    same = all(
        np.array_equal(value, getattr(made[2], name))
        for name, value in vars(made[1]).items()
        if isinstance(value, np.ndarray)
    )
    note = f"one thread {walls[1]:.2f} s, two {walls[2]:.2f} s; the release is {'the same' if same else 'DIFFERENT'}"
    name = f"the three steps by the wall clock (best of {repeat})"
    RESULTS.add(name, note=note, wanted=Wanted("the same release", same))


def command(baskets: Path, repeat: int, literal: float | None) -> None:
    """The whole warm command, from start to the verified folder."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeat):
            out = str(Path(folder) / str(number))
            runs.append(child([*PUBLISH, baskets, "-o", out]))
        attack = child([SHOAL, "attack", out, "--original", baskets])
    seconds = statistics.median(run[0] for run in runs)
    peak = max(run[1] for run in runs)
    row("shoal publish disassociate (the whole command, warm)", seconds, literal, 1.5, memory=peak)
    RESULTS.add("its peak memory", memory=peak, wanted=at_most(500, peak, "MB"))
    row("shoal attack of that release with its original (one run)", attack[0], memory=attack[1])


def risk(records: int, repeat: int) -> None:
    """The risk of raw data, from the start of the command to its last line."""
    runs = [child([SHOAL, "risk", made_baskets(records), "-k", str(K), "-m", "3"]) for _ in range(repeat)]
    seconds = statistics.median(run[0] for run in runs)
    name = f"shoal risk -m 3 on {records:,} records (the whole command, warm)"
    row(name, seconds, bound=40, memory=max(run[1] for run in runs))


# What imports the rest of them.
PUBLISHING = ["-c", "from shoal.kernels import chop, horizontal, refine, shared, spread, term_lists, uncover, vertical"]


def compile_seconds(arguments: list[str]) -> float:
    """CPU that Python takes to compile kernels into a cache of its own."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, *arguments], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def growth(sizes: list[int], repeat: int) -> None:
    """CPU over the number of records: of the whole command, of the path without its start, of single stages."""
    import shoal

    def publish(baskets: Path, target: Path) -> None:
        shoal.disassociate(shoal.read(baskets), K, M).write(target)

    RESULTS.section("Disassociation: CPU seconds as baskets grow; the least of several runs")
    whole = made_baskets(max(sizes))
    commands, paths, refinings, suppressions = [], [], [], []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder) / "part.dat"
            with whole.open("rb") as source, part.open("wb") as out:
                out.writelines(line for line, _ in zip(source, range(size), strict=False))
            # The least of several runs: what a busy machine adds is not growth.
            out = [str(Path(folder) / f"command-{run}") for run in range(repeat)]
            commands.append(min(child([*PUBLISH, part, "-o", target])[0] for target in out))
            paths.append(min(cpu(publish, part, Path(folder) / str(run)) for run in range(repeat)))
            stages = Stages(shoal.read(part))
            refinings.append(min(cpu(stages.refine) for _ in range(repeat)))
            stages.suppress()
            suppressions.append(min(cpu(stages.suppress) for _ in range(repeat)))
        note = f"without its start {paths[-1]:.2f} s, refining {refinings[-1]:.2f} s, local suppression "
        RESULTS.add(f"the whole command, {size:,} baskets", commands[-1], note=f"{note}{suppressions[-1]:.2f} s")
    many = math.log(sizes[-1] / sizes[0])
    every = (commands, paths, refinings, suppressions)
    command, path, refining, less = (math.log(times[-1] / times[0]) / many for times in every)
    for name, power, bound in (
        ("the whole command", command, 1.1),
        ("the same without its start", path, None),
        ("refining", refining, 1.15),
        ("local suppression", less, 1.1),
    ):
        wanted = None if bound is None else Wanted(f"at most n^{bound:g}", power <= bound)
        RESULTS.add(f"{name} grows like", note=f"n^{power:.2f}", wanted=wanted)


if __name__ == "__main__":
    main()
