"""``python -m shoal``, and what ``shoal`` runs: the command line, which can be interrupted while it is loaded, too."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        from shoal.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.stderr.flush()
        os._exit(130)  # and not by an exception: what was being loaded is half there, and may complain
    run()


if __name__ == "__main__":
    main()
