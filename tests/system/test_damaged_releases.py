"""Releases damaged by hand, their checksums and counts put right: ``shoal verify`` names what was done to them."""

import json
import os
import re

import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.main import run
from shoal.io.release_folder import MANIFEST, write_release
from tests.making.damaged_folders import edit_manifest, rewrite, with_column
from tests.making.disassociated_releases import disassociated

RECORDS = (
    [{"bread", "milk"}] * 4
    + [{"bread", "milk", "beer"}] * 3
    + [{"bread", "wine"}, {"bread", "hiv", "jam"}]
    + [{"tea", "jam"}] * 6
    + [{"tea", "hiv"}, {"jam", "soap"}]
)


@pytest.fixture
def folder(tmp_path):
    """A sound release with two clusters, record chunks, term chunks and a sensitive item."""
    data = shoal.read(RECORDS)
    shoal.disassociate(data, k=3, m=2, max_cluster_size=9, sensitive=["hiv"], l=3).write(tmp_path / "release")
    return tmp_path / "release"


def column(folder, name, key):
    return pq.read_table(folder / name)[key].to_pylist()


def recount(folder):
    """Let the manifest count what the files hold now."""
    subrecords, terms = column(folder, "subrecords.parquet", "items"), column(folder, "term_chunks.parquet", "items")
    counts = {
        "records": sum(column(folder, "clusters.parquet", "size")),
        "items": len({item for row in subrecords + terms for item in row}),
        "clusters": len(column(folder, "clusters.parquet", "cluster")),
        "joint_clusters": 0,
        "chunks": len(column(folder, "chunks.parquet", "chunk")),
        "subrecords": len(subrecords),
    }
    edit_manifest(folder, lambda manifest: manifest.update(counts=counts))


def an_itemset_below_k(folder):
    rows = column(folder, "subrecords.parquet", "items")
    at = next(i for i, row in enumerate(rows) if len(row) == 1)
    chunk = column(folder, "subrecords.parquet", "chunk")
    same = [i for i in range(len(rows)) if chunk[i] == chunk[at]]
    rows[at] = sorted([*rows[at], "zucchini"])
    rows[same[0] : same[-1] + 1] = sorted(rows[same[0] : same[-1] + 1])
    rewrite(folder, "subrecords.parquet", with_column("items", rows, "subrecords.parquet"))


def an_item_in_two_chunks(folder):
    rows, terms = column(folder, "subrecords.parquet", "items"), column(folder, "term_chunks.parquet", "items")
    owner = column(folder, "chunks.parquet", "owner")[0]
    at = column(folder, "term_chunks.parquet", "cluster").index(owner)
    terms[at] = sorted({*terms[at], rows[0][0]})
    rewrite(folder, "term_chunks.parquet", with_column("items", terms, "term_chunks.parquet"))


def a_cluster_below_k(folder):
    sizes = column(folder, "clusters.parquet", "size")
    sizes[0] = 2
    rewrite(folder, "clusters.parquet", with_column("size", sizes, "clusters.parquet"))


def a_sensitive_item_in_a_record_chunk(folder):
    rows = column(folder, "subrecords.parquet", "items")
    renamed = [sorted("hiv" if item == "tea" else item for item in row) for row in rows]
    chunk = column(folder, "subrecords.parquet", "chunk")
    ordered = [
        row for c in sorted(set(chunk)) for row in sorted(r for r, of in zip(renamed, chunk, strict=True) if of == c)
    ]
    rewrite(folder, "subrecords.parquet", with_column("items", ordered, "subrecords.parquet"))


def a_changed_checksum(folder):
    edit_manifest(folder, lambda manifest: manifest["files"][0].update(sha256="0" * 64))


def a_truncated_file(folder):
    path = folder / "subrecords.parquet"
    path.write_bytes(path.read_bytes()[:-20])


def a_pair_that_nobody_had(folder):
    """Harmless to the promise, so only the original gives it away: another name for an item of two of them."""
    rows = column(folder, "subrecords.parquet", "items")
    swap = {"jam": "soap", "soap": "jam"}
    assert any("jam" in row for row in rows)
    rewrite(
        folder,
        "subrecords.parquet",
        with_column("items", [sorted(swap.get(i, i) for i in row) for row in rows], "subrecords.parquet"),
    )


