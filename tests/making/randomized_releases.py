"""Randomized releases out of plain Python lists, for tests: a row is any collection of names, ``"ab"`` is a and b."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.transactions import vocabulary_order
from shoal.promises import Randomization
from shoal.release.randomized import Randomized
from tests.making.disassociated_releases import offsets

MASK = Randomization(0.9, 0)


def randomized(
    rows: Iterable[Collection[str]], items: Collection[str], promise: Randomization = MASK, **more: Any
) -> Randomized:
    """Build a release of the given rows, put in their canonical order; all rows are real unless ``more`` says less."""
    words = pa.array(sorted(items), pa.string())
    vocabulary = words.take(pa.array(vocabulary_order(words)))
    code = {name: number for number, name in enumerate(vocabulary.to_pylist())}
    coded = sorted(sorted(code[name] for name in row) for row in rows)
    flat = np.array([item for row in coded for item in row], np.int32)
    return Randomized(promise, vocabulary, offsets(map(len, coded)), flat, **{"n_records": len(coded), **more})


def names_of(release: Randomized) -> list[list[str]]:
    """The rows of a release by name, in their order."""
    words: Sequence[str] = release.vocabulary.to_pylist()
    return [[words[code] for code in row.tolist()] for row in np.split(release.items, release.offsets[1:-1])]
