"""Tables of results that commands write to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.atomic.files import atomic_file
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

_RESULTS = (".csv", ".parquet", ".json")


def require_results_file(out: Path, *, force: bool) -> None:
    """Refuse a file that a table of results cannot go to, before they are computed."""
    from shoal.io.manifest import require_outside_releases

    if out.suffix.lower() not in _RESULTS:
        raise InputError(f"{out}: the name must end with {', '.join(_RESULTS[:-1])} or {_RESULTS[-1]}")
    require_outside_releases(out)
    if out.exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")


def write_results(rows: pa.Table, out: Path) -> None:
    """Write a table of results as the name of the file says."""
    from shoal.io.results import WRITERS

    with atomic_file(out) as file:
        WRITERS[out.suffix.lower()](rows, file)
