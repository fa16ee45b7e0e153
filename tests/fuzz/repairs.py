"""Changed cells made a release again: with order, numbers, sizes and counts right, only the promise is in question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.fuzz.oracle.folder import item_key

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]


def repair(manifest: dict[str, Any], tables: Tables) -> None:
    """Put the tables of a release and the counts of its manifest right, in place."""
    _REPAIRS[manifest["method"]](manifest, tables)


def _disassociated(manifest: dict[str, Any], tables: Tables) -> None:
    clusters, chunks, subrecords, terms = (tables[name] for name in ("clusters", "chunks", "subrecords", "term_chunks"))
    known = {row["cluster"]: number for number, row in enumerate(clusters)}
    for row in clusters:
        row["joint"] = known.get(row["joint"])
    for number, row in enumerate(clusters):
        row["cluster"] = number
    joints = {row["joint"] for row in clusters} - {None}
    key = item_key({item for row in [*subrecords, *terms] for item in row["items"]})
    for row in [*subrecords, *terms]:
        row["items"] = sorted(set(row["items"]), key=key)
    held = {row["chunk"] for row in subrecords if row["items"]}
    chunks[:] = [row for row in chunks if row["chunk"] in held and row["owner"] in known]
    chunks.sort(key=lambda row: known[row["owner"]])
    numbers = {row["chunk"]: number for number, row in enumerate(chunks)}
    for number, row in enumerate(chunks):
        row["chunk"], row["owner"] = number, known[row["owner"]]
        row["kind"] = "shared" if row["owner"] in joints else "record"
    subrecords[:] = [
        {"chunk": numbers[row["chunk"]], "items": row["items"]}
        for row in subrecords
        if row["items"] and row["chunk"] in numbers
    ]
    subrecords.sort(key=lambda row: (row["chunk"], [key(item) for item in row["items"]]))
    merged: dict[int, set[str]] = {}
    for row in terms:
        if row["cluster"] in known and known[row["cluster"]] not in joints:
            merged.setdefault(known[row["cluster"]], set()).update(row["items"])
    terms[:] = [{"cluster": at, "items": sorted(items, key=key)} for at, items in sorted(merged.items()) if items]
    for _ in clusters:  # as often as joints can be inside of each other
        for number in joints:
            clusters[number]["size"] = sum(row["size"] for row in clusters if row["joint"] == number)
    leaves = [row for row in clusters if row["cluster"] not in joints]
    manifest["counts"] = {
        "records": sum(row["size"] for row in leaves),
        "items": len({item for row in [*subrecords, *terms] for item in row["items"]}),
        "clusters": len(leaves),
        "joint_clusters": len(joints),
        "chunks": len(chunks),
        "subrecords": len(subrecords),
    }


def _key(value: Any) -> tuple[bool, Any]:
    return value is None, value.encode() if isinstance(value, str) else (0 if value is None else value)


def _bucketized(manifest: dict[str, Any], tables: Tables) -> None:
    quasi, (sensitive,) = list(manifest["quasi_identifiers"]), manifest["sensitive"]
    people: dict[int, Rows] = {}
    values: dict[int, Counter[Any]] = {}
    for row in tables["quasi_identifiers"]:
        people.setdefault(row["group"], []).append(row)
    for row in tables["sensitive"]:
        values.setdefault(row["group"], Counter())[row[sensitive]] += min(max(row["count"], 0), 99)
    groups = []
    for number, rows in people.items():
        held = values.get(number, Counter())
        while held.total() < len(rows) and held:
            held[min(held, key=lambda value: (held[value], _key(value)))] += 1
        while held.total() > len(rows):
            held[max(held, key=lambda value: (held[value], _key(value)))] -= 1
        rows.sort(key=lambda row: [_key(row[name]) for name in quasi])
        groups.append((rows, +held))
    groups.sort(key=lambda group: [[_key(row[name]) for name in quasi] for row in group[0][:16]])
    tables["quasi_identifiers"] = [{**row, "group": at} for at, (rows, _) in enumerate(groups) for row in rows]
    tables["sensitive"] = [
        {"group": at, sensitive: value, "count": held[value]}
        for at, (_, held) in enumerate(groups)
        for value in sorted(held, key=_key)
    ]
    if "rules" in tables:
        tables["rules"].sort(key=lambda row: row["rule"])
    manifest["counts"] = {
        "rows": len(tables["quasi_identifiers"]),
        "groups": len(groups),
        "quasi_identifiers": len(quasi),
        "sensitive_values": len({row[sensitive] for row in tables["sensitive"]}),
    }


def _generalized(manifest: dict[str, Any], tables: Tables) -> None:
    quasi, sensitive = manifest["quasi_identifiers"], manifest["sensitive"]
    columns = [*quasi, *sensitive]
    nodes = tables["hierarchies"]
    if manifest["hierarchies"] != "whole":
        needed = {(name, row[name]) for row in tables["rows"] for name in columns}
        kept = []
        for node in reversed(nodes):
            if (node["column"], node["label"]) in needed or node["parent"] is None:
                needed.add((node["column"], node["parent"]))
                kept.append(node)
        nodes[:] = kept[::-1]
    place: dict[tuple[str, str], int] = {}
    for at, node in enumerate(nodes):
        place.setdefault((node["column"], node["label"]), at)
    roots = {node["column"]: node["label"] for node in nodes if node["parent"] is None}
    rows = [row for row in tables["rows"] if all((name, row[name]) in place for name in columns)]
    shown = {row["group"]: [row[name] for name in quasi] for row in reversed(rows) if row["group"] is not None}
    for row in rows:
        if row["group"] is not None:
            row.update(zip(quasi, shown[row["group"]], strict=True))
    kept_rows = [row for row in rows if row["group"] is not None]
    lost = [row for row in rows if row["group"] is None]
    for row in lost:
        row.update(roots)
    kept_rows.sort(key=lambda row: [place[name, row[name]] for name in columns])
    numbers: dict[tuple[str, ...], int] = {}
    for row in kept_rows:
        row["group"] = numbers.setdefault(tuple(row[name] for name in quasi), len(numbers))
    tables["rows"] = [*kept_rows, *lost]
    inner = {(node["column"], node["label"]) for node in nodes if node["leaves"] > 1 or node["parent"] is None}
    manifest["counts"] = {
        "rows": len(kept_rows),
        "suppressed_rows": len(lost),
        "groups": len(numbers),
        "hidden_cells": sum((name, row[name]) in inner for row in kept_rows for name in sensitive),
    }


def _randomized(manifest: dict[str, Any], tables: Tables) -> None:
    rows, items = tables["rows"], tables["items"]
    key = item_key({row["name"] for row in items})
    items.sort(key=lambda row: key(row["name"]))
    for number, row in enumerate(items):
        row["item"] = number
    _rows(rows)
    fakes = manifest["promises"][0].get("fakes", 0)
    number = len(rows)
    fits = [real for real in range(1, number + 1) if number - real == math.floor(fakes * real + 0.5)]
    manifest["counts"] = {
        "rows": number,
        "records": fits[0] if fits else manifest["counts"]["records"],
        "items": len(items),
        "ones": sum(len(row["items"]) for row in rows),
    }


def _rows(rows: Rows) -> None:
    for row in rows:
        row["items"] = sorted(set(row["items"]))
    rows.sort(key=lambda row: row["items"])


def _generalized_baskets(manifest: dict[str, Any], tables: Tables) -> None:
    rows, nodes = tables["rows"], tables["hierarchy"]
    _rows(rows)
    rows[:] = [row for row in rows if row["items"] and row["items"][-1] < len(nodes)]
    if manifest["hierarchy"] != "whole":
        needed = {item for row in rows for item in row["items"]} | {0}
        for at in range(len(nodes) - 1, -1, -1):
            if at in needed and nodes[at]["parent"] is not None:
                needed.add(nodes[at]["parent"])
        number = {old: new for new, old in enumerate(sorted(needed))}
        tables["hierarchy"] = [
            {**nodes[old], "item": number[old], "parent": number.get(nodes[old]["parent"])} for old in sorted(needed)
        ]
        for row in rows:
            row["items"] = sorted(number[item] for item in row["items"])
        rows.sort(key=lambda row: row["items"])
    manifest["counts"] = {
        "rows": len(rows),
        "published_items": len({item for row in rows for item in row["items"]}),
        "ones": sum(len(row["items"]) for row in rows),
    }


def _noisy(manifest: dict[str, Any], tables: Tables) -> None:
    rows, nodes = tables["rows"], tables["hierarchy"]
    _rows(rows)
    once = {tuple(row["items"]): row for row in rows if row["items"]}
    rows[:] = [{**row, "count": max(row["count"], 1)} for row in once.values()]
    manifest["counts"] = {
        "rows": len(rows),
        "records": sum(row["count"] for row in rows),
        "items": len({row["item"] for row in nodes} - {row["parent"] for row in nodes}),
        "ones": sum(len(row["items"]) for row in rows),
    }


_REPAIRS: dict[str, Callable[[dict[str, Any], Tables], None]] = {
    "disassociation": _disassociated,
    "anatomy": _bucketized,
    "injector": _bucketized,
    "bottom-up": _generalized,
    "mondrian": _generalized,
    "mask": _randomized,
    "fakes": _randomized,
    "hybrid": _randomized,
    "km-generalization": _generalized_baskets,
    "diffpart": _noisy,
}
