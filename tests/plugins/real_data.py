"""What lies beside the clone, and the one way to it: the fixture ``beside_the_clone`` and those that are made of it.

A test that asks for one of them is marked ``beside``: ``-m beside`` selects all tests whose outcome may depend on what
lies there. To all others, and to the processes that they start, nothing lies there: the variables that name the
folders point nowhere, and opening a file in one of them is refused.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path

import pytest

from tests.making import samples

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
FOLDERS = {
    "SHOAL_DATA": Path(os.environ.get("SHOAL_DATA") or SHARED / "data"),
    "SHOAL_BENCH": Path(os.environ.get("SHOAL_BENCH") or SHARED / "bench"),
}
NOWHERE = ROOT / "nothing-is-here"

ADULT_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary-class",
]


def has_data() -> bool:
    """Whether a folder of real data is at hand, whatever is in it."""
    return FOLDERS["SHOAL_DATA"].is_dir()


class NotAskedFor(Exception):  # noqa: N818 - it reads as a sentence in a traceback
    """A test reads what lies beside the clone, and does not ask for it by a fixture."""


class Guard:
    """Whether what lies beside the clone may be opened now."""

    def __init__(self) -> None:
        self.is_open = False
        self.folders = {str(way) for path in FOLDERS.values() for way in (path.absolute(), path.resolve())}

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """Refuse, as an audit hook; what other programs and libraries in C open is not seen here."""
        if self.is_open or event not in ("open", "os.listdir", "os.scandir"):
            return
        if isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 - links stay: both ways are listed
            if any(path == folder or path.startswith(folder + os.sep) for folder in self.folders):
                raise NotAskedFor(
                    f"{path} lies beside the clone: ask for it by a fixture of tests/plugins/real_data.py"
                )


GUARD = Guard()
sys.addaudithook(GUARD)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "beside: set by a fixture: may depend on what lies beside the clone")


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "beside_the_clone" in getattr(item, "fixturenames", ()):
            item.add_marker("beside")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    GUARD.is_open = item.get_closest_marker("beside") is not None
    try:
        return (yield)
    finally:
        GUARD.is_open = False


@pytest.fixture(scope="session", autouse=True)
def nothing_beside() -> Iterator[None]:
    """Of the session, so that fixtures of modules see nothing either."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in FOLDERS:
            patch.setenv(variable, str(NOWHERE))
        yield


@pytest.fixture(scope="session")
def beside_the_clone() -> Mapping[str, Path]:
    """The folders that may lie beside the clone, by the variables that name them."""
    if not GUARD.is_open:
        raise NotAskedFor("ask for the fixture by name: one that is only found while a test runs selects no test")
    return FOLDERS


@pytest.fixture(scope="session")
def environment_beside(beside_the_clone: Mapping[str, Path]) -> dict[str, str]:
    """For processes that may use what lies beside the clone."""
    return {**os.environ, **{variable: str(path) for variable, path in beside_the_clone.items()}}


@pytest.fixture(scope="session")
def whole_file(beside_the_clone: Mapping[str, Path]) -> Callable[[str], Path]:
    """``whole_file(name)``: a whole file of real data, or the end of the test."""

    def find(name: str) -> Path:
        path = beside_the_clone["SHOAL_DATA"] / name
        if not path.exists():
            pytest.skip(f"{name} is not at hand: set SHOAL_DATA to the folder of real data")
        return path

    return find


@pytest.fixture(scope="session")
def on_sample(beside_the_clone: Mapping[str, Path]) -> bool:
    """Whether tests run on the samples of ``tests/data``, because no real data are at hand at all."""
    return not beside_the_clone["SHOAL_DATA"].is_dir()


@pytest.fixture(scope="session")
def real_file(whole_file: Callable[[str], Path], on_sample: bool) -> Callable[[str], Path]:
    """``real_file(name)``: a file of real data, or the sample of it, or the end of the test where there is neither."""

    def find(name: str) -> Path:
        sample = samples.FOLDER / name
        return sample if on_sample and sample.exists() else whole_file(name)

    return find


@pytest.fixture(scope="session")
def adult_folder(real_file: Callable[[str], Path]) -> Path:
    """The folder of the Adult data, or of the sample of them, and of their hierarchies."""
    return real_file("adult")
