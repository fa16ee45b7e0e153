"""Work on parts, by several threads at once; the results do not depend on how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


class Pool:
    """A few threads that take parts of some work; kernels release the interpreter lock, so they run side by side."""

    def __init__(self, executor: ThreadPoolExecutor | None) -> None:
        self._executor = executor

    def map(self, work: Callable[[Part], Result], parts: Sequence[Part]) -> Iterable[Result]:
        """The results in the order of the parts, each as soon as it and those before it are there."""
        if self._executor is None or len(parts) < 2:
            return map(work, parts)
        return self._executor.map(work, parts)


@contextmanager
def thread_pool(threads: int | None = None) -> Iterator[Pool]:
    """A pool of so many threads; by default one for each processor that this process may use."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads == 1:
        yield Pool(None)
        return
    executor = ThreadPoolExecutor(threads, thread_name_prefix="shoal")
    try:
        yield Pool(executor)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
