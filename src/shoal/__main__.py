"""``python -m shoal``, and what ``shoal`` runs: the command line, which can be interrupted while it is loaded, too."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable

_LEAST = 2**29
"""Bytes of address space that loading everything takes; NumPy's linear algebra ends the process where it gets less."""


def _shoal() -> Callable[[], None]:
    from shoal.cli.main import main

    return main


def main(load: Callable[[], Callable[[], None]] = _shoal) -> None:
    """Run the command line and exit.

    Args:
        load: imports a program and returns what runs it; by default ``shoal`` itself.
    """
    # Nothing here multiplies large matrices: threads for that take address space and processes, and are not used.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if 0 <= (limit := resource.getrlimit(resource.RLIMIT_AS)[0]) < _LEAST:
        if sys.stderr is not None:
            sys.stderr.write(
                "error: not enough memory, which says nothing about the data: raise ulimit -v "
                f"(now {limit // 1024:,} kB) to {_LEAST // 1024:,} kB at least\n"
            )
        sys.exit(2)
    try:
        run = load()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.stderr.flush()
        os._exit(130)  # and not by an exception: what was being loaded is half there, and may complain
    run()


if __name__ == "__main__":
    main()
