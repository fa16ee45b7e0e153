"""How much memory is left on this machine."""

from __future__ import annotations

import os
from pathlib import Path

_UNKNOWN = 4 << 30


def available_memory() -> int:
    """Bytes that can be had without pushing others out, as the system estimates it; a guess where it does not say."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError):
        return _UNKNOWN
