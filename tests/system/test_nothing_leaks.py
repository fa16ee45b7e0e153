"""What leaves the house: planted secrets are in no byte of a release, nor is the order of the input."""

from __future__ import annotations

import getpass
import json
import os
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import k_anonymity, pipeline, read_release, read_table
from shoal.data.hierarchy_builders import flat
from shoal.data.transactions import Transactions
from shoal.errors import InternalError
from shoal.io.disassociated import SCHEMAS
from shoal.publish.disassociation import disassociate

SECRET = "Xq7zSecret"
"""Every planted secret begins with this."""


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All bytes of a release: raw, every column decoded, every footer in full, statistics and dictionaries included."""
    for path in sorted(folder.rglob("*")):  # sorted: the plain copies made below are not met
        yield f"name of {path.name}", path.name.encode()
        raw = path.read_bytes()
        yield path.name, raw
        if path.suffix == ".parquet":
            yield f"{path.name} decoded", json.dumps(pq.read_table(path).to_pydict(), ensure_ascii=False).encode()
            plain = path.with_suffix(".plain")
            try:
                # The pages again without compression or codes: what hides in a compressed dictionary comes out here.
                pq.write_table(pq.read_table(path), plain, compression="none", use_dictionary=False, store_schema=False)
                yield f"{path.name} uncompressed", plain.read_bytes()
            finally:
                plain.unlink()
            meta = pq.read_metadata(path)
            assert not meta.metadata, f"{path.name} carries key-value metadata"
            yield f"{path.name} footer", repr(meta.to_dict()).encode()


def assert_absent(folder: Path, secrets: list[str]) -> None:
    looked = 0
    for where, raw in everything_in(folder):
        looked += 1
        for secret in secrets:
            for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                assert secret.encode(encoding) not in raw, f"{secret!r} ({encoding}) is in {where}"
                assert secret.lower().encode(encoding) not in raw.lower(), f"{secret!r} ({encoding}) is in {where}"
    assert looked > 10


def dictionary_words(path: Path) -> set[str]:
    """The words in the dictionary pages of a file, used or not."""
    words: set[str] = set()
    file = pq.ParquetFile(path, read_dictionary=["items.list.element"])
    for group in range(file.num_row_groups):
        for chunk in file.read_row_group(group)["items"].chunks:
            words.update(chunk.values.dictionary.to_pylist())
    return words


def parquet_with_secrets(path: Path) -> None:
    """Baskets in a Parquet file that says everywhere whose they are, with unused words in its dictionary."""
    random_records = random.Random(11)
    words = pa.array([f"{SECRET}UnusedFirst", *(f"item{n}" for n in range(12)), f"{SECRET}Rare", f"{SECRET}UnusedLast"])
    codes: list[int] = []
    lengths = []
    for number in range(200):
        row = sorted(random_records.sample(range(1, 13), 4)) + ([13] if number == 77 else [])
        codes += row
        lengths.append(len(row))
    items = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), words)
    lists = pa.ListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32()), items)
    field = pa.field("basket", lists.type, metadata={"origin": f"{SECRET}Field"})
    people = pa.array([f"{SECRET}Person{number}" for number in range(200)])
    schema = pa.schema(
        [field, pa.field("customer", pa.string())],
        metadata={"pandas": json.dumps({"creator": f"{SECRET}Schema"}), "host": f"{SECRET}Host"},
    )
    pq.write_table(pa.table([lists, people], schema=schema), path)
    assert f"{SECRET}Schema".encode() in path.read_bytes()


def test_nothing_of_the_stewards_file_is_in_the_release(tmp_path: Path) -> None:
    home = tmp_path / f"{SECRET}Folder"
    home.mkdir()
    source = home / f"{SECRET}Input.parquet"
    parquet_with_secrets(source)
    sensitive = home / f"{SECRET}List.txt"
    sensitive.write_text("item3\n")
    target = tmp_path / "release"
    command = ["publish", "disassociate", str(source), "-k", "5", "-m", "2", "-o", str(target), "--drop-rare"]
    command += ["--column", "basket", "--sensitive-from", str(sensitive), "-l", "3"]
    subprocess.run([sys.executable, "-m", "shoal", *command], check=True, capture_output=True, cwd=home)
    assert pipeline.verify(target).holds
    assert {path.name for path in target.iterdir()} == {"manifest.json", *SCHEMAS}
    assert_absent(target, [SECRET, str(tmp_path), "basket", "customer", "pandas", "ARROW:schema"])


def test_words_that_no_record_holds_are_not_published(tmp_path: Path) -> None:
    words = pa.array([f"{SECRET}A", "bread", "milk", "tea", f"{SECRET}Z"])
    offsets, codes = np.arange(0, 25, 2), np.array([1, 2] * 6 + [2, 3] * 6, np.int32)
    disassociate(Transactions.from_codes(offsets, codes, words), 3, 2).write(tmp_path / "release")
    assert_absent(tmp_path / "release", [SECRET])
    assert dictionary_words(tmp_path / "release" / "subrecords.parquet") == {"bread", "milk", "tea"}

    # Transactions that a program builds itself, against their contract: even then nothing is published.
    with pytest.raises(InternalError, match="it says 5 items, not 3"):
        disassociate(Transactions(offsets, codes, words), 3, 2).write(tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_rare_item_is_published_unless_it_is_dropped(tmp_path: Path) -> None:
    data = Transactions.from_records([{"bread", "milk"}] * 12 + [{"bread", f"{SECRET}Rare"}])
    disassociate(data, 3, 2, drop_rare=True).write(tmp_path / "without")
    assert_absent(tmp_path / "without", [SECRET])
    disassociate(data, 3, 2).write(tmp_path / "with")
    with pytest.raises(AssertionError, match=f"{SECRET}Rare|{SECRET}"):  # the search does find what is there
        assert_absent(tmp_path / "with", [SECRET])


def test_no_time_no_machine_no_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    data = Transactions.from_records([{"bread", "milk"}] * 12)
    disassociate(data, 3, 2).write(tmp_path / "release")
    people = {getpass.getuser(), os.environ.get("USER", ""), os.environ.get("LOGNAME", "")} - {""}
    machine = {socket.gethostname(), socket.getfqdn(), os.uname().nodename}
    # "record" must not count as the user "root"; names of fewer than 4 letters turn up in checksums by chance.
    names = [name for name in people | machine if len(name) > 3 and name not in ("localhost",)]
    assert_absent(tmp_path / "release", [*names, str(tmp_path), "/home", "/work"])
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    flat = re.sub("[0-9a-f]{64}", "", json.dumps(manifest))
    assert not re.search(r"20[0-9]{2}-|[0-9]{2}:[0-9]{2}|\b1[0-9]{9}\b", flat), "this looks like a time"
    assert set(manifest) == {"format", "format_version", "method", "promises", "left_out", "counts", "files"}
    for key in ("seed", "time", "date", "user", "host", "path", "source", "version"):
        assert key not in re.sub("format_version", "", flat).lower().replace("reference", ""), key


def records_of(seed: int) -> list[list[str]]:
    chance = random.Random(seed)
    return [[f"i{min(int(chance.expovariate(0.15)), 40)}" for _ in range(chance.randint(1, 7))] for _ in range(300)]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("options", [{}, {"sensitive": ["i3", "i7"], "l": 3}, {"drop_rare": True}], ids=str)
def test_permuted_input_gives_the_same_bytes(tmp_path: Path, seed: int, options: dict[str, Any]) -> None:
    records = records_of(seed)
    shuffled = [record[::-1] for record in records]
    random.Random(seed + 100).shuffle(shuffled)
    disassociate(Transactions.from_records(records), 4, 2, **options).write(tmp_path / "one")
    disassociate(Transactions.from_records(shuffled), 4, 2, **options).write(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_two_runs_of_the_command_give_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "baskets.dat"
    source.write_text("".join(" ".join(record) + "\n" for record in records_of(5)))
    for name in ("one", "two"):
        command = ["publish", "disassociate", str(source), "-k", "4", "-m", "2", "-o", str(tmp_path / name)]
        subprocess.run([sys.executable, "-m", "shoal", *command], check=True, capture_output=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_files_have_no_time_of_their_own_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Transactions.from_records([{"bread", "milk"}] * 12)
    disassociate(data, 3, 2).write(tmp_path / "one")
    import time

    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 10_000_000)
    disassociate(data, 3, 2).write(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def table_with_secrets(path: Path) -> None:
    """A table in a Parquet file that says everywhere whose it is, in columns that nobody asked to publish too."""
    chance = random.Random(12)
    towns = pa.array([f"{SECRET}UnusedFirst", "a-town", "b-town", "c-town", f"{SECRET}UnusedLast"])
    illnesses = pa.array([f"{SECRET}UnusedIllness", "flu", "gout", "mumps", "cold"])
    codes = [pa.array([chance.randint(1, most) for _ in range(240)], pa.int32()) for most in (3, 4)]
    columns = {
        "town": pa.DictionaryArray.from_arrays(codes[0], towns),
        "age": pa.array([chance.randint(20, 60) for _ in range(240)], pa.int16()),
        "illness": pa.DictionaryArray.from_arrays(codes[1], illnesses),
        "customer": pa.array([f"{SECRET}Person{number}" for number in range(240)]),
        f"{SECRET}Column": pa.array(range(240)),
    }
    schema = pa.schema(
        [pa.field(name, values.type, metadata={"origin": f"{SECRET}Field"}) for name, values in columns.items()],
        metadata={"pandas": json.dumps({"creator": f"{SECRET}Schema"}), "host": f"{SECRET}Host"},
    )
    pq.write_table(pa.table(list(columns.values()), schema=schema), path)
    assert f"{SECRET}Schema".encode() in path.read_bytes()


@pytest.mark.parametrize(
    "options", [["anatomy"], ["injector", "--min-expectation", ".6"], ["injector", "--publish-rules"]], ids=str
)
def test_nothing_of_the_stewards_table_is_in_the_release(tmp_path: Path, options: list[str]) -> None:
    home = tmp_path / f"{SECRET}Folder"
    home.mkdir()
    source = home / f"{SECRET}Input.parquet"
    table_with_secrets(source)
    target = tmp_path / "release"
    command = ["publish", *options, str(source), "--quasi", "town,age", "--sensitive", "illness", "-l", "2"]
    command = [sys.executable, "-m", "shoal", *command, "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True, cwd=home)
    assert pipeline.verify(target).holds
    absent = [SECRET, str(tmp_path), "customer", "pandas", "ARROW:schema", "seed stood in"]
    assert_absent(target, absent if "--publish-rules" in options else [*absent, '"rules.parquet"'])
    manifest = json.loads((target / "manifest.json").read_text())
    known = {"format", "format_version", "method", "promises", "quasi_identifiers", "sensitive", "counts", "files"}
    assert set(manifest) == known


@pytest.mark.parametrize(
    "options",
    [[], ["--strategy", "mondrian"], ["--hide", "greedy"], ["--max-suppressed", ".4"]],
    ids=str,
)
def test_values_that_are_generalized_everywhere_are_nowhere_in_the_release(tmp_path: Path, options: list[str]) -> None:
    """A hierarchy that is made of the data lists all their values: what nobody's row shows must not come with it."""
    home = tmp_path / f"{SECRET}Folder"
    home.mkdir()
    table_with_secrets(home / "people.parquet")
    people = pq.read_table(home / "people.parquet")
    codes = pa.array([f"{SECRET}{number:03d}" for number in range(len(people))])  # one person each
    source = home / f"{SECRET}Input.parquet"
    pq.write_table(people.append_column("code", codes), source)
    target = tmp_path / "release"
    columns = ["--quasi", "town,age,code", "--sensitive", "illness", "--hierarchy", "code=frequency", "-k", "5"]
    command = ["publish", "k-anonymity", str(source), *columns, *options, "-o", str(target)]
    command = [sys.executable, "-m", "shoal", *command]
    subprocess.run(command, check=True, capture_output=True, cwd=home)
    assert pipeline.verify(target).holds
    release = read_release(target)
    used = {label for column in release.columns for label in column.tree.labels}
    # A node may be named after values below it; what is looked for is codes that no node of the rows is named after.
    hidden = [code for code in codes.to_pylist() if not any(code in label for label in used)]
    assert len(hidden) > 100
    assert_absent(target, [*hidden, str(tmp_path), "customer", "pandas", "ARROW:schema"])
    manifest = json.loads((target / "manifest.json").read_text())
    known = {"format", "format_version", "method", "promises", "quasi_identifiers", "sensitive", "counts", "files"}
    assert set(manifest) == known | {"hierarchies", "made_from_data"}


def test_of_a_suppressed_row_nothing_is_left(tmp_path: Path) -> None:
    """The one person of an odd age, with an illness that nobody else has."""
    ages = [20 + number % 4 for number in range(40)] + [987654321]
    illnesses = ["flu" if number % 2 else "cold" for number in range(40)] + [f"{SECRET}Illness"]
    people = read_table(pa.table({"age": ages, "illness": illnesses}), quasi="age", sensitive="illness")
    whole = k_anonymity(people, 5, hierarchies={"age": flat(people.column("age"))}, max_suppressed=0.05)
    assert (whole.n_rows, whole.suppressed, whole.n_groups) == (40, 1, 4)
    assert whole.write(tmp_path / "release").holds
    assert_absent(tmp_path / "release", [SECRET, "987654321"])
