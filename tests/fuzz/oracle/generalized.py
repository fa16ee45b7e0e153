"""What a generalized table must be, and what its promises say, group by group."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

from tests.fuzz.oracle.folder import Folder, Undecided, counts_are, demand, never_falling
from tests.fuzz.oracle.trees import Node, above_of, check_tree
from tests.oracles.associations import associations, fill

_MOST_ROWS = 60
_MOST_ROWS_OF_SEVERAL = 30


def check(folder: Folder) -> None:
    """Raises Broken where something is not as the format and the promises say."""
    manifest, rows = folder.manifest, folder.tables["rows"]
    quasi, sensitive = list(manifest["quasi_identifiers"]), list(manifest["sensitive"])
    number, *columns = folder.columns["rows"]
    demand(columns == [*quasi, *sensitive] and len(set(columns)) == len(columns), "columns")
    nodes: dict[str, list[Node]] = {}
    for row in folder.tables["hierarchies"]:
        nodes.setdefault(row["column"], []).append((row["label"], row["parent"], row["leaves"]))
    demand([*nodes] == columns, "hierarchies of the columns, in their order")
    order = [row["column"] for row in folder.tables["hierarchies"]]
    demand(never_falling([columns.index(name) for name in order]), "hierarchies one after the other")
    whole = manifest["hierarchies"] == "whole"
    demand(whole or manifest["hierarchies"] == "down to what rows hold", "hierarchies")
    made = manifest.get("made_from_data", {})
    for name in columns:
        held = None if whole else {row[name] for row in rows if row[name] in _labels(nodes[name])}
        check_tree(nodes[name], whole=whole and name not in made, held=held)
        demand(all(row[name] in _labels(nodes[name]) for row in rows), f"a cell of {name} is no node")
    place = {name: {label: at for at, (label, _, _) in enumerate(nodes[name])} for name in columns}
    kept = [row for row in rows if row[number] is not None]
    demand(rows[: len(kept)] == kept and kept, "suppressed rows stand last")
    for row in rows[len(kept) :]:
        demand(all(row[name] == nodes[name][0][0] for name in columns), "a suppressed row shows something")
    groups: dict[int, list[dict[str, Any]]] = {}
    for row in kept:
        groups.setdefault(row[number], []).append(row)
    demand([*groups] == list(range(len(groups))), "groups are numbered without a gap")
    demand(never_falling([row[number] for row in kept]), "groups ascend")
    heads = []
    for group, held in groups.items():
        shown = {tuple(row[name] for name in quasi) for row in held}
        demand(len(shown) == 1, f"rows of group {group} do not agree")
        heads.append([place[name][held[0][name]] for name in quasi])
        demand(
            never_falling([[place[name][row[name]] for name in sensitive] for row in held]), f"rows of group {group}"
        )
    demand(all(one < other for one, other in itertools.pairwise(heads)), "groups ascend by what they show")
    inner = {
        name: {parent for _, parent, _ in nodes[name]} | {n[0] for n in nodes[name] if n[2] > 1} for name in columns
    }
    counts_are(
        folder,
        rows=len(kept),
        suppressed_rows=len(rows) - len(kept),
        groups=len(groups),
        hidden_cells=sum(
            row[name] in inner[name] or row[name] == nodes[name][0][0] for row in kept for name in sensitive
        ),
    )
    promises = folder.promises
    promise = promises["KAnonymity"]
    demand(sorted(promise["quasi"]) == sorted(quasi), "the promise is about other columns")
    together = Counter(tuple(row[name] for name in quasi) for row in kept)
    demand(min(together.values()) >= promise["k"], f"{min(together.values())} rows agree")
    hidden = promises.get("HiddenAssociations")
    if hidden is not None:
        demand(hidden["sensitive"] == sensitive, "the promise is about other sensitive columns")
        trees = [above_of(nodes[name]) for name in sensitive]
        for group, held in groups.items():
            cells = [tuple(row[name] for name in sensitive) for row in held]
            if len(cells) > (_MOST_ROWS if len(sensitive) == 1 else _MOST_ROWS_OF_SEVERAL):
                raise Undecided(f"group {group} has {len(cells)} rows")
            limits = hidden["min_support"], hidden["min_confidence"]
            demand(not associations(cells, trees, *limits), f"group {group} shows an association")
            if hidden["resists_filling"]:
                # What is not named cannot be filled in.
                demand(not associations(_filled(cells, trees), trees, *limits, filled=True), f"group {group}, filled")


def _filled(cells: Any, trees: Any) -> Any:
    return fill(cells, trees)


def _labels(nodes: list[Node]) -> set[str]:
    return {label for label, _, _ in nodes}
