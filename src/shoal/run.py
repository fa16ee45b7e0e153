"""How work runs: on which engine, who hears of its progress, and where its random numbers come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from shoal.loading import loaded

Part = TypeVar("Part")
Result = TypeVar("Result")
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""


class Engine(Protocol):
    """Where parts of some work run; results do not depend on it."""

    def map(
        self, work: Callable[[Part], Result], parts: Sequence[Part], waiting: Callable[[], None] | None = None
    ) -> Iterable[Result]:
        """The results in the order of the parts; ``waiting`` is called a few times a second until they are there."""
        ...


def silent(_stage: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True)
class Run:
    """How work runs. Everything that takes long, or draws random numbers, takes one.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"bread", "milk"}, {"bread"}, {"milk"}])
        >>> shoal.mask(baskets, keep_prob=0.9, run=shoal.Run(chance=7)).reproducible
        True
    """

    engine: Engine | None = None
    """Where it runs; by default on one thread for each processor (:class:`shoal.Threads`)."""
    progress: Progress = silent
    """Called with (stage, done, total)."""
    chance: int | None = None
    """A whole number from 0 on, for experiments: the same random numbers again. By default the operating system's."""

    @property
    def workers(self) -> Engine:
        """The engine that was chosen, or the default one."""
        engine: Engine = loaded("shoal.engine.threads:DEFAULT") if self.engine is None else self.engine
        return engine

    def report(self, stage: str, done: int, total: int) -> None:
        """Report that so much of a stage is done."""
        self.progress(stage, done, total)

    def map(
        self, work: Callable[[Part], Result], parts: Sequence[Part], waiting: Callable[[], None] | None = None
    ) -> Iterable[Result]:
        """Work on all parts; the results in their order, each as soon as it and those before it are there."""
        return self.workers.map(work, parts, waiting)

    def reporting_to(self, progress: Progress) -> Run:
        """The same, with its progress reported elsewhere."""
        return replace(self, progress=progress)

    def within(self, prefix: str) -> Run:
        """The same as a part of something larger: stages are reported with a prefix, but for compiling kernels."""

        def report(stage: str, done: int, total: int) -> None:
            self.progress(stage if stage == "compile" else f"{prefix}{stage}", done, total)

        return replace(self, progress=report)

    def as_stage(self, name: str) -> Run:
        """The same as one stage of something larger: all of its reports bear the name of that stage."""
        return replace(self, progress=lambda _stage, done, total: self.progress(name, done, total))

    def drawing(self, chance: int | None) -> Run:
        """The same, with other random numbers."""
        return replace(self, chance=chance)


DEFAULT_RUN = Run()
"""All processors, no reports, and the operating system's random numbers."""
