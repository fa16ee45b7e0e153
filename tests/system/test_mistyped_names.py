"""Commands, options, columns, items, methods and values that were mistyped: what may have been meant is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.cli.main import run
from tests.running.commands import shoal

PEOPLE = [
    "age,sex,ill",
    *(f"{20 + row % 5},{'fm'[row % 2]},{('flu', 'cold', 'gout')[row % 3]}" for row in range(30)),
    "",
]
ROLES = "--quasi age,sex --sensitive ill"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, baskets: Path) -> None:
    assert baskets.parent == tmp_path
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("\n".join(PEOPLE))


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        ("publsh", "Did you mean 'publish'"),
        ("publish disasociate", "Did you mean 'disassociate'"),
        ("generate peple", "Did you mean 'people'"),
        ("publish disassociate baskets.dat -k 2 -m 2 -o x --vertcal best", "--vertical"),
        ("verify x --quite", "--quiet"),
        ("info baskets.dat --format fmi", "Invalid value for '--format': 'fmi' is not one of 'auto', 'fimi', "),
        ("info baskets.dat --format fmi", "'parquet' (did you mean 'fimi'?)"),
        ("info baskts.dat", "no such file: baskts.dat (did you mean 'baskets.dat'?)"),
        ("verify basket.dat", "there is no such folder: basket.dat (did you mean 'baskets.dat'?)"),
        ("apply peple.csv baskets.dat -o x", "peple.csv: no such file (did you mean 'people.csv'?)"),
        ("publish mask baskets.dat --keep-prob .9 --items peple.csv -o x", "no such file (did you mean 'people.csv'?)"),
        ("publish mask nowhere/baskets.dat --keep-prob .9 -o x", "no such file: nowhere/baskets.dat\n"),
        ("generate sample basket -o x", "(did you mean 'baskets'?)"),
        ("publish disassociate baskets.dat -k 2 -m 2 -o x --vertical bst", "(did you mean 'best'?)"),
        ("export x --to cvs", "(did you mean 'csv'?)"),
        ("completion fsh", "(did you mean 'fish'?)"),
        ("publish anatomy people.csv --quasi agee,sex --sensitive ill -l 2 -o x", "did you mean 'age'?"),
        ("publish anatomy people.csv --quasi age,sex --sensitive il -l 2 -o x", "did you mean 'ill'?"),
        (f"publish k-anonymity people.csv {ROLES} -k 2 --hierarchy agee=ranges -o x", "did you mean 'age'?"),
        (f"publish k-anonymity people.csv {ROLES} -k 2 --hierarchy age=rangs -o x", "did you mean 'ranges'?"),
        ("info people.csv --quasi agee", "did you mean 'age'?"),
        ("risk people.csv --quasi Age,sexx", "did you mean 'sex'?"),
        ("mine people.csv --negative --sensitive il", "did you mean 'ill'?"),
        ("generate hierarchy people.csv --column agee --kind ranges -o x", "did you mean 'age'?"),
        ("info people.csv --long agee,ill", "did you mean 'age'?"),
        ("publish disassociate baskets.dat -k 2 -m 2 --sensitive hvi -l 2 -o x", "did you mean 'hiv'?"),
        ("compare baskets.dat --methods disasociate -k 2 -m 2 -o x", "did you mean 'disassociate'?"),
        ("sweep baskets.dat --method msk --keep-prob .8,.9 -o x", "did you mean 'mask'?"),
        ("sweep baskets.dat --method disassociate --k 2,3 --loss tkdd -o x", "did you mean 'tKd'?"),
        ("advise baskets.dat --against identty --for mining", "did you mean 'identity'?"),
    ],
)
def test_what_may_have_been_meant_is_offered(capfd: pytest.CaptureFixture[str], command: str, offered: str) -> None:
    code, out, err = shoal(capfd, *command.split())
    assert (code, out) == (2, "")
    assert offered in err
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("method", "query", "offered"),
    [
        ("disassociate baskets.dat -k 3 -m 2", "braed, milk", "did you mean 'bread'?"),
        ("mask baskets.dat --keep-prob .9", "braed, milk", "did you mean 'bread'?"),
        ("diffpart baskets.dat --epsilon 5", "braed, milk", "did you mean 'bread'?"),
        (f"anatomy people.csv {ROLES} -l 2", "agee = 20", "did you mean 'age'?"),
        (f"anatomy people.csv {ROLES} -l 2", "ill = fluu", "did you mean 'flu'?"),
        (f"k-anonymity people.csv {ROLES} -k 2", "ill = fluu", "did you mean 'flu'?"),
    ],
)
def test_names_in_queries(capfd: pytest.CaptureFixture[str], method: str, query: str, offered: str) -> None:
    assert run(["publish", *method.split(), "-o", "release", "-q"]) == 0
    code, _, err = shoal(capfd, "query", "release", query)
    assert code == 2
    assert offered in err
