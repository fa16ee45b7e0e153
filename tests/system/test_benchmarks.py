"""The benchmarks run: one that nobody runs is wrong before long."""

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_the_table_is_printed_to_its_end():
    sizes = [
        "--records",
        "2000",
        "--risk-records",
        "1000",
        "--growth",
        "500",
        "1000",
        "--people",
        "500",
        "800",
        "1000",
        "--adult-rows",
        "300",
        "--randomized-records",
        "300",
        "--repeat",
        "1",
        "--skip-compile",
    ]
    done = subprocess.run([sys.executable, BENCHMARKS / "run.py", *sizes], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for line in (
        "both of them",
        "the whole command, warm",
        "its peak memory",
        "shoal risk -m 3 on 1,000 records",
        "refining",
        "times the CPU of the command",
        "the same",
        "mining T10I4D100K",
        "hybrid of flips",
        "m = 3, 2,000 baskets",
        "bytes of peak memory a row more",
        "quasi-identifiers, k = 5",
        "grows like",
    ):
        assert line in done.stdout


def test_the_table_of_reconstructions_can_be_computed():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import reconstructions
    finally:
        sys.path.remove(str(BENCHMARKS))
    import shoal

    baskets = shoal.quest(300, n_items=30, seed=1)
    found = shoal.utility(baskets, shoal.disassociate(baskets, 3, 2), ranges=reconstructions.RANGES, seed=1)
    first = reconstructions.rows("made up", found)[0].split()
    assert first[:3] == ["made", "up", "0-20"]
    assert len(first) == 4 + len(reconstructions.NAMES)


def test_the_table_of_cluster_sizes_can_be_computed():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import cluster_size
    finally:
        sys.path.remove(str(BENCHMARKS))
    import shoal

    baskets = shoal.read([{"a", "b"}] * 6 + [{"a", "c"}] * 2)
    assert cluster_size.pairs_kept(baskets, 3, 12) == 6 / 8


def test_the_loss_of_labels_ranges_and_sets_is_measured_alike():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import rivals
    finally:
        sys.path.remove(str(BENCHMARKS))

    age = rivals.Domain([("1", "0-4", "*"), ("2", "0-4", "*"), ("4", "0-4", "*"), ("5", "5-9", "*"), ("7", "5-9", "*")])
    assert [age.lost(cell) for cell in ("7", "0-4", "2-5", "*")] == [0, 0.5, 0.5, 1]
    job = rivals.Domain([("Own-not-inc", "Own", "*"), ("State", "Gov", "*"), ("Local", "Gov", "*")])
    assert [job.lost(cell) for cell in ("Own", "Gov", "State,Own-not-inc", "*")] == [0, 0.5, 0.5, 1]
    # Two rows that cost half in one column of two, one that costs all in both, and one that is not published.
    assert rivals.ncp({("2-5", "State"): 2, ("*", "*"): 1}, [age, job], 4) == (2 * 0.25 + 1 + 1) / 4
