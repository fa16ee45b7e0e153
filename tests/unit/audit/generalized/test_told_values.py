"""Values that only suppressed rows have, and values of few people: releases that tell them are rejected."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import generalized
from shoal.audit.attack.generalized import attack
from shoal.audit.generalized import named_values, suppressed_values
from shoal.audit.generalized.named_values import NAME as NAMED
from shoal.audit.generalized.suppressed_values import NAME as SUPPRESSED
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Table
from shoal.release.evidence import Evidence
from shoal.release.generalized import Generalized

PAYS = [11, 12, 13, 21, 22, 23, 31, 32, 33, 400]
JOBS = ["cook", "cook", "cook", "nurse", "nurse", "nurse", "cook", "cook", "cook", "acrobat"]


def people() -> Table:
    return people_with("acrobat")


def people_with(job: str) -> Table:
    """The last one has a job of his own."""
    return Table.from_arrow(pa.table({"pay": PAYS, "job": [*JOBS[:-1], job]}), quasi=["pay", "job"])


def release(**options: Any) -> Generalized:
    return shoal.k_anonymity(people(), 3, max_suppressed=0.1, **options)


def with_tree(given: Generalized, name: str, change: Any) -> Generalized:
    """The release with another tree of a column, in which nodes keep their places."""
    columns = [replace(c, tree=change(c.tree)) if c.name == name else c for c in given.columns]
    return replace(given, columns=tuple(columns))


def relabelled(old: str, new: str) -> Any:
    def change(tree: NodeTree) -> NodeTree:
        assert any(old in label for label in tree.labels)
        return NodeTree(tuple(label.replace(old, new) for label in tree.labels), tree.parents, tree.leaves)

    return change


def listing(label: str) -> Any:
    """One more value below the root, which no row holds."""

    def change(tree: NodeTree) -> NodeTree:
        leaves = np.append(tree.leaves, 1)
        leaves[0] += 1
        return NodeTree((*tree.labels, label), np.append(tree.parents, 0).astype(np.int32), leaves)

    return change


def test_the_release_as_it_is_tells_neither() -> None:
    made = release(publish_hierarchies=True)
    assert made.suppressed == 1
    verdict = generalized.audit(made, original=people())
    assert verdict.holds, verdict
    assert verdict[SUPPRESSED].checked > 0
    assert verdict[NAMED].checked > 0
    assert made.column("pay").tree.labels[1:3] == ("< 30", "< 20")


@pytest.mark.parametrize(
    ("change", "witness"),
    [
        (("pay", relabelled("30", "31")), "column 'pay': 31, an end of < 31, is the value of 1 row"),
        (("job", listing("acrobat")), "column 'job': acrobat, named by acrobat, is the value of 1 row"),
        (
            ("job", listing("{acrobat, ... and 2 more}")),
            "acrobat, named by '{acrobat, ... and 2 more}', is the value of",
        ),
    ],
)
def test_a_tree_that_names_a_value_of_few_people_is_rejected(change: tuple[str, Any], witness: str) -> None:
    broken = with_tree(release(publish_hierarchies=True), *change)
    check = generalized.audit(broken, original=people())[NAMED]
    assert not check.holds
    assert witness in str(check.witness)
    finding = attack(broken, original=people())[NAMED]
    assert finding.breaks_promise
    assert finding.numbers["held_by_fewer_than_k"] == finding.numbers["of_trees_made_from_the_data"] == 1


def test_what_the_steward_gave_is_not_from_the_data() -> None:
    broken = with_tree(release(publish_hierarchies=True), "pay", relabelled("30", "31"))
    given = replace(broken, columns=tuple(replace(c, making=None) for c in broken.columns), discloses_hierarchies=False)
    finding = attack(given, original=people())[NAMED]
    assert not finding.breaks_promise
    assert (finding.numbers["held_by_fewer_than_k"], finding.numbers["of_trees_made_from_the_data"]) == (1, 0)
    with pytest.raises(KeyError):
        generalized.audit(given, original=people())[NAMED]


@pytest.mark.parametrize(
    ("change", "witness"),
    [
        (("job", listing("acrobat")), "acrobat, which only suppressed rows have in column 'job', is in hierarchies"),
        (("pay", relabelled(">= 30", "[30, 400)")), "400, which only suppressed rows have in column 'pay', is in"),
        (("pay", listing("400")), "400, which only suppressed rows have in column 'pay', is in hierarchies"),
        (
            ("job", listing("{cook, acrobat, ... and 2 more}")),
            "acrobat, which only suppressed rows have in column 'job'",
        ),
        (("job", listing("{cook, acrobat} #2")), "acrobat, which only suppressed rows have in column 'job', is in"),
    ],
)
def test_a_value_of_a_suppressed_row_is_found(change: tuple[str, Any], witness: str) -> None:
    broken = with_tree(release(publish_hierarchies=True), *change)
    check = generalized.audit(broken, original=people())[SUPPRESSED]
    assert not check.holds
    assert witness in str(check.witness)


def put_into_manifest(folder: Path) -> str:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"remark": "without the acrobat, of course"}))
    return "manifest.json"


def put_beside(folder: Path) -> str:
    (folder / "README.txt").write_text("Left out: one acrobat.")
    return "README.txt"


@pytest.mark.parametrize("put", [put_into_manifest, put_beside])
def test_every_file_of_the_folder_is_searched(put: Any, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    release().write(folder)
    assert shoal.verify(folder, Evidence(original=people()))[SUPPRESSED].holds
    name = put(folder)
    check = shoal.verify(folder, Evidence(original=people()))[SUPPRESSED]
    assert check.witness == f"acrobat, which only suppressed rows have in column 'job', is in {name}"


@pytest.mark.parametrize("value", ["tightrope walker", "Smith & Sons", "C++", "(acrobat)", "-12345", "a-b c.d, e"])
def test_a_value_of_several_words_or_signs_is_found_in_any_text(value: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    original = people_with(value)
    shoal.k_anonymity(original, 3, max_suppressed=0.1).write(folder)
    assert shoal.verify(folder, Evidence(original=original))[SUPPRESSED].holds
    beside = folder / "README.txt"
    for text in (f"Left out: one {value}, of course.", value, f"{value}: out", f"x {value[:-1]} {value}"):
        beside.write_text(text)
        check = shoal.verify(folder, Evidence(original=original))[SUPPRESSED]
        assert value in str(check.witness)
        assert str(check.witness).endswith(", which only suppressed rows have in column 'job', is in README.txt")


@pytest.mark.parametrize("text", ["a tightrope", "tightrope-walker", "tightrope walkers", "a tightrope walker-on"])
def test_a_part_of_a_value_is_not_the_value(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    original = people_with("tightrope walker")
    shoal.k_anonymity(original, 3, max_suppressed=0.1).write(folder)
    (folder / "README.txt").write_text(text)
    assert shoal.verify(folder, Evidence(original=original))[SUPPRESSED].holds


@pytest.mark.parametrize("value", ["hold", "rows", "whole", "shoal", "bottom-up", "hierarchies", "method", "format"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_value_that_is_a_word_of_every_manifest_is_not_told_by_it(value: str, whole: bool, tmp_path: Path) -> None:
    original = people_with(value)
    shoal.k_anonymity(original, 3, max_suppressed=0.1, publish_hierarchies=whole).write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release", Evidence(original=original)).holds


def test_of_values_that_begin_alike_the_right_one_is_found() -> None:
    words = suppressed_values._Words.of(["to the end", "to the very end", "to the-end", "end to", "--"])
    assert words.found_in("to the " * 1_000 + "start, to the very start") is None
    assert words.found_in("to the to the very end") == "to the very end"
    assert words.found_in("to the end of it") == "to the end"
    assert words.found_in("to, the end to") == "end to"
    assert words.found_in("-- to the") is None, "signs alone mean anything"


def test_a_broken_tree_on_disk_is_named_by_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    with_tree(release(publish_hierarchies=True), "job", listing("acrobat")).write(folder)
    verdict = shoal.verify(folder, Evidence(original=people()))
    assert not verdict.holds
    assert str(verdict[SUPPRESSED].witness).startswith(
        "acrobat, which only suppressed rows have in column 'job', is in hierarchies.parquet"
    )


def counting(more: int) -> Any:
    def change(tree: NodeTree) -> NodeTree:
        leaves = tree.leaves.copy()
        leaves[0] += more
        return NodeTree(tree.labels, tree.parents, leaves)

    return change


def test_a_tree_that_counts_a_value_of_a_suppressed_row_is_rejected() -> None:
    made = release(publish_hierarchies=True)
    assert generalized.audit(made, original=people())[SUPPRESSED].holds
    check = generalized.audit(with_tree(made, "job", counting(1)), original=people())[SUPPRESSED]
    assert check.witness == "the tree of column 'job' counts 3 values, but the rows that are not suppressed have 2"


def completed_release() -> Generalized:
    trees = {"job": Hierarchy.from_rows([("cook", "x", "*"), ("clown", "x", "*")], name="job")}
    trees = {"job": trees["job"].check_against(people().column("job"), complete=True)}
    return release(publish_hierarchies=True, hierarchies=trees)


def test_of_a_completed_hierarchy_only_values_below_the_root_are_from_the_data() -> None:
    made = completed_release()
    assert made.column("job").making == "completed"
    assert made.column("job").tree.labels == ("*", "nurse", "x", "clown", "cook")
    verdict = generalized.audit(made, original=people())
    assert verdict.holds, verdict
    broken = with_tree(made, "job", listing("acrobat"))
    verdict = generalized.audit(broken, original=people())
    assert "acrobat, which only suppressed rows have" in str(verdict[SUPPRESSED].witness)
    assert "acrobat, named by acrobat, is the value of 1 row" in str(verdict[NAMED].witness)
    assert attack(broken, original=people())[NAMED].breaks_promise
    # The same label below a node that was given is the steward's.
    verdict = generalized.audit(with_tree(made, "job", relabelled("clown", "acrobat")), original=people())
    assert verdict[SUPPRESSED].holds
    assert verdict[NAMED].holds


def rewritten(folder: Path, name: str, table: pa.Table) -> None:
    """Replace a file of a release, and let the manifest say so."""
    pq.write_table(table, folder / name, store_schema=False)
    signed_anew(folder, name)


def signed_anew(folder: Path, name: str) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for entry in manifest["files"]:
        if entry["name"] == name:
            entry["sha256"] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["rows.parquet", "hierarchies.parquet"])
def test_a_dictionary_with_a_word_that_no_cell_uses_is_searched(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    release().write(folder)
    table = pq.read_table(folder / name)
    column = "job" if name == "rows.parquet" else "label"
    cells = table[column].to_pylist()
    words = sorted({*cells, "acrobat"})
    field = table.schema.field(column)
    hiding = pa.DictionaryArray.from_arrays(pa.array(map(words.index, cells), pa.int32()), pa.array(words))
    at = table.schema.get_field_index(column)
    table = table.set_column(at, pa.field(column, hiding.type, field.nullable), hiding)
    rewritten(folder, name, table)
    check = shoal.verify(folder, Evidence(original=people()))[SUPPRESSED]
    assert check.witness == f"acrobat, which only suppressed rows have in column 'job', is in {name}"


def test_statistics_in_the_footer_name_no_more_than_rows(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    jobs = [{"acrobat": "smith"}.get(job, job) for job in JOBS]
    original = Table.from_arrow(pa.table({"pay": PAYS, "job": jobs}), quasi=["pay", "job"])
    shoal.k_anonymity(original, 3, max_suppressed=0.1).write(folder)
    assert shoal.verify(folder, Evidence(original=original))[SUPPRESSED].holds
    path = folder / "rows.parquet"
    whole = path.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    path.write_bytes(whole[:footer] + whole[footer:].replace(b"nurse", b"smith"))  # the greatest job
    signed_anew(folder, "rows.parquet")
    (check,) = shoal.verify(folder, Evidence(original=original)).failures
    assert check.name == "folder"
    assert str(check.witness).endswith("rows.parquet: statistics of column 'job' name 'smith', which no row has")


def test_without_the_original_it_is_said_what_was_not_tried() -> None:
    assert attack(release()).left_out[0].name == NAMED


def test_numbers_in_labels_are_found_in_one_pass() -> None:
    find = named_values._PLAIN_NUMBER.findall
    assert find("10-20 or -3.5, x12-30, 1.2.3-4, v7") == ["10", "20", "-3.5", "12", "30", "2.3", "4"]
    began = time.process_time()
    assert find("x" + "1" * 300_000) == []
    assert time.process_time() - began < 5  # a search from each digit takes minutes
