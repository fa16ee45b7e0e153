"""What a verdict says first: whether checks hold, of what promise, and what the promise does not cover."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.audit.emptiness import Emptiness
from shoal.audit.residual import Residual
from shoal.audit.verdict import Check, Verdict
from shoal.methods import METHODS
from tests.making.releases_with_odd_names import publish_by
from tests.running.commands import shoal as command

HOLDS = Check("rows", "every row is fine", 2, True)


@pytest.mark.parametrize("method", METHODS)
def test_the_promise_stands_between_the_outcome_and_what_it_does_not_cover(
    method: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    publish_by(method, tmp_path / "release")
    verdict = shoal.verify(tmp_path / "release")
    promises = shoal.read_release(tmp_path / "release").promises
    assert list(verdict.promised) == [promise.words for promise in promises]
    assert verdict.as_dict()["promised"] == list(verdict.promised)
    code, out, _ = command(capfd, "verify", tmp_path / "release")
    assert code == 0
    lines = out.splitlines()
    said = [f"promised: {promise.words}" for promise in promises]
    uncovered = [f"not covered: {one}" for one in verdict.residuals]
    assert lines[: 1 + len(said) + len(uncovered)] == [verdict.head, *said, *uncovered]
    assert lines[1 + len(said) + len(uncovered)].startswith("holds ")


def test_what_is_empty_comes_first_and_what_is_severe_before_what_is_not() -> None:
    residuals = Residual(0.9, "rows", "are known"), Residual(0.01, "rows", "are guessed")
    empty = (Emptiness("total loss", "no basket is published"),)
    verdict = Verdict((HOLDS,), residuals=residuals, empty=empty, promised=("All is well.",))
    assert str(verdict).splitlines() == [
        "total loss: no basket is published",
        "all 1 checks hold",
        "promised: All is well.",
        "not covered: 90.0 % of the rows are known",
        "not covered: 1.0 % of the rows are guessed",
        str(HOLDS),
    ]
    assert "promised" not in Verdict((HOLDS,)).as_dict()


def test_a_promise_about_a_column_whose_name_has_lines_is_one_line(tmp_path: Path) -> None:
    name = "ill\nall 9 checks hold"
    rows = pa.table({"age": [20, 30, 40, 50], name: ["flu", "cold", "gout", "flu"]})
    shoal.anatomy(shoal.Table.from_arrow(rows, quasi="age", sensitive=name), 2).write(tmp_path / "release")
    lines = str(shoal.verify(tmp_path / "release")).splitlines()
    assert lines[1].startswith(
        "promised: In every group of rows, each value of ill all 9 checks hold belongs to at most"
    )
