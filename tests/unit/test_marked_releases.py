"""A release that is one of several of the same people is marked: its folder, every verdict on it, and info say so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal import pipeline
from shoal.data.item_hierarchies import neighbours
from shoal.data.node_tree import NodeTree
from shoal.io.release_folder import MANIFEST, read_release
from shoal.methods import METHODS
from shoal.promises import KmGeneralized, UnboundedDifferentialPrivacy
from shoal.release import Release
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.study.original import Original
from tests.making.study_data import baskets, people
from tests.running.commands import shoal

TREE = NodeTree.from_hierarchy(neighbours(["a", "b"]))
BOTTOM = np.flatnonzero(TREE.is_bottom)[:1].astype(np.int32)


def published(name: str) -> Release:
    method = METHODS[name]
    original = Original.of(baskets() if method.about == "baskets" else people())
    return method.make(original, method.settings({"l": 2}))


RELEASES: dict[str, Any] = {
    "disassociated": lambda: published("disassociate"),
    "randomized": lambda: published("mask"),
    "bucketized": lambda: published("injector"),
    "generalized": lambda: published("mondrian-hidden"),
    "generalized baskets": lambda: GeneralizedBaskets(
        KmGeneralized(2, 1), TREE, np.arange(3), np.repeat(BOTTOM, 2), discloses_hierarchy=True
    ),
    "noisy baskets": lambda: NoisyBaskets(UnboundedDifferentialPrivacy(1.0), TREE, np.arange(2), BOTTOM, np.array([9])),
}


@pytest.mark.parametrize("shape", RELEASES)
def test_every_shape_can_be_marked(shape: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    release = RELEASES[shape]()
    plain, marked = tmp_path / "plain", tmp_path / "marked"
    pipeline.write(release, plain)
    assert pipeline.write(release, marked, mark="one of several").holds
    assert json.loads((marked / MANIFEST).read_text())["do_not_publish"] == "one of several"
    assert "do_not_publish" not in (plain / MANIFEST).read_text()
    assert repr(read_release(marked)) == repr(release)
    verdict, before = pipeline.verify(marked), pipeline.verify(plain)
    assert verdict.holds
    assert not verdict.confirmed
    assert "do not publish" in verdict.head
    assert "do not publish" not in str(before)
    assert verdict.checks == before.checks
    code, out, _ = shoal(capfd, "verify", marked)
    assert code == 0
    assert "do not publish" in out.splitlines()[0]
    code, out, _ = shoal(capfd, "info", marked)
    assert code == 0
    assert out.startswith("do not publish: one of several releases of the same people")
    code, out, _ = shoal(capfd, "info", marked, "--json")
    assert json.loads(out)["do_not_publish"] is True
    code, out, _ = shoal(capfd, "info", plain)
    assert "do not publish" not in out
