"""Work on parts, by several threads at once; the results do not depend on how many there are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


class Pool:
    """A few threads that take parts of some work; kernels release the interpreter lock, so they run side by side.

    Without an executor, whoever asks for the results works on the parts.
    """

    def __init__(self, executor: ThreadPoolExecutor | None) -> None:
        self._executor = executor

    def map(
        self, work: Callable[[Part], Result], parts: Sequence[Part], waiting: Callable[[], None] | None = None
    ) -> Iterable[Result]:
        """The results in the order of the parts, each as soon as it and those before it are there.

        Meanwhile ``waiting`` is called a few times a second; by raising something it ends the wait.
        """
        if self._executor is None:
            return map(work, parts)
        if waiting is None:
            return self._executor.map(work, parts)
        return _awaited(deque(self._executor.submit(work, part) for part in parts), waiting)


def _awaited(coming: deque[Future[Result]], waiting: Callable[[], None]) -> Iterator[Result]:
    while coming:
        while not wait([coming[0]], timeout=0.2).done:
            waiting()
        yield coming.popleft().result()


@contextmanager
def thread_pool(threads: int | None = None) -> Iterator[Pool]:
    """A pool of so many threads; by default one for each processor that this process may use.

    Even one is a thread of its own: whoever waits for it can be interrupted at any time.
    """
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    executor = ThreadPoolExecutor(threads, thread_name_prefix="shoal")
    try:
        yield Pool(executor)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
