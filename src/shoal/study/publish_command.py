"""The command that publishes what a study recommends: a method and its settings as words of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.methods import METHODS
from shoal.parameters import PARAMETERS


def publish_command(
    method: str,
    settings: Mapping[str, Any],
    source: Sequence[str],
    hierarchies: Sequence[str] = (),
    out: str = "release",
) -> str:
    """The command line that publishes by this method.

    Args:
        method: its name in the registry.
        settings: all of its parameters; a seed is left out, because seeded releases must not be published.
        source: the words that read the data, the file first.
        hierarchies: the words that read hierarchies, for methods that generalize.
        out: where to write the release.

    Example:
        >>> publish_command("dls", {"k": 5, "m": 2, "max_cluster_size": None}, ["my baskets.dat"])
        "shoal publish disassociate 'my baskets.dat' --vertical dls -k 5 -m 2 -o release"
    """
    named = METHODS[method]
    trees = hierarchies if named.generalizes else ()
    words = [named.published_by, *source, *trees, *named.words, *_options(settings)]
    return shlex.join(["shoal", "publish", *words, "-o", out])


def _options(settings: Mapping[str, Any]) -> Iterator[str]:
    for name, value in settings.items():
        if name == "seed" or value is None:
            continue
        parameter = PARAMETERS[name]
        for one in value if parameter.kind == "items" else [value]:
            yield from (parameter.flags[0], f"{one:g}" if isinstance(one, float) else str(one))
