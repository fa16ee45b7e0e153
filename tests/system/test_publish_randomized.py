"""Publishing flips and made-up records from outside: what is said, what comes out, and what is wrong where."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.checking.chance import usual
from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A thousand baskets of six items, in one of which there is caviar."""
    path = tmp_path / "many.dat"
    rows = ["bread milk", "bread milk tea", "tea", "bread jam rum tea milk"] * 250
    path.write_text("\n".join([*rows[:-1], "bread caviar", ""]))
    monkeypatch.chdir(tmp_path)
    return path


def flat(text: str) -> str:
    return " ".join(text.split())


def test_masked_baskets_are_published_and_the_words_say_what_was_done(capfd: Captured, many: Path) -> None:
    code, out, err = shoal(capfd, "publish", "mask", many, "--keep-prob", ".9", "-o", "release")
    assert code == 0, err
    assert out.startswith("published 1,000 rows with ")
    assert "present or absent, was kept with probability 0.9 and flipped" in flat(out)
    assert "1 item occurs in one record only" in err
    assert "--items FILE publishes a list" in err
    manifest = json.loads(Path("release/manifest.json").read_text())
    assert manifest["method"] == "mask"
    assert manifest["counts"]["records"] == manifest["counts"]["rows"] == 1_000
    assert "reproducible" not in manifest
    names = pq.read_table("release/items.parquet")["name"].to_pylist()
    assert names == ["bread", "caviar", "jam", "milk", "rum", "tea"]
    rows = pq.read_table("release/rows.parquet")["items"].to_pylist()
    assert rows == sorted(rows)
    assert usual(sum(1 in row for row in rows), 1_000, (1 * 0.9 + 999 * 0.1) / 1_000)


def test_made_up_rows_are_counted_and_real_ones_are_there(capfd: Captured, many: Path) -> None:
    code, out, err = shoal(
        capfd, "publish", "fakes", many, "--fakes", "1.25", "--fake-length", "2:.5,4:.5", "-o", "release", "--json"
    )
    assert code == 0, err
    told = json.loads(out)
    assert (told["counts"]["rows"], told["counts"]["records"], told["reproducible"]) == (2_250, 1_000, False)
    rows = pq.read_table("release/rows.parquet")["items"].to_pylist()
    assert sum(row == [0, 3] for row in rows) >= 250
    promise = json.loads(Path("release/manifest.json").read_text())["promises"][0]
    assert (promise["keep_prob"], promise["fakes"], promise["fake_lengths"]) == (1.0, 1.25, [[2, 0.5], [4, 0.5]])


def test_a_hybrid_with_cut_baskets_promises_differential_privacy(capfd: Captured, many: Path) -> None:
    Path("items.txt").write_text("bread\nmilk\ntea\njam\nrum\ncaviar\ngin\n")
    hybrid = ["publish", "hybrid", many, "--keep-prob", ".75", "--fakes", "1", "--fake-length", "1-3"]
    code, out, err = shoal(capfd, *hybrid, "--max-basket", "2", "--items", "items.txt", "-o", "release")
    assert code == 0, err
    assert "makes no release more than exp(4.39445) times as likely" in flat(out)
    assert "499 records longer than 2 items are cut, by 997 items in all (only you see this number" in err
    assert "caviar" not in err
    assert "the list of items comes from the data" not in flat(err)
    manifest = Path("release/manifest.json").read_text()
    assert "997" not in re.findall(r"\b\d+\b", manifest)  # as a number: checksums and counts may have any digits
    kinds = [entry["kind"] for entry in json.loads(manifest)["promises"]]
    assert kinds == ["Randomization", "DifferentialPrivacy"]
    # Without a list from elsewhere, the list of the data is outside of what epsilon covers: said, not hidden.
    code, _, err = shoal(capfd, *hybrid, "--max-basket", "2", "-o", "again")
    assert code == 0
    assert "the list of items comes from the data" in flat(err)


