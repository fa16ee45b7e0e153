"""Convert Arrow's errors about files from outside into Shoal's messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import InputError, ShoalError
from shoal.quoting import said_by, shown


@contextmanager
def parquet_damage(name: str) -> Iterator[None]:
    """Convert all errors of Arrow about a Parquet file into an InputError that names the file.

    Args:
        name: what messages call the file.

    Raises:
        InputError: it cannot be read. A lack of memory is not converted: it says nothing about the file.
    """
    try:
        yield
    except (ShoalError, MemoryError):
        raise
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}: the name of a column is not UTF-8 ({shown(error.object)}): write the file with names in UTF-8"
        ) from error
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(f"{name} begins like a Parquet file but cannot be read as one: {said_by(error)}") from error


def parquet_file(content: object, name: str) -> pq.ParquetFile:
    """A Parquet file from outside whose footer and names of columns could be read."""
    with parquet_damage(name):
        file = pq.ParquetFile(content)
        file.schema_arrow.names  # noqa: B018  (invalid text is found only when names are read)
        return file
