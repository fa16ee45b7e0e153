"""Comparisons in this process: how far the whole is."""

from __future__ import annotations

from pathlib import Path

import shoal
from shoal.run import Run
from shoal.study.compare import WHOLE
from tests.making import study_data


def test_progress_is_that_of_the_whole_and_of_each_run(tmp_path: Path) -> None:
    """Runs count to the end, also those that had been done before."""
    data, folder = study_data.baskets(), tmp_path / "numbers"
    told: list[tuple[str, int, int]] = []

    def compare(methods: str) -> list[tuple[int, int]]:
        told.clear()
        shoal.compare(data, methods=methods, k=100, folder=folder, run=Run(progress=lambda *step: told.append(step)))
        return [(done, total) for stage, done, total in told if stage == WHOLE]

    assert compare("disassociate,km-generalization") == [(0, 2), (1, 2), (2, 2)]
    stages = {stage.partition(": ")[0] for stage, *_ in told} - {"compile"}
    assert stages == {WHOLE, "1 of 2, disassociate", "2 of 2, km-generalization"}
    assert compare("disassociate,km-generalization") == [(0, 2), (1, 2), (2, 2)]
    assert {stage for stage, *_ in told} == {WHOLE}
