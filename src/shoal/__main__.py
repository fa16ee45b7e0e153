"""``python -m shoal`` and ``shoal``: the command line, which can also be interrupted while it is loaded."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable

_LEAST = 2**29
"""Bytes of address space that loading needs; with less, NumPy's linear algebra ends the process."""


def _shoal() -> Callable[[], None]:
    from shoal.cli.main import main

    return main


def main(load: Callable[[], Callable[[], None]] = _shoal) -> None:
    """Run the command line and exit.

    Args:
        load: imports a program and returns the function that runs it; by default ``shoal`` itself.
    """
    # Nothing here multiplies large matrices: threads for that would use address space and processes for nothing.
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
        os._exit(130)  # not an exception: modules are half loaded, and may complain
    run()


if __name__ == "__main__":
    main()