@pytest.mark.parametrize(
    ("damage", "check", "witness"),
    [
        (an_itemset_below_k, "record chunks", "zucchini"),
        (an_item_in_two_chunks, "disjoint domains", "cluster"),
        (a_cluster_below_k, "cluster size", "cluster 0 has 2 records, fewer than k = 3"),
        (a_sensitive_item_in_a_record_chunk, "sensitive items", "holds the sensitive item hiv"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_the_check_meant_for_it_fails_with_its_witness(folder, capfd, damage, check, witness):
    assert run(["verify", str(folder)]) == 0
    damage(folder)
    recount(folder)
    capfd.readouterr()
    assert run(["verify", str(folder), "--json"]) == 1
    failed = {
        entry["name"]: entry["witness"] for entry in json.loads(capfd.readouterr().out)["checks"] if not entry["holds"]
    }
    assert check in failed, failed
    assert witness in failed[check]


def test_a_removed_term_chunk_is_missed_where_the_promise_relied_on_it(tmp_path, capfd):
    """Figure 4 of the paper: without the term chunk only one original has five non-empty records."""
    folder = tmp_path / "release"
    data = shoal.read([set("a"), set("a"), set("bc"), set("bc"), set("abc")])
    shoal.disassociate(data, k=3, m=2).write(folder)
    rewrite(folder, "term_chunks.parquet", lambda table: table.slice(0, 0))
    recount(folder)
    assert run(["verify", str(folder)]) == 1
    assert "cluster 0 has no term chunk and 6 subrecords in 2 record chunks, fewer than 8" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("damage", "name"), [(a_changed_checksum, "clusters.parquet"), (a_truncated_file, "subrecords.parquet")]
)
def test_a_file_that_is_not_the_one_that_was_written_is_named(folder, capfd, damage, name):
    damage(folder)
    assert run(["verify", str(folder)]) == 1
    printed = capfd.readouterr().out
    assert "FAILS   folder" in printed
    assert f"{name} was changed after it was published" in printed


def test_a_sentence_that_promises_more_than_the_numbers_is_found(folder, capfd):
    def boast(manifest):
        manifest["promises"][0]["words"] = manifest["promises"][0]["words"].replace("at least 3", "at least 300")

    def conceal(manifest):
        manifest["promises"][0]["not_promised"].pop()

    for change in (boast, conceal):
        before = (folder / "manifest.json").read_bytes()
        edit_manifest(folder, change)
        assert run(["verify", str(folder)]) == 1
        printed = capfd.readouterr().out
        assert "FAILS   manifest words" in printed
        assert "at least 3 records contain the set" in printed
        (folder / "manifest.json").write_bytes(before)
    assert run(["verify", str(folder)]) == 0


def test_with_the_original_at_hand_an_invented_pair_is_found(folder, tmp_path, capfd):
    original = tmp_path / "baskets.dat"
    original.write_text("\n".join(" ".join(sorted(record)) for record in RECORDS), encoding="utf-8")
    assert run(["verify", str(folder), "--original", str(original)]) == 0
    a_pair_that_nobody_had(folder)
    recount(folder)
    assert run(["verify", str(folder), "--original", str(original)]) == 1
    assert "in the original" in "".join(line for line in capfd.readouterr().out.splitlines() if "FAILS" in line)


def rows(*subrecords):
    return [frozenset(subrecord) for subrecord in subrecords]


UNSAFE_JOINTS = {
    # REFINE as printed: nothing is left in the second cluster to fill its third record from.
    "Lemma 2": (
        2,
        ([(2, [rows("a", "a")], ""), (3, [rows("a", "a")], "")], [rows("b", "b")]),
        "cluster 2 has no term chunk and 2 subrecords in 1 record chunks, fewer than 3",
        "{a, b} is in at most 1 records",
    ),
    # Property 1: {b, c} is possible once, with the {c} that stands without a.
    "shared chunks over T^r": (
        3,
        ([(3, [rows("ab", "ab", "ab")], "g"), (3, [], "e"), (3, [], "f")], [rows("ac", "ac", "ac", "c", *"ddd")]),
        "the subrecord {c} occurs 1 times, fewer than k = 3",
        "is in at most 1 records",
    ),
    # Property 1 holds, but the four {a} leave room for two {b} beside y.
    "room beside restricted subrecords": (
        3,
        (
            [([(3, [rows(*"aaa")], "q"), (3, [rows(*"yyy")], "r")], [rows(*"zzz")]), (3, [rows(*"www")], "t")],
            [rows(*"aaaabbb")],
        ),
        "the clusters that can take all of them have 6 records, fewer than 7",
        "is in at most 2 records",
    ),
}


@pytest.mark.parametrize("check", UNSAFE_JOINTS)
def test_an_unsafe_joint_is_found_by_the_auditor_and_broken_by_the_adversary(tmp_path, capfd, check):
    k, joint, witness, broken = UNSAFE_JOINTS[check]
    folder = tmp_path / "release"
    folder.mkdir()
    write_release(disassociated([joint], k, 2), folder, manifest_name=MANIFEST)
    assert run(["verify", str(folder), "--json"]) == 1
    failed = {
        entry["name"]: entry["witness"] for entry in json.loads(capfd.readouterr().out)["checks"] if not entry["holds"]
    }
    assert list(failed) == [check]
    assert witness in failed[check]

    assert run(["attack", str(folder)]) == 1
    printed = " ".join(capfd.readouterr().out.split())
    assert "BREAKS THE PROMISE possible originals" in printed
    assert broken in printed
    assert re.search(r"\((about )?[0-9^,]+ possible originals of its tree\)", printed)


def test_a_certain_link_in_a_release_that_promises_none(tmp_path, capfd):
    folder = tmp_path / "release"
    data = shoal.read([{"a", "b", f"x{number}"} for number in range(30)])
    shoal.disassociate(data, k=3, m=2).write(folder)
    promised = shoal.promises.NoCertainLinks()
    entry = {"kind": "NoCertainLinks", "words": promised.words, "not_promised": list(promised.not_promised)}
    edit_manifest(folder, lambda manifest: manifest["promises"].append(entry))
    assert run(["verify", str(folder)]) == 1
    printed = capfd.readouterr().out
    assert "FAILS   links to common items" in printed
    assert "FAILS   links inside chunks" in printed
    assert run(["attack", str(folder)]) == 1
    assert "BREAKS THE PROMISE" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("name", "key", "values", "place"),
    [
        ("clusters.parquet", "size", [5, 5], "cluster 0 has another number of records than the clusters below it"),
        ("clusters.parquet", "size", [0], "cluster 0 has no records"),
        ("chunks.parquet", "kind", ["record"], "the owner of chunk 0 is a cluster of the other kind"),
        ("chunks.parquet", "owner", [1], "the owner of chunk 0 is a cluster of the other kind"),
        ("chunks.parquet", "owner", [99], "chunks.parquet: row 0 has owner 99, which does not exist"),
        ("subrecords.parquet", "chunk", [0] * 8, "chunk 0 has more subrecords than its cluster has records"),
        ("subrecords.parquet", "chunk", [99], "subrecords.parquet: row 0 has chunk 99, which does not exist"),
        ("term_chunks.parquet", "cluster", [0], "joint cluster 0 has a term chunk"),
    ],
)
@pytest.mark.parametrize("command", [["query", "a"], ["mine", "--min-support", "1"], ["reconstruct", "-o", "drawn"]])
def test_whoever_asks_a_damaged_release_learns_the_place(
    tmp_path, monkeypatch, capfd, name, key, values, place, command
):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "release"
    folder.mkdir()
    leaves = [(2, [["a", "a"]], "x"), (2, [["b", "b"]], "y")]
    write_release(disassociated([(leaves, [["s", "s"]])]), folder)
    assert run([command[0], "release", *command[1:], *(["--force"] if "-o" in command else [])]) == 0
    whole = column(folder, name, key)
    rewrite(folder, name, with_column(key, [*values, *whole[len(values) :]][: len(whole)], name))
    recount(folder)
    records = sum(column(folder, "clusters.parquet", "size")[1:])  # cluster 0 is the joint one
    edit_manifest(folder, lambda manifest: manifest["counts"].update(joint_clusters=1, clusters=2, records=records))
    capfd.readouterr()
    assert run([command[0], "release", *command[1:], *(["--force"] if "-o" in command else [])]) == 1
    said = capfd.readouterr()
    assert place in said.err
    assert "Traceback" not in said.err


def test_what_else_lies_in_a_folder_is_named_and_the_promise_not_confirmed(folder, capfd):
    alone = shoal.verify(folder)
    assert alone.confirmed
    (folder / "original.dat").write_text("bread milk\n")
    (folder / ".hidden").mkdir()
    verdict = shoal.verify(folder)
    assert verdict.checks == alone.checks
    assert verdict.holds
    assert not verdict.confirmed
    (left,) = verdict.left_out
    assert left.why.startswith(".hidden, original.dat: not part of the release")
    assert run(["verify", str(folder)]) == 0
    assert "so the promise is not confirmed: other files in the folder" in capfd.readouterr().out
    (folder / os.fsdecode(b"\xff")).touch()  # a name that is no text, and would be in every report
    shoal.report(folder).html().encode()
    (folder / os.fsdecode(b"\xff")).unlink()
    for number in range(3):
        (folder / f"{number}.txt").touch()
    assert shoal.verify(folder).left_out[0].why.startswith(".hidden, 0.txt, 1.txt and 2 more: not part")
