"""Where real data are: beside the project, or where SHOAL_DATA points. Without them tests skip, and say why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("SHOAL_DATA") or Path(__file__).parents[2] / "shared" / "data")

ADULT = FOLDER / "adult"
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
needs_adult = pytest.mark.skipif(not ADULT.is_dir(), reason="the Adult data are not at hand: set SHOAL_DATA")


def real_file(name: str) -> Path:
    """A file of real data, or the end of the test."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"{name} is not at hand: set SHOAL_DATA to the folder of real data")
    return path
