"""``make fuzz COUNT=5000 SEED=1``: many small hostile inputs, and an oracle for what verifies.

The run follows from its seed and the numbers of its cases alone. Exit code 1: a case failed; what it was is kept in a
folder of its own, with the command that runs it again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fuzz import runner

_MOST_KEPT = 50


def main(arguments: list[str]) -> int:
    """Run cases, or one again, and say how they ended."""
    asked = _parser().parse_args(arguments)
    for one in (signal.SIGINT, signal.SIGTERM):  # a shell starts what runs in its background deaf to Ctrl-C
        signal.signal(one, signal.default_int_handler)
    roots = [root for root in ("/dev/shm",) if os.access(root, os.W_OK)]
    root = Path(tempfile.mkdtemp(prefix="shoal-fuzz-", dir=roots[0] if roots else None))
    try:
        seeds = root / "seeds"
        seeds.mkdir()
        subprocess.run([sys.executable, "-m", "tests.fuzz.seeds", str(seeds)], check=True)
        if asked.case is not None:
            return _again(asked.seed, asked.case, seeds, root, asked.keep)
        return _all(asked, seeds, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="how many cases")
    parser.add_argument("--seed", type=int, default=1, help="what the cases follow from")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--workers", type=int, default=2, help="how many processes run cases")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where failures are kept")
    parser.add_argument("--case", type=int, help="run this case only, and leave its files in --keep")
    return parser


def _all(asked: argparse.Namespace, seeds: Path, root: Path) -> int:
    began = said = time.monotonic()
    shown = 0

    def tell(tally: runner.Tally) -> None:
        nonlocal said
        if time.monotonic() - said > 30:
            said = time.monotonic()
            rate = tally.count / (said - began)
            print(
                f"{tally.count:,} of {asked.count:,} cases, {len(tally.failures):,} failures, {rate:.0f} a second",
                flush=True,
            )

    def keep(told: dict[str, Any], case: Path) -> None:
        nonlocal shown
        shown += 1
        if shown > _MOST_KEPT:
            return
        folder = asked.keep / f"{asked.seed}-{told['number']}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if case.is_dir():
            shutil.copytree(case, folder / "case", symlinks=True)
        again = f"python -m tests.fuzz --seed {asked.seed} --case {told['number']}"
        (folder / "again").write_text(f"{again}\n")
        (folder / "told.json").write_text(json.dumps(told, indent=2) + "\n")
        print(f"FAILED {told['kind']} {told.get('words', '')}: {told['wrong']}\n  again: {again}", flush=True)

    tally = runner.run(
        asked.seed,
        range(asked.first, asked.first + asked.count),
        seeds=seeds,
        place=root,
        workers=asked.workers,
        told=tell,
        keep=keep,
    )
    print(tally)
    failed = len(tally.failures)
    print(f"{time.monotonic() - began:.0f} s, seed {asked.seed}, {asked.workers} processes")
    print(f"fuzz: {tally.count - failed} passed, {failed} failed")
    return 130 if tally.interrupted else 1 if failed else 0


def _again(seed: int, number: int, seeds: Path, root: Path, keep: Path) -> int:
    """One case in this process; its files stay where failures are kept."""
    from tests.fuzz import worker
    from tests.fuzz.cases import Seeds

    signal.signal(signal.SIGALRM, worker._stop)
    here = Path.cwd()
    told = worker.run_case(number, seed, Seeds(seeds), root)
    os.chdir(here)
    folder = keep / f"{seed}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "case", folder / "case", symlinks=True)
    print(json.dumps(told, indent=2).replace("\\n", "\n"))
    print(f"its files: {folder / 'case'}")
    return 1 if "wrong" in told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
