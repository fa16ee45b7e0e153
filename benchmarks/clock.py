"""What times are measured with: CPU seconds, because machines are noisy, and the peak memory of a process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path


def cpu(work: Callable[..., object], *arguments: object) -> float:
    """CPU seconds that a call takes."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def child(command: list[str | Path]) -> tuple[float, float]:
    """CPU seconds and peak memory (MB) of a command."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed with exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
