"""Draw charts for another process: requests arrive as lines of JSON, pictures are returned. A script, not a module.

The engine inside vl-convert reserves a lot of address space, and ends its process if it gets none (``ulimit -v``) or
runs out of memory. Therefore it has its own process, which does not import Shoal.
"""

import contextlib
import json
import os
import resource
import signal
import sys
from types import ModuleType

_CPU_SECONDS = 300
"""More than any report takes; a process that runs away is ended by this limit."""


def main() -> None:
    """Answer until the input ends. An answer is a word, the number of bytes that follow, and these bytes.

    The word is "ok", "error" (the specification cannot be drawn) or "lost" (nothing can be drawn any more).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller decides, and closes the pipe
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # other output cannot garble the answers
    sys.path.append(sys.argv[1])
    import vl_convert

    known = vl_convert.get_vegalite_versions()
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        version = asked["version"] if asked["version"] in known else None
        try:
            if asked["kind"] == "png":
                drawn = vl_convert.vegalite_to_png(asked["spec"], vl_version=version, scale=asked["scale"])
            else:
                drawn = vl_convert.vegalite_to_svg(asked["spec"], vl_version=version).encode()
            said = "ok"
        except ValueError as error:  # the message for a specification that cannot be drawn
            said, drawn = "error" if _draws(vl_convert) else "lost", str(error).encode()
        out.write(f"{said} {len(drawn)}\n".encode() + drawn)
        out.flush()


def _draws(library: ModuleType) -> bool:
    """Whether it can draw at all: with too few descriptors or threads its engine is gone, but it keeps running."""
    try:
        library.vegalite_to_svg({"data": {"values": []}, "mark": "point"})
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    main()
