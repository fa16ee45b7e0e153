"""The files of an untrusted folder: each is opened once, through one descriptor of the folder.

The hashed bytes are the decoded bytes: they are read once. Names that another process exchanges meanwhile have no
effect, links are not followed, and pipes do not block.
"""

from __future__ import annotations

import errno
import os
import stat
from io import FileIO
from pathlib import Path
from types import TracebackType

from shoal.errors import DamagedRelease, InputError, NotARelease
from shoal.io.opening import like_named

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class TooManyBytes(Exception):  # noqa: N818  (what it says is a number)
    """A file has more bytes than allowed."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.size = size


class ReleaseFiles:
    """An opened folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self._descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (FileNotFoundError, ValueError):
            raise InputError(f"there is no such folder: {folder}{like_named(folder)}") from None
        except NotADirectoryError:
            if not folder.exists():
                raise InputError(f"there is no such folder: {folder}{like_named(folder)}") from None
            raise NotARelease(f"{folder} is a file, but a release is a folder with a manifest.json") from None

    def names(self) -> list[str]:
        """The names of the files in the folder."""
        return os.listdir(self._descriptor)  # noqa: PTH208  (of the open folder, not of one that has its name now)

    def has(self, name: str) -> bool:
        """Whether a file of this name is in the folder."""
        try:
            return stat.S_ISREG(os.stat(name, dir_fd=self._descriptor, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def read(self, name: str, most: int) -> bytes:
        """All bytes of a file.

        Raises:
            FileNotFoundError: there is none of this name.
            DamagedRelease: it is a link, or no file.
            TooManyBytes: it has more than ``most``.
        """
        with self._open(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise TooManyBytes(size)
            return _read(file, size)

    def head(self, name: str, most: int) -> bytes:
        """The first bytes of a file, read as by :meth:`read`; none if it is missing or a link."""
        try:
            with self._open(name) as file:
                return _read(file, min(os.fstat(file.fileno()).st_size, most))
        except (FileNotFoundError, DamagedRelease):
            return b""

    def _open(self, name: str) -> FileIO:
        shown = self.folder / name
        try:
            file = os.fdopen(os.open(name, _FILE, dir_fd=self._descriptor), "rb", buffering=0)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise DamagedRelease(f"{shown} is a link: the files of a release must be in its folder") from None
            if error.errno == errno.ENXIO:
                raise DamagedRelease(f"{shown} is no file") from None
            raise OSError(error.errno, error.strerror, str(shown)) from None
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise DamagedRelease(f"{shown} is no file")
        return file

    def close(self) -> None:
        """Close the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> ReleaseFiles:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            self.close()


def _read(file: FileIO, size: int) -> bytes:
    """Read ``n`` bytes, or all if there are fewer; the system may return fewer at a time."""
    parts = []
    while size > 0 and (part := file.read(size)):
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
