"""The data sets on which papers are reproduced: which of them a folder holds.

The terms of the BMS data forbid passing them on, so anyone who has them puts them into the folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import InputError

# The name of a file without its ending, case, dashes, dots and blanks.
_FILES = {
    "groceries": ("groceries",),
    "msweb": ("msweb",),
    "diabetes": ("diabetes", "icd9bypatient"),
    "T10I4D100K": ("t10i4d100k",),
    "BMS-WebView-1": ("bmswebview1", "webview1", "bmswv1", "wv1"),
    "BMS-WebView-2": ("bmswebview2", "webview2", "bmswv2", "wv2"),
    "BMS-POS": ("bmspos", "pos"),
}
DISASSOCIATION_DATA = ("BMS-POS", "BMS-WebView-1", "BMS-WebView-2", "msweb", "diabetes", "groceries", "T10I4D100K")
LOCAL_SUPPRESSION_DATA = ("groceries", "msweb", "diabetes", "T10I4D100K", "BMS-WebView-2")
RANDOMIZATION_DATA = ("BMS-WebView-1", "msweb", "diabetes", "groceries", "T10I4D100K")
_ENDINGS = re.compile(r"\.(dat|txt|fimi)(\.gz)?$")


@dataclass(frozen=True)
class Found:
    """Files by the name of their data set, and the data sets that are not there."""

    files: dict[str, Path]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Adult:
    """The Adult census data: the training file, and the test file and the hierarchies that are beside it."""

    rows: Path
    hierarchies: dict[str, Path]
    test: Path | None = None


ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "salary-class"),
)
ADULT_QUASI = ("age", "workclass", "education", "marital-status", "race", "sex")
"""The quasi-identifiers of the Injector paper; its sensitive column is the occupation."""


def find_adult(folder: Path, columns: Sequence[str] = ADULT_QUASI) -> Adult:
    """Look for the Adult data in a folder and the folders right below it, and for hierarchies of these columns.

    Raises:
        InputError: there is no such folder, or they are not in it.
    """
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give the folder that has the data sets")
    rows = next((path for path in (folder / "adult.data", folder / "adult" / "adult.data") if path.is_file()), None)
    if rows is None:
        raise InputError(
            f"{folder} holds no adult.data, the training file of the UCI data set Adult: or leave DATA out"
        )
    trees = {name: rows.parent / "hierarchies" / f"{name}.csv" for name in columns}
    test = rows.with_name("adult.test")
    return Adult(rows, {name: path for name, path in trees.items() if path.is_file()}, test if test.is_file() else None)


def find(folder: Path, names: Sequence[str] = LOCAL_SUPPRESSION_DATA) -> Found:
    """Look for data sets in a folder and the folders right below it.

    Raises:
        InputError: there is no such folder, or none of them is in it.
    """
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}: give the folder that has the data sets")
    plain: dict[str, Path] = {}
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")], key=lambda path: (len(path.parts), path)):
        name = path.name.lower()
        if _ENDINGS.search(name) and path.is_file():
            plain.setdefault(re.sub(r"[^a-z0-9]", "", _ENDINGS.sub("", name)), path)
    there = {data_set: [plain[name] for name in _FILES[data_set] if name in plain] for data_set in names}
    files = {data_set: paths[0] for data_set, paths in there.items() if paths}
    if not files:
        raise InputError(f"{folder} holds none of {', '.join(names)}: files like groceries.dat, or leave DATA out")
    return Found(files, tuple(name for name in names if name not in files))


def item_levels_beside(baskets: Path) -> Path | None:
    """The file of the levels above the items of a data set, where there is one: items.tsv in the same folder."""
    path = baskets.with_name("items.tsv")
    return path if path.is_file() else None
