"""--discreet: messages show no value of the data, whatever went wrong; and none quotes more than 80 characters."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import pipeline
from shoal.cli.main import run
from tests.making.damaged_folders import edit_manifest
from tests.making.disassociated_releases import disassociated
from tests.system.test_command_line_errors import WRONG

WORDS = ("bread", "milk", "tea", "cook", "nurse", "Rome", "Bonn", "kitchen", "chai", "tee", "beer")
PLANTED = "qz"
"""What every value begins with here; no message of ours holds it."""


def planted(text: str) -> str:
    """A text with marks in front of all words that are values in it."""
    return re.sub(rf"\b({'|'.join(WORDS)})\b", rf"{PLANTED}\1", text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the mistakes, with marked values."""
    files = {
        "baskets.dat": "bread milk\n" * 6 + "bread tea\n" * 4,
        "people.csv": "age,job,city\n30,cook,Rome\n?,cook,\n41,,Bonn\n52,nurse,\n",
        "jobs.csv": "cook;kitchen;*\n",
        "empty.txt": "\n \n",
        "single.txt": "tea, milk\nmilk\n",
        "unknown.txt": "milk, chai\n",
        "whole.csv": "age,job\n" + "30,cook\n41,nurse\n" * 6,
        "twice.csv": "cook;kitchen;*\ncook;tea;*\nnurse;kitchen;*\n",
        "ragged.csv": "user,item\n1,tea\n2,milk,bread\n",
        "open.csv": 'tea,"milk\n',
        "blank.csv": 'a,b\ntea, "milk"\n',
        "rules.json": json.dumps([{"sensitive": "job", "excluded": "tea", "conditions": ["milk"]}]),
        "strange.json": json.dumps(["bread"]),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(planted(text))
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "misspelt.dat").write_bytes(b"qztea\nqzmilk qz\xc3\n")
    pq.write_table(pa.table({"items": [["qztea"], [None]]}), tmp_path / "null.parquet")
    misspelt = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\3\0\0\0"), pa.py_buffer(b"qz\xff"))
    pq.write_table(pa.table({"age": [1], "job": misspelt}), tmp_path / "misspelt.parquet")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "me.jpg").write_text("mine")
    pipeline.write(disassociated([(3, [["ab", "ab", "a"]], "cd")], k=2, m=2), tmp_path / "release")
    monkeypatch.chdir(tmp_path)
    assert (
        run(
            [
                "publish",
                "anatomy",
                "whole.csv",
                "--quasi",
                "age",
                "--sensitive",
                "job",
                "-l",
                "2",
                "-o",
                "table",
                "--quiet",
            ]
        )
        == 0
    )
    return tmp_path


SHOWS_VALUES = [
    "publish disassociate baskets.dat -o new -k 3 -m 2 -l 2 --sensitive qzteaa",
    "publish disassociate baskets.dat -o new -k 3 -m 2 -l 2 --sensitive qztea --keep-itemsets single.txt",
    "publish disassociate baskets.dat -o new -k 3 -m 2 --keep-itemsets unknown.txt",
    "publish anatomy whole.csv --quasi age --sensitive job -l 3 -o new",
    "publish anatomy whole.csv --quasi age --sensitive job -l 2 -o new qzmore",
    "publish k-anonymity whole.csv --quasi job -k 2 --hierarchy job=jobs.csv -o new",
    "publish k-anonymity whole.csv --quasi job -k 2 --hierarchy job=twice.csv -o new",
    "publish injector whole.csv --quasi age --sensitive job -l 2 --rules rules.json -o new",
    "publish injector whole.csv --quasi age --sensitive job -l 2 --rules strange.json -o new",
    "info whole.csv --quasi job --hierarchy job=jobs.csv",
    "info open.csv --format delimited",
    "info misspelt.dat",
    "info misspelt.parquet --table",
    "info blank.csv --table",
    "info baskets.dat --format qz",
    "query release qztea",
    "query table job=qzpilot",
    "query table age=qz and",
    "mine baskets.dat --min-support qz",
    "mine baskets.dat --min-support .5 qzmore",
    "qzcommand",
]


