"""What a bucketized release must be, and what its promises say, group by group."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzz.oracle.folder import Folder, counts_are, demand, never_falling
from tests.oracles.matching import count_valid


def check(folder: Folder) -> None:
    """Raises Broken where something is not as the format and the promises say."""
    rows, values = folder.tables["quasi_identifiers"], folder.tables["sensitive"]
    quasi = list(folder.manifest["quasi_identifiers"])
    demand(len(folder.manifest["sensitive"]) == 1, "not one sensitive column")
    (sensitive,) = folder.manifest["sensitive"]
    number, column = folder.columns["quasi_identifiers"][0], folder.columns["sensitive"]
    demand(folder.columns["quasi_identifiers"][1:] == quasi and column[1] == sensitive, "columns")
    demand(sensitive not in quasi and quasi, "quasi-identifiers")
    groups: dict[int, list[Any]] = {}
    for row in rows:
        groups.setdefault(row[number], []).append(tuple(row[name] for name in quasi))
    demand([*groups] == list(range(len(groups))) and groups, "groups are numbered without a gap")
    demand(never_falling([row[number] for row in rows]), "groups ascend")
    demand(never_falling([row[column[0]] for row in values]), "groups of values ascend")
    held: dict[int, list[tuple[Any, int]]] = {group: [] for group in groups}
    for row in values:
        demand(row[column[0]] in held and row[column[2]] >= 1, "a group or a count of values")
        held[row[column[0]]].append((row[sensitive], row[column[2]]))
    for group, people in groups.items():
        demand(never_falling([_row_key(row) for row in people]), f"rows of group {group} ascend")
        keys = [_key(value) for value, _ in held[group]]
        demand(sorted(set(keys)) == keys, f"values of group {group} ascend")
        demand(sum(count for _, count in held[group]) == len(people), f"counts of group {group}")
    heads = [[_row_key(row) for row in people[:16]] for people in groups.values()]
    demand(never_falling(heads), "groups in the order of their first rows")
    counts_are(
        folder,
        rows=len(rows),
        groups=len(groups),
        quasi_identifiers=len(quasi),
        sensitive_values=len({row[sensitive] for row in values}),
    )
    promises = folder.promises
    demand(len(promises) == 1, "promises")
    promise = next(iter(promises.values()))
    demand(promise["sensitive"] == sensitive, "the promise is about another column")
    if promise["kind"] == "FrequencyDiversity":
        for group, people in groups.items():
            most = max(count for _, count in held[group])
            demand(most * promise["l"] <= len(people), f"a value is more than one in {promise['l']} of group {group}")
        return
    demand(promise["kind"] == "MatchingDiversity", "kind of promise")
    _matching(folder, quasi, groups, held, promise["l"])


def _matching(folder: Folder, quasi: list[str], groups: dict[int, list[Any]], held: dict[int, Any], l: int) -> None:  # noqa: E741
    """Every row has l values in some assignment; without rules, its group has l values."""
    rules: dict[int, tuple[str, list[tuple[int, set[str]]]]] = {}
    for row in folder.tables.get("rules", []):
        excluded, conditions = rules.setdefault(row["rule"], (row["excluded"], []))
        demand(excluded == row["excluded"], "a rule that excludes two values")
        conditions.append((quasi.index(row["column"]), set(row["values"])))
    for group, people in groups.items():
        values = [None if value is None else str(value) for value, _ in held[group]]
        excluded = [
            sum(
                1 << values.index(value)
                for value in {
                    value for value, conditions in rules.values() if value in values and _meets(row, conditions)
                }
            )
            for row in people
        ]
        kinds = Counter(excluded)
        demand(len(people) <= 200, f"group {group} is large")
        rows = sorted(kinds.elements())
        valid = count_valid(rows, [count for _, count in held[group]])
        demand(min(valid) >= l, f"a row of group {group} has {min(valid)} valid values")


def _meets(row: tuple[Any, ...], conditions: list[tuple[int, set[str]]]) -> bool:
    return all(row[column] is not None and str(row[column]) in values for column, values in conditions)


def _key(value: Any) -> tuple[bool, Any]:
    return value is None, value.encode() if isinstance(value, str) else (value if value is not None else 0)


def _row_key(row: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    return [_key(value) for value in row]
