"""Find words that are not UTF-8: Arrow accepts any bytes as text, and only some of its functions fail on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_LISTS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)
_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


def searched(names: Iterable[str]) -> pa.Array:
    r"""Names to search for, as an array; a name that is no valid text becomes missing, since nothing has that name.

    Example:
        >>> searched(["tea", "m\udcfflk"]).to_pylist()
        ['tea', None]
    """
    return pa.array([name if _is_text(name) else None for name in names], pa.string())


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def misspelt(values: Any) -> tuple[int, bytes] | None:
    r"""The first row with bytes that are not UTF-8, and those bytes; None if there is none.

    Args:
        values: an array of texts, of codes of texts, or of lists of either; other types hold no text.

    Example:
        >>> misspelt(pa.array(["tea", "milk"])) is None
        True
        >>> misspelt(pa.array([b"tea", b"m\xfflk"]).view(pa.string()))
        (1, b'm\xfflk')
    """
    if any(is_list(values.type) for is_list in _LISTS):
        found = misspelt(pc.list_flatten(values))
        if found is None:
            return None
        ends = np.cumsum(pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False))
        return int(np.searchsorted(ends, found[0], side="right")), found[1]
    if pa.types.is_dictionary(values.type):
        found = misspelt(values.dictionary)
        if found is None:
            return None
        holders = np.flatnonzero(values.indices.fill_null(-1).to_numpy(zero_copy_only=False) == found[0])
        return int(holders[0]) if len(holders) else 0, found[1]
    if not any(is_text(values.type) for is_text in _TEXTS):
        return None
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        for row, word in enumerate(values.cast(pa.large_binary()).to_pylist()):  # the run ends here anyway
            try:
                (word or b"").decode()
            except UnicodeDecodeError:
                return row, word
        raise
    return None
