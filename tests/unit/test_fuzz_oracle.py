"""The oracle of the fuzzer: against slower ones that name every record, and on releases that break each promise."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.fuzz import seeds
from tests.fuzz.cells import _table
from tests.fuzz.manifests import reworded
from tests.fuzz.oracle.disassociated import _no_links
from tests.fuzz.oracle.folder import Broken, Undecided
from tests.fuzz.oracle.judge import judge
from tests.fuzz.oracle.placing import frozen, worlds
from tests.fuzz.repairs import repair
from tests.fuzz.signing import MANIFEST, parquet, signed
from tests.oracles.certain_links import certain_links
from tests.oracles.disassociation import largest_supports


def drawn_leaf(chance: random.Random, items: str) -> Any:
    size = chance.randint(1, 3)
    shuffled = chance.sample(items, len(items))
    cut = sorted(chance.choices(range(len(items) + 1), k=2))
    chunks = []
    for domain in (shuffled[: cut[0]], shuffled[cut[0] : cut[1]]):
        rows = [frozenset(item for item in domain if chance.random() < 0.6) for _ in range(size)]
        if any(rows):
            chunks.append([row for row in rows if row])
    terms = frozenset(shuffled[cut[1] :][: chance.randint(0, 2)])
    return (size, chunks, terms) if chunks or terms else (size, [], frozenset(items[0]))


def drawn_node(seed: int) -> Any:
    chance = random.Random(seed)
    if chance.random() < 0.5:
        return drawn_leaf(chance, "abcd")
    leaves = [drawn_leaf(chance, "abcd"[: chance.randint(2, 4)]) for _ in range(2)]
    free = sorted(set("abcde") - set().union(*(leaf[2] for leaf in leaves)))
    n_rows = chance.randint(1, min(3, sum(leaf[0] for leaf in leaves)))
    rows = [frozenset(item for item in free if chance.random() < 0.5) for _ in range(n_rows)]
    return leaves, [[row for row in rows if row]] if any(rows) else []


@pytest.mark.parametrize("seed", range(150))
def test_largest_supports_are_those_over_all_worlds(seed: int) -> None:
    node = drawn_node(seed)
    expected = largest_supports(node, 2)
    for size in (1, 2):
        for few in map(frozenset, combinations("abcde", size)):
            found = worlds(frozen(node), few, all_terms=True)
            most = max((sum(count for (_, held, _), count in world if held == few) for world in found), default=0)
            assert most == expected[few], (node, few)


@pytest.mark.parametrize("seed", range(60))
def test_certain_links_are_those_over_all_worlds(seed: int) -> None:
    node = drawn_node(seed)
    try:
        _no_links(frozen(node))
        broken = False
    except Broken:
        broken = True
    except Undecided:
        pytest.fail("small nodes are decided")
    assert broken == bool(certain_links(node)), node


Tables = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("oracle") / "seeds"
    place.mkdir()
    seeds.make(place)
    return place / "releases"


def broken_by(change: Callable[[dict[str, Any], Tables], object], release: Path, to: Path) -> str:
    """What the oracle says after a change after which everything else was put right."""
    files = {path.name: path.read_bytes() for path in release.iterdir()}
    manifest = json.loads(files[MANIFEST])
    read = {name: pq.read_table(io.BytesIO(data)) for name, data in files.items() if name != MANIFEST}
    tables = {name.removesuffix(".parquet"): table.to_pylist() for name, table in read.items()}
    change(manifest, tables)
    repair(manifest, tables)
    for name, table in read.items():
        files[name] = parquet(_table(tables[name.removesuffix(".parquet")], table.schema))
    rows = {f"{name}.parquet": len(table) for name, table in tables.items()}
    to.mkdir()
    for name, data in signed(files, rows, manifest).items():
        (to / name).write_bytes(data)
    return judge(to).broken or ""


def promise(place: int, name: str, value: Any) -> Callable[[dict[str, Any], Tables], object]:
    def change(manifest: dict[str, Any], _tables: Tables) -> None:
        manifest["promises"][place][name] = value
        reworded(manifest["promises"][place])

    return change


def lone_subrecord(kind: str) -> Callable[[dict[str, Any], Tables], object]:
    """An item that is nowhere else gets into one subrecord."""

    def change(_manifest: dict[str, Any], tables: Tables) -> None:
        chunk = next(row["chunk"] for row in tables["chunks"] if row["kind"] == kind)
        next(row for row in tables["subrecords"] if row["chunk"] == chunk)["items"].append("rare")

    return change


def no_term_chunks(_manifest: dict[str, Any], tables: Tables) -> None:
    """A cluster of two chunks that overlap in one record at most, because no record is empty."""
    tables["clusters"][:] = [{"cluster": 0, "size": 3, "joint": None}]
    tables["chunks"][:] = [{"chunk": number, "owner": 0, "kind": "record"} for number in (0, 1)]
    tables["subrecords"][:] = [
        {"chunk": number, "items": [item]} for number, item in ((0, "a"), (1, "b")) for _ in "12"
    ]
    tables["term_chunks"].clear()


def sensitive_in_a_chunk(_manifest: dict[str, Any], tables: Tables) -> None:
    for row in tables["subrecords"]:
        if row["chunk"] == 0:
            row["items"].append("wine")
    tables["term_chunks"][:] = [row for row in tables["term_chunks"] if "wine" not in row["items"]]


def sensitive_forced(_manifest: dict[str, Any], tables: Tables) -> None:
    tables["clusters"].append({"cluster": len(tables["clusters"]), "size": 3, "joint": None})
    tables["term_chunks"].append({"cluster": len(tables["clusters"]) - 1, "items": ["wine"]})


def linked(_manifest: dict[str, Any], tables: Tables) -> None:
    number = len(tables["clusters"])
    tables["clusters"].append({"cluster": number, "size": 3, "joint": None})
    tables["chunks"].append({"chunk": 99, "owner": number, "kind": "record"})
    tables["subrecords"].extend({"chunk": 99, "items": ["a"]} for _ in range(3))
    tables["term_chunks"].append({"cluster": number, "items": ["b"]})


def one_value(_manifest: dict[str, Any], tables: Tables) -> None:
    values = [row for row in tables["sensitive"] if row["group"] == 0]
    for row in values[1:]:
        row["diagnosis"] = values[0]["diagnosis"]


def excluded(_manifest: dict[str, Any], tables: Tables) -> None:
    """Rules that leave women one value."""
    tables["rules"] = [
        {"rule": number, "excluded": value, "column": "sex", "label": "f", "values": ["f"]}
        for number, value in enumerate(("asthma", "gout", "ulcer"))
    ]


def smaller_group(_manifest: dict[str, Any], tables: Tables) -> None:
    held = [row for row in tables["rows"] if row["group"] == 0]
    for row in held[2:]:
        tables["rows"].remove(row)


def shown_to_all(_manifest: dict[str, Any], tables: Tables) -> None:
    for row in tables["rows"]:
        if row["group"] == 0:
            row["diagnosis"] = "flu"


def rule_between_columns(_manifest: dict[str, Any], tables: Tables) -> None:
    """Half of a group has one postcode and one diagnosis, which is shown in no larger share."""
    held = [row for row in tables["rows"] if row["group"] == 0]
    for number, row in enumerate(held):
        linked_row = number < len(held) / 2
        row["postcode"] = "1010" if linked_row else ("1020", "2010")[number % 2]
        row["diagnosis"] = "flu" if linked_row else ("asthma", "ulcer")[number % 2]


def rare_basket(_manifest: dict[str, Any], tables: Tables) -> None:
    """The basket of all items is in one row."""
    whole = max(tables["rows"], key=lambda row: len(row["items"]))
    tables["rows"] = [row for row in tables["rows"] if row["items"] != whole["items"]] + [whole]


def counted_once(_manifest: dict[str, Any], tables: Tables) -> None:
    tables["rows"][-1]["count"] = 1


def two_levels(_manifest: dict[str, Any], tables: Tables) -> None:
    """Food, and bread, each often enough."""
    number = {row["name"]: row["item"] for row in tables["hierarchy"]}
    tables["rows"].extend({"items": [number[name]]} for name in ("food", "bread") for _ in range(5))


def fewer_records(manifest: dict[str, Any], _tables: Tables) -> None:
    """So many fake transactions cannot be, whatever number is real."""
    manifest["promises"][0]["fakes"] = 60.0
    reworded(manifest["promises"][0])


BREAKS = {
    "k too large": ("disassociated", promise(0, "k", 5)),
    "an item once in a record chunk": ("disassociated", lone_subrecord("record")),
    "an item once in a shared chunk": ("disassociated-joint", lone_subrecord("shared")),
    "lemma 2": ("disassociated", no_term_chunks),
    "suppressed": ("disassociated-suppressed", lone_subrecord("record")),
    "three items": ("disassociated-three", lone_subrecord("shared")),
    "sensitive in a chunk": ("disassociated-sensitive", sensitive_in_a_chunk),
    "sensitive and forced": ("disassociated-sensitive", sensitive_forced),
    "l too large": ("disassociated-sensitive", promise(1, "l", 9)),
    "a link": ("disassociated-no-links", linked),
    "anatomy, one value": ("anatomy", one_value),
    "anatomy, l": ("anatomy", promise(0, "l", 3)),
    "injector, rules": ("injector", excluded),
    "injector, one value": ("injector-closed", one_value),
    "a small group": ("bottom-up", smaller_group),
    "mondrian, k": ("mondrian", promise(0, "k", 9)),
    "a value of all": ("bottom-up-hidden", shown_to_all),
    "a rule": ("bottom-up-two-columns", rule_between_columns),
    "filled": ("bottom-up-resisting", promise(1, "min_confidence", 0.2)),
    "a rare basket": ("km-generalization-whole", rare_basket),
    "generalized, k": ("km-generalization", promise(0, "k", 12)),
    "two levels": ("km-generalization-whole", two_levels),
    "a count below the threshold": ("diffpart", counted_once),
    "epsilon of the noise": ("diffpart", promise(0, "epsilon", 0.01)),
    "epsilon of flips": ("mask", promise(1, "epsilon", 0.5)),
    "another number of fakes": ("hybrid", fewer_records),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_release_that_breaks_its_promise_is_found(name: str, begun: Path, tmp_path: Path) -> None:
    release, change = BREAKS[name]
    assert not broken_by(lambda manifest, tables: None, begun / release, tmp_path / "whole")  # noqa: ARG005
    said = broken_by(change, begun / release, tmp_path / "broken")
    assert said
    assert "not of the format" not in said


def test_every_seed_keeps_its_promise(begun: Path) -> None:
    assert {folder.name: judge(folder) for folder in begun.iterdir()} == {
        folder.name: type(judge(folder))() for folder in begun.iterdir()
    }
    assert {name.removesuffix(".toml") for name in seeds.RELEASES} == {folder.name for folder in begun.iterdir()}
