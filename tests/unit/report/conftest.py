"""Releases by every method and reports on them, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import shoal
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.reporting.page import Report
from tests.making.releases_with_odd_names import ODD_FILE, ODD_FOLDER, publish_by

Released = tuple[Path, Transactions | Table]


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Released]:
    """The folder of a release by a method, and its original; ``odd``: with names that try to break out."""

    @cache
    def made(method: str, odd: bool) -> Released:
        folder = tmp_path_factory.mktemp("releases") / (ODD_FOLDER if odd else "release")
        return folder, publish_by(method, folder, odd=odd)

    return lambda method, odd=False: made(method, odd)


@pytest.fixture(scope="session")
def reported(released: Callable[..., Released]) -> Callable[..., Report]:
    """The report on such a release, beside its original or public."""

    @cache
    def made(method: str, public: bool, odd: bool) -> Report:
        folder, original = released(method, odd)
        source = folder.with_name(ODD_FILE) if odd else None
        return shoal.report(folder, None if public else original, source=source)

    return lambda method, public=False, odd=False: made(method, public, odd)
