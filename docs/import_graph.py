"""The picture of imports in ARCHITECTURE.md, made from the code: ``python docs/import_graph.py`` writes it there."""

from __future__ import annotations

import re
from pathlib import Path

from grimp import ImportGraph, build_graph

PAGE = Path(__file__).parents[1] / "ARCHITECTURE.md"
PICTURE = re.compile(r"(?<=<!-- docs/import_graph.py -->\n```mermaid\n).*?(?=```\n)", re.DOTALL)


def packages(graph: ImportGraph) -> list[str]:
    """The packages of Shoal; single modules are not drawn."""
    return sorted(name.removeprefix("shoal.") for name in graph.find_children("shoal") if graph.find_children(name))


def arrows(graph: ImportGraph) -> dict[str, set[str]]:
    """Which packages the modules of each package import; what only the type checker sees does not count."""
    names = packages(graph)
    return {
        name: {
            other
            for other in names
            if other != name
            and graph.direct_import_exists(importer=f"shoal.{name}", imported=f"shoal.{other}", as_packages=True)
        }
        for name in names
    }


def layered(uses: dict[str, set[str]]) -> list[str]:
    """The packages, each before those that it imports.

    Raises:
        ValueError: packages import each other in a circle.
    """
    left = {name: {user for user, used in uses.items() if name in used} for name in uses}
    order: list[str] = []
    while left:
        free = sorted(name for name, users in left.items() if not users - {*order})
        if not free:
            raise ValueError(f"packages import each other in a circle: {', '.join(sorted(left))}")
        order += free
        left = {name: users for name, users in left.items() if name not in free}
    return order


def picture() -> str:
    """The arrows for Mermaid; one that follows from others is left out."""
    uses = arrows(build_graph("shoal", exclude_type_checking_imports=True))
    order = layered(uses)
    reached: dict[str, set[str]] = {}
    for name in reversed(order):
        reached[name] = uses[name].union(*(reached[other] for other in uses[name]))
    lines = ["flowchart TD"]
    for name in order:
        below = {further for other in uses[name] for further in reached[other]}
        lines += [f"  {name} --> {other}" for other in order if other in uses[name] - below]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PICTURE.sub(lambda _: picture(), page, count=1), encoding="utf-8")
