"""Messages of the library speak Python in Python, and options on the command line."""

from pathlib import Path

import pytest

import shoal
from shoal.speaking import speaking_options, spoken
from tests.running.commands import shoal as run


@pytest.mark.parametrize(
    ("message", "python"),
    [
        (
            "--missing drop leaves these rows out, --missing keep makes missing a value",
            'missing="drop" leaves these rows ',
        ),
        ("give it (--hierarchy COLUMN=FILE)", "give it (hierarchies=...)"),
        ("give it (--hierarchy age=FILE)", 'give it (hierarchies={"age": ...})'),
        ("give it (--hierarchy 'zip code'=FILE)", 'give it (hierarchies={"zip code": ...})'),
        (
            "give them (--hierarchy age=FILE --hierarchy sex=FILE --hierarchy zip=FILE), too",
            'give them (hierarchies={"age": ..., "sex": ..., "zip": ...}), too',
        ),
        (
            "give them (--rules FILE), or the data (--original FILE)",
            "give them (rules=...), or the data (original=...)",
        ),
        ("set --max-length 2, or raise --min-support.", "set max_length=2, or raise min_support."),
        ("or --force to replace it", "or force=True to replace it"),
        ("the value '--missing drop' is read as it is", "the value '--missing drop' is read as it is"),
        (
            "shoal attack --fill measures it, shoal verify --original says why",
            "shoal attack --fill measures it, shoal ",
        ),
        ("a record of 3--4 items --- and no option", "a record of 3--4 items --- and no option"),
    ],
)
def test_options_are_arguments_in_python(message: str, python: str) -> None:
    assert spoken(message).startswith(python)
    with speaking_options():
        assert spoken(message) == message


def test_the_same_error_speaks_both(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    people = tmp_path / "people.csv"
    people.write_text("age,ill\n20,flu\n?,cold\n")
    with pytest.raises(shoal.errors.InputError, match='missing="drop" leaves these rows out'):
        shoal.read_table(people, quasi="age")
    code, _, err = run(capfd, "info", people, "--quasi", "age")
    assert code == 2
    assert "--missing drop leaves these rows out" in err
    with pytest.raises(shoal.errors.InputError, match='missing="drop"'):  # and again after the command
        shoal.read_table(people, quasi="age")


def test_what_an_audit_left_out_speaks_both(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    baskets = shoal.read([{"tea", "milk"}] * 6)
    shoal.mask(baskets, 0.9).write(tmp_path / "release")
    assert "(original=...)" in str(shoal.verify(tmp_path / "release"))
    assert "(--original FILE)" in " ".join(run(capfd, "verify", tmp_path / "release")[1].split())
