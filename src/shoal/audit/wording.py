"""How witnesses name clusters, chunks and items, so that every check speaks alike."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from shoal.release.disassociated import Disassociated

LISTED = 12
"""A witness names at most so many items."""


def item_name(vocabulary: pa.Array, code: int) -> str:
    """The name of an item, quoted when it would garble a terminal or a list."""
    name = str(vocabulary[code].as_py())
    return name if name and name.isprintable() and not set(name) & set("{},'\"") else repr(name)


def itemset(vocabulary: pa.Array, codes: Iterable[int]) -> str:
    """``{beer, wine}``; long sets are cut."""
    every = list(codes)
    names = [item_name(vocabulary, code) for code in every[:LISTED]]
    if len(every) > LISTED:
        names.append(f"... {len(every) - LISTED:,} more")
    return "{" + ", ".join(names) + "}"


def chunk_place(release: Disassociated, chunk: int) -> str:
    """``cluster 12, chunk 3``, numbered as in the release."""
    kind = "shared chunk" if release.chunk_shared[chunk] else "chunk"
    return f"cluster {int(release.chunk_owner[chunk])}, {kind} {chunk}"


def records(count: int) -> str:
    """``1 record`` or ``7 records``."""
    return f"{count:,} record{'' if count == 1 else 's'}"


def and_more(others: int, what: str) -> str:
    """A tail for a witness that is one of several."""
    return f" (and {others:,} more {what})" if others > 0 else ""