def test_a_seed_marks_the_release_as_not_to_be_published(capfd: Captured, many: Path) -> None:
    for name in ("one", "two"):
        code, _, err = shoal(
            capfd, "publish", "hybrid", many, "--keep-prob", ".9", "--fakes", "1", "--seed", "5", "-o", name
        )
        assert code == 0
        assert "do not publish this release" in flat(err)
    assert Path("one/rows.parquet").read_bytes() == Path("two/rows.parquet").read_bytes()
    assert json.loads(Path("one/manifest.json").read_text())["reproducible"].endswith("do not publish")
    code, out, _ = shoal(capfd, "verify", "one")
    assert code == 0
    assert "the rows were drawn from a seed" in out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["mask", "--keep-prob", ".5"], 2, "keep_prob is 0.5: it is the probability that an item is not flipped"),
        (["mask", "--keep-prob", ".05"], 2, "did you mean 0.95?"),
        (["mask", "--keep-prob", "1"], 2, "keep_prob is 1: then nothing is flipped"),
        (["mask", "--keep-prob", "1.5"], 2, "keep_prob is 1.5: it must be a number from 0 to 1"),
        (["mask"], 2, "--keep-prob"),
        (["fakes", "--fakes", "-1"], 2, "fakes is -1.0: it must be a number from 0 to 1,000,000"),
        (["fakes", "--fakes", "0"], 2, "fakes is 0: then no fake transactions are added"),
        (
            ["fakes", "--fakes", "1", "--fake-length", "7"],
            2,
            "fake transactions of 7 items are requested, but there are 6 items",
        ),
        (["fakes", "--fakes", "1", "--fake-length", "1-900"], 2, "fake transactions of 900 items are requested"),
        (["fakes", "--fakes", "1", "--fake-length", "long"], 2, "--fake-length is 'long': give a number of items (7)"),
        (["fakes", "--fakes", "1", "--fake-length", "2:.5,2:.5"], 2, "it gives one length two shares"),
        (["fakes", "--fakes", "1", "--keep-prob", ".9"], 2, "No such option"),
        (["hybrid", "--keep-prob", ".9", "--fakes", "0"], 2, "a hybrid flips items and adds fake transactions"),
        (["hybrid", "--keep-prob", ".9", "--fakes", "1", "--max-basket", "2"], 2, "as in --fake-length 1-9"),
        (["mask", "--keep-prob", ".9", "--max-basket", str(-(2**63) - 1)], 2, "max_basket is -9223372036854775809"),
        (["mask", "--keep-prob", ".9", "--items", "none.txt"], 2, "none.txt: no such file (--items)"),
        (["mask", "--keep-prob", ".9", "--items", "empty.txt"], 2, "empty.txt contains no items"),
        (
            ["mask", "--keep-prob", ".9", "--items", "few.txt"],
            2,
            "not in the list of items: 'caviar', 'jam', 'rum', 'tea'",
        ),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_published(
    capfd: Captured, many: Path, options: list[str], code: int, message: str
) -> None:
    Path("empty.txt").write_text("\n\n")
    Path("few.txt").write_text("bread\nmilk\n")
    found, _, err = shoal(capfd, "publish", options[0], many, *options[1:], "-o", "release")
    assert found == code
    assert message in flat(err)
    assert not Path("release").exists()
    assert not list(Path().glob(".release*"))


def test_a_release_that_is_there_stays_unless_force_is_given(capfd: Captured, many: Path) -> None:
    mask = ["publish", "mask", many, "--keep-prob", ".9", "-o", "release"]
    assert shoal(capfd, *mask)[0] == 0
    before = Path("release/rows.parquet").read_bytes()
    code, _, err = shoal(capfd, *mask)
    assert code == 2
    assert "exists already" in err
    assert Path("release/rows.parquet").read_bytes() == before
    assert shoal(capfd, *mask, "--force")[0] == 0
    assert Path("release/rows.parquet").read_bytes() != before


def test_baskets_come_from_standard_input_too(tmp_path: Path) -> None:
    done = outside("publish", "mask", "-", "--keep-prob", ".9", "-o", "release", input="a b\nb c\n" * 50, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("published 100 rows with ")
