"""How the time of hiding associations grows with their number, on synthetic people.

Prints, for thresholds that find more and more of them, how many there are and the CPU seconds that hiding adds to
generalizing: section 5.2 of the paper says O(n log n), see docs/papers/hidden-associations.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import shoal

THRESHOLDS = ((0.1, 0.5), (0.05, 0.3), (0.02, 0.2), (0.01, 0.15))
"""Least support and confidence."""


def main() -> None:
    """Print the table."""
    people = shoal.Table.from_arrow(shoal.people(30_000, seed=1)).with_roles(
        quasi=["age", "sex"], sensitive=["education", "occupation", "diagnosis"]
    )
    print(f"{'associations':>12}  CPU seconds of hiding")
    for found, seconds in growth(people, 250, THRESHOLDS):
        print(f"{found:12,}  {seconds:.2f}", flush=True)


def growth(people: shoal.Table, k: int, thresholds: Sequence[tuple[float, float]]) -> Iterator[tuple[int, float]]:
    """How many associations each pair of thresholds finds, and what hiding them takes beyond generalizing."""
    shoal.k_anonymity(people, k, hide="greedy")  # which loads the kernels
    plain = shoal.k_anonymity(people, k)
    generalizing = _seconds(lambda: shoal.k_anonymity(people, k))
    for support, confidence in thresholds:
        chosen = {"min_support": support, "min_confidence": confidence}
        hiding = _seconds(lambda chosen=chosen: shoal.k_anonymity(people, k, hide="greedy", **chosen))
        yield len(shoal.group_associations(plain, support, confidence)), hiding - generalizing


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
