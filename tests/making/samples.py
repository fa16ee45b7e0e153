"""Small samples of the real data whose terms allow passing them on, and how they were drawn: ``tests/data/README.md``.

``python -m tests.making.samples FOLDER`` draws them again from the folder of real data.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data"
EVERY = {
    "msweb/msweb.dat": 15,
    "diabetes/icd9-by-patient.dat": 20,
    "adult/adult.data": 40,
    "adult/adult.test": 100,
}
"""Files of lines, and of how many lines one is taken."""
HEADS = {"adult/adult.test": 1}
"""How many lines at the head of a file are no records, and stay."""
HIERARCHIES = tuple(
    f"adult/hierarchies/{name}.csv"
    for name in (
        *("age", "education", "marital-status", "native-country", "occupation", "race", "salary-class", "sex"),
        "workclass",
    )
)
WHOLE = (*HIERARCHIES, "adult/hierarchies/LICENSE-Apache-2.0.txt")
"""Files that are taken as they are."""


def draw(name: str, whole: bytes) -> bytes:
    """The sample of a file: its head, then the first of every so many lines."""
    if name in WHOLE:
        return whole
    lines, head = whole.splitlines(keepends=True), HEADS.get(name, 0)
    records = [line for line in lines[head:] if line.strip()]
    return b"".join([*lines[:head], *records[:: EVERY[name]]])


if __name__ == "__main__":
    for name in (*EVERY, *WHOLE):
        target = FOLDER / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(draw(name, (Path(sys.argv[1]) / name).read_bytes()))
