"""One browser for all tests that look at pages, kept to one process of a parallel run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import Look, chromium, look, need_browser

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser is many processes: with `--dist loadgroup` one worker has it."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    need_browser()
    with chromium() as started:
        yield started


@pytest.fixture(name="look")
def look_at(browser: Browser) -> Callable[..., AbstractContextManager[Look]]:
    """`with look(path, scheme="dark", width=390) as seen:` opens a page."""
    return partial(look, browser)
