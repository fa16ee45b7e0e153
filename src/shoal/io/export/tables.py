"""A table of a release as CSV or Parquet."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from shoal.io.export.exported import Export, Format
from shoal.io.formulas import number_in
from shoal.io.results import RAW_WRITERS, WRITERS


def export_table(table: pa.Table, format: Format) -> Export:
    """The rows of a table as they are."""
    write = partial((RAW_WRITERS if format.raw else WRITERS)[f".{format.name}"], table)
    return Export(write, partial(number_in, table) if format.name == "csv" else None)