@pytest.mark.parametrize("command", SHOWS_VALUES)
def test_values_are_shown_but_not_discreetly(
    command: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(words: list[str]) -> tuple[int, str]:
        capfd.readouterr()
        code = run(words)
        return code, capfd.readouterr().err

    code, err = said(command.split())
    assert code in (2, 3)
    assert PLANTED in err, "this case proves nothing"
    again, discreet = said([*command.split(), "--discreet"])
    assert again == code
    assert PLANTED not in discreet
    assert discreet.strip()
    monkeypatch.setenv("SHOAL_DISCREET", "1")
    assert said(command.split())[0] == code
    code, discreet = said(command.split())
    assert PLANTED not in discreet
    assert not list(folder.glob("new*"))


@pytest.mark.parametrize(("command", "code", "message"), [(planted(one), code, said) for one, code, said in WRONG])
@pytest.mark.usefixtures("folder")
def test_no_mistake_of_any_command_shows_a_value(
    command: str, code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    del message
    assert run([*command.split(), "--discreet"]) == code
    out, err = capfd.readouterr()
    assert PLANTED not in out + err
    assert err.strip()


@pytest.mark.parametrize("command", SHOWS_VALUES)
@pytest.mark.parametrize("hostile", ["w" * 3_000, "\u202e\x1b[31m\u2028\u200bw"], ids=["long", "steering"])
def test_messages_quote_at_most_80_characters_and_none_that_steers(
    command: str, hostile: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for path in folder.iterdir():
        if path.is_file() and path.suffix in (".csv", ".dat", ".txt", ".json") and path.name != "binary.txt":
            path.write_bytes(path.read_bytes().replace(b"qz", b"qz" + hostile.encode()))
    capfd.readouterr()
    assert run(command.replace("qz", f"qz{hostile}").split(" ")) in (2, 3)
    err = capfd.readouterr().err
    assert "w" * 81 not in err
    assert not {c for c in err if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - {"\n"}


def test_what_a_check_finds_names_no_value_discreetly(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pair, single = ["qzbread", "qzmilk"], ["qzbread"]
    pipeline.write(disassociated([(3, [[pair, pair, single]], ["qztea"])], k=2, m=2), folder / "marked")
    edit_manifest(folder / "marked", lambda manifest: manifest["promises"][0].update(k=3))
    for more in ([], ["--json"]):
        assert run(["verify", "marked", *more]) == 1
        assert PLANTED in "".join(capfd.readouterr()), "this case proves nothing"
        assert run(["verify", "marked", "--discreet", *more]) == 1
        said = "".join(capfd.readouterr())
        assert PLANTED not in said
        assert "cluster 0" in said


def test_a_bug_of_ours_tells_places_and_no_values(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError(PLANTED + "bread")

    monkeypatch.setattr("shoal.io.baskets.read_baskets", broken)
    assert run(["info", str(folder / "baskets.dat")]) == 4
    assert "qzbread" in capfd.readouterr().err
    assert run(["info", str(folder / "baskets.dat"), "--discreet"]) == 4
    err = capfd.readouterr().err
    assert "qzbread" not in err
    assert "KeyError" in err
    assert "test_discreet.py" in err


def test_cells_of_tables_cannot_steer_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["red\x1b[31m", "turned\u202e", "over\rwritten", "new\nrow", "no\u200bwidth", "line\u2028end", "plain"]
    rows = pa.table(
        {"of\u202e": [names[at % 7] for at in range(28)], "il\x1b[1m": [names[at * 3 % 7] for at in range(28)]}
    )
    pq.write_table(rows, "people.parquet")
    pq.write_table(pa.table({"items": [[names[at % 7], "plain"] for at in range(28)]}), "baskets.parquet")
    publish = ["publish", "anatomy", "people.parquet", "--quasi", "of\u202e", "--sensitive", "il\x1b[1m", "-l", "2"]
    assert run([*publish, "-o", "table", "--quiet"]) == 0
    assert run(["publish", "disassociate", "baskets.parquet", "-k", "2", "-m", "2", "-o", "chunks", "--quiet"]) == 0
    capfd.readouterr()
    for command in (
        "show table",
        "show chunks",
        "info baskets.parquet",
        "risk baskets.parquet",
        "mine baskets.parquet -k 9",
    ):
        run(command.split())
    out = "".join(capfd.readouterr())
    assert not {c for c in out if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")} - {"\n"}
    for text in ("\\x1b[31m", "turned\\u202e", "over\\r", "new\\nrow", "no\\u200bwidth", "line\\u2028end", "of\\u202e"):
        assert text in out
