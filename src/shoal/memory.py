"""How much memory is available: what the machine has left, and what limits on this process leave of it.

Limits are those of control groups, version 1 or 2, which containers, systemd and batch systems set, and that of the
address space (``ulimit -v``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_UNKNOWN = 4 << 30
_NO_LIMIT = 1 << 60
"""Version 1 writes "no limit" as a number near the end of int64."""


def available_memory(system: Path = Path("/")) -> int:
    """Bytes available within all limits and without displacing others; a guess if the system does not report them.

    ``system`` is the folder that holds ``proc``, and in which the mounts that it lists are.
    """
    return max(0, min(_on_this_machine(system), *_within_groups(system), _of_address_space(system)))


def _on_this_machine(system: Path) -> int:
    try:
        for line in (system / "proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError):
        return _UNKNOWN


def _of_address_space(system: Path) -> int:
    """The memory that ``ulimit -v`` leaves."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return _NO_LIMIT
        pages = int((system / "proc/self/statm").read_text(encoding="ascii").split()[0])
        return limit - pages * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError, IndexError):
        return _NO_LIMIT


def _within_groups(system: Path) -> Iterator[int]:
    """The memory that each control group of this process leaves: its own group and all that enclose it."""
    yield _NO_LIMIT
    for mount, group, version in _hierarchies(system):
        folder = mount / group
        while True:
            yield _left_in_version_2(folder) if version == 2 else _left_in_version_1(folder)
            if folder == mount or mount not in folder.parents:
                break
            folder = folder.parent


def _hierarchies(system: Path) -> Iterator[tuple[Path, PurePosixPath, int]]:
    """Where groups that limit memory are mounted, the group of this process below, and the version."""
    groups: dict[int, PurePosixPath] = {}
    for line in _lines(system / "proc/self/cgroup"):
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            groups[2] = PurePosixPath(path)
        elif "memory" in controllers.split(","):
            groups[1] = PurePosixPath(path)
    for line in _lines(system / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3:
            continue
        version = {"cgroup2": 2, "cgroup": 1}.get(kind[0])
        if version is None or version not in groups or (version == 1 and "memory" not in kind[2].split(",")):
            continue
        root, place = PurePosixPath(_plain(fields[3])), _plain(fields[4])
        group = groups[version]
        # A container may see only a part of the hierarchy; the mount itself represents a path outside that part.
        below = group.relative_to(root) if group.is_relative_to(root) else PurePosixPath()
        yield system / place.lstrip("/"), PurePosixPath() if ".." in below.parts else below, version


def _left_in_version_2(folder: Path) -> int:
    limit = min(_number(folder / "memory.max"), _number(folder / "memory.high"))
    return _left(limit, folder / "memory.current", folder / "memory.stat", "inactive_file")


def _left_in_version_1(folder: Path) -> int:
    limit = _number(folder / "memory.limit_in_bytes")
    return _left(limit, folder / "memory.usage_in_bytes", folder / "memory.stat", "total_inactive_file")


def _left(limit: int, used: Path, parts: Path, reclaimed: str) -> int:
    """Unused pages of files count as used memory, but are released when memory is short."""
    if limit >= _NO_LIMIT:
        return _NO_LIMIT
    taken = _number(used, unknown=0)
    for line in _lines(parts):
        name, _, value = line.partition(" ")
        if name == reclaimed and value.isdigit():
            taken -= int(value)
    return limit - max(0, taken)


def _number(file: Path, unknown: int = _NO_LIMIT) -> int:
    """The number in a file; "max" means no limit."""
    for line in _lines(file):
        if line.isdigit():
            return int(line)
    return unknown


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []


def _plain(name: str) -> str:
    """Unescape a name of mountinfo, which escapes blanks and similar characters."""
    for escaped, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        name = name.replace(escaped, character)
    return name
