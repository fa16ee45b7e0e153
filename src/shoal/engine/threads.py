"""Work on parts, by several threads at once; the results do not depend on how many there are."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeVar

from shoal.limits import require_whole

Part = TypeVar("Part")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Threads:
    """A few threads that take parts of some work; kernels release the interpreter lock, so they run side by side.

    They start when they are first needed, and stay for more work. Even one is a thread of its own, so that waiting for
    it can be interrupted at any time.

    Example:
        >>> list(Threads(2).map(abs, [-3, -2]))
        [3, 2]
    """

    number: int | None = None
    """How many; by default one for each processor that this process may use."""

    def __post_init__(self) -> None:
        if self.number is not None:
            require_whole("threads", self.number, least=1)

    def map(
        self, work: Callable[[Part], Result], parts: Sequence[Part], waiting: Callable[[], None] | None = None
    ) -> Iterator[Result]:
        """The results in the order of the parts, each as soon as it and those before it are there.

        Meanwhile ``waiting`` is called a few times a second; by raising something it ends the wait.
        """
        todo = iter(parts)
        coming: deque[Future[Result]] = deque()
        try:
            while True:
                for part in islice(todo, self._ahead - len(coming)):
                    coming.append(self._executor.submit(work, part))
                if not coming:
                    return
                while not wait([coming[0]], timeout=0.2 if waiting else None).done:
                    if waiting:
                        waiting()
                yield coming.popleft().result()
        finally:  # whatever ended the wait; what runs already is not waited for
            for future in coming:
                future.cancel()

    @property
    def _ahead(self) -> int:
        """How many parts are begun or have results that nobody took yet: memory, and what an error leaves running."""
        return 4 * self._executor._max_workers

    @cached_property
    def _executor(self) -> ThreadPoolExecutor:
        number = self.number
        if number is None:
            number = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return ThreadPoolExecutor(number, thread_name_prefix="shoal")


DEFAULT = Threads()
"""The threads of everyone who chose none."""
