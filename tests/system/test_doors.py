"""What a file, a name or a stream can be that is no data: exit 2 with a message at every door, never a traceback."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.cli.main import run
from tests.making.damaged_folders import edit_manifest, sign
from tests.making.releases_by_commands import METHODS, PEOPLE, make_originals, publish

DOORS = {
    "info": ["info", "{}"],
    "info of a table": ["info", "{}", "--quasi", "age"],
    "risk": ["risk", "{}"],
    "mine": ["mine", "{}"],
    "publish baskets": ["publish", "disassociate", "{}", "-k", "2", "-m", "2", "-o", "out"],
    "publish a table": [
        "publish",
        "anatomy",
        "{}",
        "--quasi",
        "age",
        "--sensitive",
        "diagnosis",
        "-l",
        "2",
        "-o",
        "out",
    ],
    "apply": ["apply", "{}", PEOPLE, "-o", "out"],
    "hierarchy": ["info", PEOPLE, "--quasi", "age", "--hierarchy", "age={}"],
    "rules": [
        *("publish", "injector", PEOPLE, "--quasi", "age", "--sensitive", "diagnosis", "-l", "2"),
        *("--rules", "{}", "-o", "out"),
    ],
    "sensitive items": [
        *("publish", "disassociate", "baskets.dat", "-k", "2", "-m", "2", "-l", "2"),
        *("--sensitive-from", "{}", "-o", "out"),
    ],
    "itemsets": ["publish", "disassociate", "baskets.dat", "-k", "2", "-m", "2", "--keep-itemsets", "{}", "-o", "out"],
}
NO_DATA = {
    "a folder": ".",
    "nothing": "nowhere.dat",
    "no name": "",
    "a name with a NUL byte": "a\0b",
    "a name that is too long": "x" * 5000,
    "a name that is no text": "od\udcffd.dat",
    "below a file": "baskets.dat/x",
    "an empty file": "empty",
    "an empty gzip file": "empty.gz",
    "half a gzip file": "half.gz",
    "bytes": "bytes",
    "NUL bytes": "zeros",
    "a device without end": "/dev/zero",
    "half a Parquet file": "half.parquet",
    "names that are no text": "names.parquet",
    "one long line": "line",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("doors")
    make_originals(made)
    (made / "empty").touch()
    (made / "empty.gz").write_bytes(gzip.compress(b""))
    (made / "half.gz").write_bytes(gzip.compress((made / "baskets.dat").read_bytes())[:200])
    (made / "bytes").write_bytes(bytes(range(1, 256)) * 9)
    (made / "zeros").write_bytes(bytes(10_000))
    (made / "line").write_bytes(b'"' + b"x" * 200_000 + b'", "')
    pq.write_table(pa.table({"aQQb": ["x"]}), made / "names.parquet", store_schema=False)
    raw = (made / "names.parquet").read_bytes()
    (made / "names.parquet").write_bytes(raw.replace(b"aQQb", b"a\xff\xfeb"))
    (made / "half.parquet").write_bytes(raw[: len(raw) // 2])
    return made


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("file", NO_DATA)
def test_what_is_no_data_is_refused_at_every_door(file, door, place, monkeypatch, capfd):
    monkeypatch.chdir(place)
    words = [word.replace("{}", NO_DATA[file]) for word in DOORS[door]]
    code = run(words)
    said = capfd.readouterr().err
    assert code in (2, 3), said
    assert "Traceback" not in said
    assert "error" in said.lower()
    assert not (place / "out").exists()


@pytest.mark.parametrize("words", [words for words in DOORS.values() if not {"age={}", "--rules"} & {*words}], ids=str)
def test_closed_standard_input_is_said(words, place):
    if words[0] == "apply" or "--sensitive-from" in words or "--keep-itemsets" in words:
        return  # there "-" is the name of a file
    given = [word.replace("{}", "-") for word in words]
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "shoal", *given],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "standard input is closed: give a file, or pipe data into it" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("method", METHODS)
def test_words_of_a_release_that_are_no_text_end_every_command_with_1(method, tmp_path, monkeypatch, capfd):
    make_originals(tmp_path)
    made = publish(method, tmp_path)
    names = [
        path for path in sorted(made.folder.glob("*.parquet")) if path.name != "chunks.parquet" and spoil_a_word(path)
    ]
    assert names
    sign(made.folder)
    monkeypatch.chdir(tmp_path)
    query = "age = 30" if made.original.name == PEOPLE else "bread"
    for words in (
        *(["verify", "release"], ["info", "release"], ["show", "release"], ["query", "release", query]),
        *(
            ["export", "release", "-o", "out"],
            ["attack", "release"],
            ["report", made.original.name, "release", "-o", "out.html"],
        ),
        *(["measure", made.original.name, "release"],),
    ):
        assert run(words) == 1, words
        out, err = capfd.readouterr()
        assert "is not UTF-8: b'\\xff" in " ".join((out + err).split()), words
        assert "Traceback" not in err


@pytest.mark.parametrize("method", METHODS)
def test_a_manifest_without_a_method_ends_every_command_with_1(method, tmp_path, monkeypatch, capfd):
    make_originals(tmp_path)
    made = publish(method, tmp_path)
    edit_manifest(made.folder, lambda manifest: manifest.pop("method"))
    monkeypatch.chdir(tmp_path)
    for words in (
        *(["verify", "release"], ["info", "release"], ["show", "release"], ["query", "release", "bread"]),
        *(["mine", "release"], ["export", "release", "-o", "out"], ["reconstruct", "release", "-o", "out"]),
        *(
            ["attack", "release"],
            ["report", made.original.name, "release", "-o", "out.html"],
            ["measure", made.original.name, "release"],
        ),
    ):
        assert run(words) == 1, words
        out, err = capfd.readouterr()
        assert "names no method" in " ".join((out + err).split()), words


def spoil_a_word(path: Path) -> bool:
    """Put bytes that are no text before each word of a file."""
    table = pq.read_table(path)
    for at, field in enumerate(table.schema):
        column = table[field.name].combine_chunks()
        nested = pa.types.is_list(field.type)
        flat = column.flatten() if nested else column
        if not pa.types.is_string(flat.type) or not len(flat):
            continue
        raw = [None if word is None else b"\xff" + word.encode() for word in flat.to_pylist()]
        flat = pa.array(raw, pa.binary()).view(pa.string())
        new = pa.ListArray.from_arrays(column.offsets, flat, type=field.type) if nested else flat
        pq.write_table(table.set_column(at, field, new), path, store_schema=False, compression="zstd")
        return True
    return False
