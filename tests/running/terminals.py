"""Commands as somebody at a terminal runs them: what they write there is read from the other end."""

from __future__ import annotations

import os
import pty
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from tests.running.commands import SHOAL, Ran


def at_terminal(
    *arguments: object, folder: Path, out: bool = False, program: Sequence[str] = SHOAL, **variables: str
) -> Ran:
    """One command whose standard error is a terminal, and its standard output too if ``out``, else a pipe."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", **variables}
    ends = [pty.openpty() for _ in range(1 + out)]
    process = subprocess.Popen(
        [*program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=ends[1][1] if out else subprocess.PIPE,
        stderr=ends[0][1],
        cwd=folder,
        env=environment,
    )
    for _, theirs in ends:
        os.close(theirs)
    written = [b""] * len(ends)
    readers = [threading.Thread(target=_read, args=(ours, written, place)) for place, (ours, _) in enumerate(ends)]
    for reader in readers:
        reader.start()
    piped = process.stdout.read() if process.stdout else b""
    code = process.wait(timeout=120)
    for reader in readers:
        reader.join()
    if process.stdout:
        process.stdout.close()
    return code, (written[1] if out else piped).decode(), written[0].decode()


def _read(end: int, written: list[bytes], place: int) -> None:
    while True:
        try:
            found = os.read(end, 65_536)
        except OSError:  # nobody has the other end any more
            found = b""
        if not found:
            os.close(end)
            return
        written[place] += found
