"""Names that no file can have - a link that leads to itself, a NUL byte - end with exit 2, and say which."""

from pathlib import Path

import pytest

from tests.making.release_folders import RELEASES
from tests.running.commands import shoal

DISASSOCIATE = ("publish", "disassociate", "baskets.dat", "-k", "2", "-m", "2")
ANATOMY = ("publish", "anatomy", "people.csv", "--quasi", "sex", "--sensitive", "illness", "-l", "2", "-o", "release")


@pytest.mark.parametrize("name", ["people", "quest"])
def test_a_name_with_a_nul_byte_is_no_name(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = shoal(capfd, "generate", name, "-o", "a\0b")
    assert code == 2
    assert "NUL byte" in err


@pytest.mark.parametrize(
    "words",
    [
        ("info", "baskets.csv", "--separator", "no\udcfftext"),
        ("info", "long.csv", "--long", "record,item", "--separator", "\udcff"),
        ("info", "people.csv", "--table", "--separator", "\udcff"),
        ("info", "people.csv", "--table", "--column-names", "a,\udcff"),
    ],
    ids=["delimited", "long", "table", "columns"],
)
def test_a_separator_or_a_column_that_is_no_text_is_refused(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("baskets.csv").write_text("a,b\n" * 6)
    Path("long.csv").write_text("record,item\n1,a\n1,b\n")
    Path("people.csv").write_text("f,flu\nm,gout\n")
    code, _, err = shoal(capfd, *words)
    assert code == 2
    assert "no text" in err


@pytest.mark.parametrize("words", [DISASSOCIATE, ANATOMY[:-2]], ids=["disassociate", "anatomy"])
def test_a_release_may_have_a_name_that_is_no_text(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("baskets.dat").write_text("a b\nb c\na c\n" * 4)
    Path("people.csv").write_text("sex,illness\nf,flu\nm,gout\n" * 3)
    for _ in range(2):
        code, _, err = shoal(capfd, *words, "-o", "no\udcfftext", "--force")
        assert code == 0, err
    assert shoal(capfd, "verify", "no\udcfftext")[0] == 0


@pytest.mark.parametrize("name", ["disassociated", "mask", "generalized baskets", "noisy baskets"])
def test_an_item_that_is_no_text_is_not_in_a_release(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    RELEASES[name]().write("release")
    code, _, err = shoal(capfd, "query", "release", "no\udcfftext")
    assert code == 2
    assert "no\\udcfftext" in err


@pytest.mark.parametrize(
    "words",
    [
        (*DISASSOCIATE, "-o", "circle"),
        (*DISASSOCIATE, "-o", "release", "--save-plan", "circle"),
        (*DISASSOCIATE, "-o", "release", "--report", "circle"),
        (*ANATOMY, "--secret", "circle"),
        ("generate", "hierarchy", "people.csv", "--column", "sex", "--kind", "frequency", "-o", "circle", "--force"),
        ("generate", "sample", "baskets", "-o", "circle"),
        ("generate", "sample", "baskets", "-o", "circle", "--force"),
        ("mine", "baskets.dat", "--top", "3", "-o", "circle"),
        ("info", "circle"),
        ("verify", "circle"),
        ("apply", "circle", "baskets.dat", "-o", "release"),
    ],
    ids=" ".join,
)
def test_a_circle_of_links_is_named(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("circle").symlink_to("circle")
    Path("baskets.dat").write_text("a b\n" * 6)
    Path("people.csv").write_text("sex,illness\n" + "f,flu\nm,gout\n" * 4)
    code, _, err = shoal(capfd, *words)
    assert code == 2
    assert "circle" in err
    assert not Path("release").exists()
    assert Path("circle").is_symlink()
