"""What releases of whole baskets must be - randomized, generalized, noisy - and what their promises say."""

from __future__ import annotations

import math
from fractions import Fraction

from tests.fuzz.oracle.folder import Folder, ascending, counts_are, demand, item_key, never_falling
from tests.fuzz.oracle.trees import Node, check_tree
from tests.oracles import diffpart
from tests.oracles.km_generalization import rare_sets


def check_randomized(folder: Folder) -> None:
    """Rows of listed items in their order; numbers that fit the method and each other."""
    rows, items = folder.tables["rows"], folder.tables["items"]
    names = [row["name"] for row in items]
    demand([row["item"] for row in items] == list(range(len(items))), "numbers of items")
    key = item_key(names)
    demand(ascending([key(name) for name in names]), "items in their order")
    for row in rows:
        demand(ascending(row["items"]) and all(0 <= item < len(items) for item in row["items"]), "items of a row")
    demand(never_falling([row["items"] for row in rows]), "rows in their order")
    promises, method = folder.promises, folder.manifest["method"]
    chance = promises["Randomization"]
    keep, fakes = chance["keep_prob"], chance["fakes"]
    made = "hybrid" if keep < 1 and fakes > 0 else "mask" if keep < 1 else "fakes"
    demand(method == made and 0.51 <= keep <= 1 and fakes >= 0 and (keep < 1 or fakes > 0), "method and chance")
    lengths = chance["fake_lengths"]
    demand(bool(lengths) == (fakes > 0), "lengths of fake transactions")
    demand(ascending([length for length, _ in lengths]), "lengths ascend")
    if lengths:
        demand(lengths[0][0] >= 1 and lengths[-1][0] <= len(items), "lengths of fake transactions are possible")
        demand(abs(math.fsum(share for _, share in lengths) - 1) < 1e-6, "shares add up")
    counts = folder.manifest["counts"]
    records = counts["records"]
    demand(1 <= records <= len(rows), "records")
    demand(len(rows) - records == math.floor(Fraction(fakes) * records + Fraction(1, 2)), "how many rows are made up")
    if keep == 1:
        demand(all(row["items"] for row in rows), "an empty row where nothing was flipped")
    ones = sum(len(row["items"]) for row in rows)
    counts_are(folder, rows=len(rows), records=records, items=len(items), ones=ones)
    private = promises.get("DifferentialPrivacy")
    if private is not None:
        demand(keep < 1, "privacy without flips")
        exact = min(2 * private["max_basket"], len(items)) * math.log(keep / (1 - keep))
        demand(private["epsilon"] >= exact * (1 - 1e-12), f"epsilon is {exact}")
        demand(private["item_list"] == chance["item_list"], "two lists of items")


def check_generalized(folder: Folder) -> None:
    """Every set of up to m nodes that a row holds is held by k rows; an item is one node everywhere."""
    nodes = _nodes(folder)
    rows = [row["items"] for row in folder.tables["rows"]]
    for row in rows:
        demand(row and ascending(row) and row[0] >= 0 and row[-1] < len(nodes), "items of a row")
    demand(never_falling(rows), "rows in their order")
    held = {item for row in rows for item in row}
    whole = folder.manifest["hierarchy"] == "whole"
    demand(whole or folder.manifest["hierarchy"] == "down to what rows hold", "hierarchy")
    check_tree(nodes, whole=whole, held={nodes[item][0] for item in held})
    parent = {row["item"]: row["parent"] for row in folder.tables["hierarchy"]}
    for item in held:
        up = parent[item]
        while up is not None:
            demand(up not in held, "a node and one above it are published")
            up = parent[up]
    counts_are(folder, rows=len(rows), published_items=len(held), ones=sum(map(len, rows)))
    promise = folder.promises["KmGeneralized"]
    longest = max(map(len, rows), default=0)
    known = [frozenset(nodes[item][0] for item in row) for row in rows]
    rare = rare_sets(known, promise["k"], min(promise["m"], longest))
    demand(not rare, f"{[sorted(items) for items in rare][:1]} is held by fewer than k rows")


def check_noisy(folder: Folder) -> None:
    """Different baskets of items, each counted at least as often as its share of epsilon asks for."""
    nodes = _nodes(folder)
    check_tree(nodes, whole=True, held=None)
    table = folder.tables["rows"]
    rows = [row["items"] for row in table]
    children: dict[str, list[str]] = {}
    for label, parent, _ in nodes:
        if parent is not None:
            children.setdefault(parent, []).append(label)
    bottom = {at for at, (label, _, _) in enumerate(nodes) if label not in children}
    for row in table:
        demand(row["items"] and ascending(row["items"]) and bottom.issuperset(row["items"]), "items of a basket")
        demand(row["count"] >= 1, "a count below 1")
    demand(ascending(rows), "baskets in their order, none twice")
    demand(sum(row["count"] for row in table) <= 2**53, "counts")
    counts_are(
        folder,
        rows=len(rows),
        records=sum(row["count"] for row in table),
        items=len(bottom),
        ones=sum(map(len, rows)),
    )
    epsilon = folder.promises["UnboundedDifferentialPrivacy"]["epsilon"]
    demand(0 < epsilon <= 1000, "epsilon")
    tree = {label: children[label] for label, _, _ in nodes if label in children}
    total = math.floor(Fraction(epsilon) / diffpart.UNIT)
    for row in table if tree else []:
        split, part = diffpart.path(tree, total, frozenset(nodes[item][0] for item in row["items"]))[-1]
        demand(row["count"] >= split.threshold(part), f"{row['items']} is counted {row['count']} times")


def _nodes(folder: Folder) -> list[Node]:
    rows = folder.tables["hierarchy"]
    demand([row["item"] for row in rows] == list(range(len(rows))) and rows, "numbers of nodes")
    demand(all(row["parent"] is None or 0 <= row["parent"] < row["item"] for row in rows), "parents come first")
    names = [row["name"] for row in rows]
    return [(row["name"], None if row["parent"] is None else names[row["parent"]], row["leaves"]) for row in rows]
