"""Cache compiled kernels on disk: one file each, used only if it is whole and was made from exactly these sources.

Numba's own cache does not check its files: a file damaged by a power cut crashes the command or the process, and a
change of a called kernel is not noticed. Here a checksum is compared before anything is unpickled or given to LLVM, and
the key covers the sources of all kernels that a module imports. A file that does not match is compiled again.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from shoal.kernels import kept_folders

_MAGIC = b"shoal kernel 1\n\0"
_DIGEST = hashlib.sha256().digest_size
_IMPORTED = re.compile(r"^from shoal\.kernels\.(\w+) import", re.MULTILINE)


class Kept(_Cache):  # type: ignore[misc]  # Numba ships no types
    """The cache that Numba loads compiled kernels from, and saves them to."""

    def __init__(self, function: Callable[..., Any]) -> None:
        source = Path(function.__code__.co_filename)
        self._name = f"{source.stem}.{function.__qualname__}"
        self._sources = sources_digest(source)

    @property
    def cache_path(self) -> str:
        """The first folder, which Numba shows."""
        return str(kept_folders.folders()[0])

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if it must be compiled."""
        target_context.refresh()
        machine = target_context.codegen().magic_tuple()
        for content in kept_folders.contents(self._file(machine)):
            payload = unsealed(content, self._key(sig, machine))
            if payload is None:
                continue
            try:
                return CompileResult._rebuild(target_context, *pickle.loads(payload))  # noqa: S301  (checked, and ours)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001, S112  (another Numba of the same number: compile it again)
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled kernel, if there is a folder for it."""
        if data.lifted or data.library.has_dynamic_globals:  # it holds addresses of this process
            return
        machine = data.codegen.magic_tuple()
        kept_folders.keep(self._file(machine), sealed(dumps(data._reduce()), self._key(sig, machine)))

    def _file(self, machine: tuple[Any, ...]) -> str:
        """One for each processor and Python, which may share a folder; a new Numba or Shoal replaces what is there."""
        return f"{self._name}-{_digest(sys.implementation.cache_tag, sys.abiflags, machine).hex()[:8]}.nbk"

    def _key(self, sig: Any, machine: tuple[Any, ...]) -> bytes:
        versions = numba.__version__, llvmlite.__version__, sys.version_info[:2]
        return _digest(self._name, str(sig), machine, versions, self._sources)

    def enable(self) -> None:
        """Do nothing: the cache is always enabled."""

    def disable(self) -> None:
        """Do nothing: the cache cannot be disabled."""

    def flush(self) -> None:
        """Kernels are compiled once, when their module is imported: nothing asks for that."""


def sealed(payload: bytes, key: bytes) -> bytes:
    """A file: what it is, the checksum of the rest, the key and the payload."""
    return _MAGIC + hashlib.sha256(key + payload).digest() + key + payload


def unsealed(content: bytes, key: bytes) -> bytes | None:
    """The payload, if the file is whole and for this key."""
    body = len(_MAGIC) + _DIGEST
    if not content.startswith(_MAGIC) or content[body : body + _DIGEST] != key:
        return None
    if hashlib.sha256(content[body:]).digest() != content[len(_MAGIC) : body]:
        return None
    return content[body + _DIGEST :]


def _digest(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


@cache
def sources_digest(source: Path) -> str:
    """Of the source of a kernel and of all kernels that it imports, whose code becomes part of its own."""
    found: dict[Path, bytes] = {}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = path.read_bytes()
            waiting += [path.with_name(f"{name}.py") for name in _IMPORTED.findall(found[path].decode())]
    return _digest(*((path.name, hashlib.sha256(found[path]).digest()) for path in sorted(found))).hex()
