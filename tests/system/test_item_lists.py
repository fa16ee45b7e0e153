"""What a promise says of the list of items: given by the steward, or read off the data, whoever publishes and how."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.promises import DifferentialPrivacy, Randomization, UnboundedDifferentialPrivacy
from shoal.run import Run
from tests.running.commands import shoal as command

BASKETS = [["a", "b"]] * 30 + [["a"]] * 20 + [["c"]] * 10
ITEMS = ["a", "b", "c", "d"]
METHODS: dict[str, tuple[Any, list[str]]] = {
    "mask": (
        lambda data, **more: shoal.mask(data, 0.9, max_basket=1, run=Run(chance=1), **more),
        ["--keep-prob=.9", "--max-basket=1"],
    ),
    "fakes": (lambda data, **more: shoal.fakes(data, 1, run=Run(chance=1), **more), ["--fakes=1"]),
    "hybrid": (
        lambda data, **more: shoal.hybrid(data, 0.9, 1, fake_length=1, max_basket=1, run=Run(chance=1), **more),
        ["--keep-prob=.9", "--fakes=1", "--fake-length=1", "--max-basket=1"],
    ),
    "diffpart": (lambda data, **more: shoal.diffpart(data, 1.0, run=Run(chance=1), **more), ["--epsilon=1"]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("given", [True, False], ids=["given", "read off the data"])
def test_python_and_the_command_record_the_same(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, method: str, given: bool
) -> None:
    publish, options = METHODS[method]
    release = publish(shoal.read(BASKETS), **({"items": ITEMS} if given else {}))
    (tmp_path / "baskets.dat").write_text("\n".join(map(" ".join, BASKETS)))
    (tmp_path / "items.txt").write_text("\n".join(ITEMS))
    more = [f"--items={tmp_path / 'items.txt'}"] if given else []
    out = tmp_path / "release"
    code, _, err = command(capfd, "publish", method, tmp_path / "baskets.dat", *options, *more, "--seed=1", "-o", out)
    assert code == 0, err
    assert ("the list of items comes from the data" in err) is (not given and method != "fakes")
    read = shoal.read_release(out)
    assert {promise.item_list for promise in release.promises} == {"given" if given else "data"}
    assert release.promises == read.promises
    said = json.dumps(json.loads((out / "manifest.json").read_text())["promises"])
    assert ("it shows that someone holds each of its items" in said) is not given
    assert ("the publisher states that it was given" in said) is given


def test_a_hierarchy_gives_the_list_too() -> None:
    tree = shoal.Hierarchy.from_rows([(item, "*") for item in ITEMS])
    assert shoal.diffpart(shoal.read(BASKETS), 1.0, hierarchy=tree, run=Run(chance=1)).promise.item_list == "given"


@pytest.mark.parametrize("promise", [DifferentialPrivacy(1.0, 2), UnboundedDifferentialPrivacy(1.0)], ids=type)
def test_a_list_of_the_data_is_outside_of_epsilon_in_words(promise: Any) -> None:
    """In the sentence of the promise itself, and among what is not promised; where it was given, in neither."""
    assert "epsilon does not cover it: it shows that someone holds each item" in promise.words
    assert "Epsilon does not cover this" in promise.not_promised[0]
    given = replace(promise, item_list="given")
    assert "list of items" not in given.words
    assert "the publisher states that it was given" in given.not_promised[0]


def test_the_list_may_come_from_nowhere_else() -> None:
    for wrong in ("public", None, True):
        with pytest.raises(shoal.errors.InputError, match="must be 'given' or 'data'"):
            Randomization(0.9, 0, item_list=wrong)  # type: ignore[arg-type]
