"""What every release is asked, whatever its shape: its entry in the registry names what answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.analyse.answers import Answers
    from shoal.mining.task import Mined, Task
    from shoal.release import Release


def query(release: Release, queries: str | Iterable[Any], *, progress: Any = None, **options: Any) -> Answers:
    """Count the records with some items, or the rows that meet conditions; see :meth:`shoal.release.Release.query`."""
    shape = SHAPES[release.shape]
    given = _given(shape.called, shape.asks, options)
    wanted: list[Any] = [queries] if isinstance(queries, str) else list(queries)
    if shape.data == "baskets":
        wanted = [(one,) if isinstance(one, str) else tuple(dict.fromkeys(one)) for one in wanted]
    answers: Answers = shape.load("query")(release, wanted, progress=progress, **given)
    return answers


def mine(release: Release, task: Task, *, threads: int | None = None, progress: Any = None, **options: Any) -> Mined:
    """Find frequent itemsets or rules between them; see :meth:`shoal.release.Release.mine`."""
    shape = SHAPES[release.shape]
    given = _given(shape.called, shape.mines, options)
    miner = shape.load("mine")
    if miner is None:
        raise InputError(f"itemsets are found in baskets, and this is {shape.called}: query it")
    if task.kind != "all" and "kind" not in shape.mines:
        raise InputError(f"{task.kind} itemsets need exact counts, and this is {shape.called}: leave out the kind")
    found: Mined = miner(release, task, threads=threads, progress=progress, **given)
    return found


def _given(called: str, known: frozenset[str], options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; one that says nothing about this shape is refused."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    idle = sorted(given.keys() - known)
    if idle:
        raise InputError(f"{', '.join(idle)} does not apply to {called}: leave it out")
    return given
