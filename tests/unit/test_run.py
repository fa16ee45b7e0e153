"""One value for how work runs: it goes to whoever works, and nothing else makes threads or takes chance."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.run import DEFAULT_RUN, Run

SRC = Path(shoal.__file__).parent
OWN = {"progress", "threads"}
OUTERMOST = {"cli", "kernels", "engine", "interruption.py", "run.py"}
"""Who makes a run, works without one, or is what it is made of."""


class Counting:
    """An engine that works by itself and counts."""

    def __init__(self) -> None:
        self.maps = 0

    def map(self, work: Any, parts: Any, _waiting: Any = None) -> Iterator[Any]:
        self.maps += 1
        return map(work, parts)


def baskets() -> shoal.Transactions:
    return shoal.quest(400, n_items=30, seed=1)


def test_no_function_takes_progress_or_threads_by_itself() -> None:
    found = []
    for path in SRC.rglob("*.py"):
        if path.relative_to(SRC).parts[0] not in OUTERMOST:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef):
                    arguments = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
                    found += [f"{path.name} {node.name}" for _ in arguments & OWN]
    assert not found


def test_nobody_but_the_engine_makes_threads() -> None:
    makers = {"ThreadPoolExecutor", "Thread", "ProcessPoolExecutor"}
    found = {
        str(path.relative_to(SRC))
        for path in SRC.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Name | ast.Attribute) and (getattr(node, "id", getattr(node, "attr", ""))) in makers
    }
    assert found == {"engine/threads.py", "study/job_process.py"}  # the latter watches its parent


@pytest.mark.parametrize(
    "work",
    [
        lambda run: shoal.disassociate(baskets(), 3, 2, run=run),
        lambda run: shoal.disassociate(baskets(), 3, 2, vertical="best", run=run),
        lambda run: shoal.mask(baskets(), 0.9, run=run.drawing(1)),
        lambda run: shoal.risk(baskets(), run=run.drawing(1)),
    ],
)
def test_the_engine_that_is_given_does_the_work_and_changes_no_result(work: Any) -> None:
    engine = Counting()
    assert repr(work(Run(engine=engine))) == repr(work(Run(engine=shoal.Threads(3))))
    assert engine.maps


def test_progress_and_chance_go_where_they_are_sent() -> None:
    stages: list[str] = []

    def note(stage: str, _done: int, _total: int) -> None:
        stages.append(stage)

    first, again = (shoal.mask(baskets(), 0.9, run=Run(progress=note, chance=7)) for _ in range(2))
    assert "sort rows" in stages
    assert first.items.tolist() == again.items.tolist()
    assert first.items.tolist() != shoal.mask(baskets(), 0.9, run=Run(chance=8)).items.tolist()
    assert not shoal.mask(baskets(), 0.9).reproducible


def test_stages_are_named_as_parts_of_a_whole() -> None:
    told: list[tuple[str, int, int]] = []
    run = Run(progress=lambda *step: told.append(step))
    run.within("2 of 3: ").report("write", 1, 4)
    run.within("2 of 3: ").report("compile", 0, 1)
    run.as_stage("backwards").report("look", 5, 6)
    DEFAULT_RUN.report("look", 5, 6)
    assert told == [("2 of 3: write", 1, 4), ("compile", 0, 1), ("backwards", 5, 6)]
