"""Options that all publishing commands have, and that act once a release stands: what they get, and when."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
import typer

import shoal as api
from shoal import pipeline
from shoal.cli.publish import publishing
from shoal.cli.publish.plans import SavePlan
from shoal.cli.publish.publishing import Acted, AfterPublishing, Published
from shoal.cli.terminal import Progress
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from tests.running.commands import shoal

Captured = pytest.CaptureFixture[str]


class Remember(AfterPublishing):
    """An option that keeps what it gets."""

    parameters: ClassVar = {"remember": (Annotated[bool, typer.Option("--remember")], False)}

    def __init__(self, wants_data: bool) -> None:
        self.wants_data = wants_data
        self.got: list[Published] = []

    def check(self, values: Mapping[str, Any], out: Path, *, force: bool) -> bool:
        assert not out.exists() or force
        return bool(values["remember"])

    def act(self, values: Mapping[str, Any], published: Published, progress: Progress, *, force: bool) -> Acted:
        assert values == {"remember": True}
        assert not force
        progress("remember", 1, 1)
        assert api.verify(published.out).holds  # the release stands
        self.got.append(published)
        return Acted("remembered", {"remembered": True})


@pytest.fixture(params=[True, False], ids=["with data", "without"])
def remember(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Remember:
    made = Remember(request.param)
    monkeypatch.setattr(publishing, "after_publishing", lambda: (SavePlan(), made))
    monkeypatch.chdir(tmp_path)
    return made


def test_what_is_handed_over(capfd: Captured, remember: Remember, baskets: Path) -> None:
    kinds = {"bread": "usual", "milk": "usual", "tea": "other", "caviar": "other", "hiv": "other"}
    Path("items.csv").write_text("".join(f"{item},{kind},all\n" for item, kind in kinds.items()))
    options = ["-k", 3, "-m", 2, "--hierarchy", "items.csv", "-o", "release", "--remember", "--save-plan", "plan.toml"]
    code, out, err = shoal(capfd, "publish", "km-generalization", baskets, *options)
    assert code == 0, err
    assert out.endswith("remembered\n")
    (got,) = remember.got
    assert got.method == "km-generalization"
    assert [(choice.name, choice.value) for choice in got.choices] == [
        ("k", 3),
        ("m", 2),
        ("hierarchy", Path("items.csv")),
    ]
    assert got.source.file == str(baskets)
    assert got.out == Path("release")
    assert got.verdict.holds
    assert got.release.counts["rows"] == 27
    assert got.hierarchies is not None
    assert (got.data is not None) is remember.wants_data
    if remember.wants_data:
        assert isinstance(got.data, Transactions)
        assert len(got.data) == 27
    assert "remember" not in Path("plan.toml").read_text()


def test_tables_come_with_the_hierarchies_of_columns(capfd: Captured, remember: Remember) -> None:
    Path("people.csv").write_text("age,sex\n" + "30,f\n31,f\n30,m\n31,m\n" * 5)
    options = ["--quasi", "age,sex", "-k", 5, "--hierarchy", "sex=flat", "-o", "release", "--remember"]
    assert shoal(capfd, "publish", "k-anonymity", "people.csv", *options)[0] == 0
    (got,) = remember.got
    assert list(got.hierarchies) == ["sex"]  # type: ignore[arg-type]
    assert isinstance(got.data, Table) is remember.wants_data


def test_nothing_acts_on_what_was_not_published(capfd: Captured, remember: Remember, baskets: Path) -> None:
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", "release"]
    assert shoal(capfd, *command, "--remember", "--sensitive", "nobody", "-l", 2)[0] == 2
    assert shoal(capfd, *command)[0] == 0
    assert not remember.got


def test_data_are_let_go_before_writing_unless_somebody_wants_them(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch, remember: Remember, baskets: Path
) -> None:
    alive = []
    write = pipeline.write

    def looked_at(*arguments: Any, **options: Any) -> Any:
        gc.collect()
        alive.append(sum(isinstance(one, Transactions) and len(one) == 27 for one in gc.get_objects()))
        return write(*arguments, **options)

    monkeypatch.setattr(pipeline, "write", looked_at)
    gc.collect()
    before = sum(isinstance(one, Transactions) and len(one) == 27 for one in gc.get_objects())
    command = ["publish", "disassociate", baskets, "-k", 3, "-m", 2, "-o", "release", "--remember"]
    assert shoal(capfd, *command)[0] == 0
    assert alive == [before + remember.wants_data]
