"""The command that publishes what a study has looked at: a method and its settings as words of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "dls": ("disassociate", "--vertical", "dls"),
    "disassociate-l": ("disassociate",),
    **{
        f"{strategy}{hidden}": ("k-anonymity", "--strategy", strategy)
        for strategy in ("bottom-up", "mondrian")
        for hidden in ("", "-hidden")
    },
}
"""Of methods that are not called as their commands are."""
_WITH_HIERARCHIES = ("km-generalization", "diffpart", "k-anonymity")
_SHORT = frozenset("kml")


def publish_command(
    method: str,
    settings: Mapping[str, Any],
    source: Sequence[str],
    hierarchies: Sequence[str] = (),
    out: str = "release",
) -> str:
    """The command line that publishes by this method.

    Args:
        method: as the registry names it.
        settings: all of its parameters; a seed is left out, since what it makes must not be published.
        source: the words by which the data are read, the file first.
        hierarchies: those by which hierarchies are read, for methods that generalize.
        out: where the release is to appear.

    Example:
        >>> publish_command("dls", {"k": 5, "m": 2, "max_cluster_size": None}, ["my baskets.dat"])
        "shoal publish disassociate 'my baskets.dat' --vertical dls -k 5 -m 2 -o release"
    """
    name, *fixed = _COMMANDS.get(method, (method,))
    trees = hierarchies if name in _WITH_HIERARCHIES else ()
    return shlex.join(["shoal", "publish", name, *source, *trees, *fixed, *_options(settings), "-o", out])


def _options(settings: Mapping[str, Any]) -> Iterator[str]:
    for name, value in settings.items():
        option = f"-{name}" if name in _SHORT else f"--{name.replace('_', '-')}"
        if name == "seed" or value is None:
            continue
        for one in value if name == "sensitive" else [value]:
            yield from (option, f"{one:g}" if isinstance(one, float) else str(one))
