"""What Arrow says of a file that it cannot read, as a message of ours: in one place, for all files from outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import InputError, ShoalError
from shoal.quoting import said_by, shown


@contextmanager
def parquet_damage(name: str) -> Iterator[None]:
    """Let whatever Arrow raises on a Parquet file come out as an InputError that names the file.

    Args:
        name: what messages call the file.

    Raises:
        InputError: it cannot be read. A lack of memory stays what it is: it says nothing of the file.
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
        file.schema_arrow.names  # noqa: B018  (bytes that are no text are only found when a name is asked for)
        return file
