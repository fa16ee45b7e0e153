"""The code that a report shows is run: in a shell, in Python and in DuckDB, beside the release and nothing else."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import shoal
from shoal.cli.main import run
from shoal.data.table import Table
from shoal.io.release_folder import read_release
from shoal.methods import METHODS
from shoal.reporting.page import Code, Words
from shoal.reporting.reading import reading_section
from tests.making.generalized_baskets import hierarchy_of, noisy_baskets

FOLDERS = [
    "release",
    'it\'s "my" release',
    "$(touch hacked) `touch hacked` & ; | * ? [a-z] [",
    "-o",
    "QUASI of FOLDER\\n",
    "ünïcode 🐟",
]
ONE_OF_EACH = ["disassociate", "km-generalization", "diffpart", "hybrid", "anatomy", "mondrian-hidden"]
"""A method for each shape of release."""


def code(folder: str) -> tuple[str, str, str]:
    """What the section says for a shell, for Python and for SQL."""
    said, shell, python, sql = reading_section(read_release(folder), folder).blocks
    assert isinstance(said, Words)
    assert isinstance(shell, Code)
    assert isinstance(python, Code)
    assert isinstance(sql, Code)
    assert (shell.language, python.language, sql.language) == ("sh", "python", "sql")
    return shell.text, python.text, sql.text


def run_all(folder: str, capfd: pytest.CaptureFixture[str], *, rows: bool = True) -> list[list[str]]:
    """Run everything in the current folder; returns the commands of the shell, which are run in this process."""
    shell, python, sql = code(folder)
    commands = [shlex.split(line) for line in shell.splitlines()]
    for program, *arguments in commands:
        assert program == "shoal"
        capfd.readouterr()
        ended = run(arguments)
        out, err = capfd.readouterr()
        assert ended == 0, (arguments, err)
        assert not any(line.startswith("error") for line in err.splitlines()), (arguments, err)
        assert out or "-o" in arguments, arguments
    exec(compile(python, "report", "exec"), {})
    assert capfd.readouterr().out.strip()
    assert bool(duckdb.sql(sql).fetchall()) is rows
    return commands


def beside(method: str, folder: str, odd: bool, place: Path, released: Callable[..., tuple[Path, object]]) -> None:
    """An empty folder with a copy of the release under another name."""
    shutil.copytree(released(method, odd)[0], place / folder)


@pytest.mark.parametrize("odd", [False, True], ids=["plain", "odd"])
@pytest.mark.parametrize("method", METHODS)
def test_the_code_of_every_method_runs(
    method: str,
    odd: bool,
    released: Callable[..., tuple[Path, object]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    beside(method, "release", odd, tmp_path, released)
    commands = run_all("release", capfd)
    names = [command[1] for command in commands]
    wanted = ["verify", "show", "query"]
    if METHODS[method].about == "baskets":
        wanted += ["reconstruct", "mine"] if method in ("disassociate", "dls", "disassociate-l") else ["mine"]
    assert names == wanted
    assert {path.name for path in tmp_path.iterdir()} <= {"release", "possible"}


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("method", ONE_OF_EACH)
def test_the_code_runs_whatever_the_folder_is_called(
    method: str,
    folder: str,
    released: Callable[..., tuple[Path, object]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    beside(method, folder, True, tmp_path, released)
    run_all(folder, capfd)
    assert {path.name for path in tmp_path.iterdir()} <= {folder, "possible"}


@pytest.mark.parametrize("method", ["disassociate", "mondrian-hidden"])
def test_a_real_shell_runs_it_too(method: str, released: Callable[..., tuple[Path, object]], tmp_path: Path) -> None:
    folder = FOLDERS[2]
    beside(method, folder, True, tmp_path, released)
    (shell, *_) = _in(tmp_path, folder)
    script = f'set -e\nshoal() {{ {shlex.quote(sys.executable)} -m shoal "$@"; }}\n{shell}\necho all done'
    ended = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("all done\n")
    assert {path.name for path in tmp_path.iterdir()} <= {folder, "possible"}


def _in(place: Path, folder: str) -> list[str]:
    blocks = reading_section(read_release(place / folder), folder).blocks
    return [block.text for block in blocks if isinstance(block, Code)]


@pytest.mark.parametrize(
    "items",
    [
        ("a, b", 'c "d"'),
        ("it's", "'quoted'"),
        ("-n", "--help"),
        (" blank before", "blank behind "),
        ("new\nline", "carriage\rreturn"),
        ("and", "in"),
        ("*", "% _ \\ $HOME !"),
        ("{a}", "x\x07y"),
    ],
)
def test_names_of_items_are_asked_for_as_they_are(
    items: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = shoal.read([set(items)] * 30 + [{items[0], "tea"}] * 10 + [{"tea", "milk"}] * 4)
    made = [shoal.disassociate(data, k=3, m=2), shoal.mask(data, 0.95)]
    if all(item == item.strip() for item in items):  # a hierarchy has no other names
        made.append(shoal.km_generalization(data, k=3, m=2))
    for release in made:
        release.write("release", force=True)
        shell, python, sql = code("release")
        commands = split_lines(shell)
        for _, *arguments in commands:
            capfd.readouterr()
            ended = run([*arguments, "--force"] if arguments[0] == "reconstruct" else arguments)
            assert ended == 0, (arguments, capfd.readouterr().err)
        (asked,) = [command[-1] for command in commands if command[1] == "query"]
        held = [item for item in items if item == item.strip()] or ["tea"]
        assert any(item.split(",")[0].split('"')[0] in asked for item in held)
        exec(compile(python, "report", "exec"), {})
        assert {row[0] for row in duckdb.sql(sql).fetchall()} >= set(items)


def split_lines(shell: str) -> list[list[str]]:
    """The commands as a shell reads them, where a quoted name may go over several lines."""
    words = shlex.shlex(shell, posix=True, punctuation_chars="\n")
    words.whitespace, words.whitespace_split = " \t", True
    words.commenters = ""
    found: list[list[str]] = [[]]
    for word in words:
        if set(word) == {"\n"}:
            found.append([])
        else:
            found[-1].append(word)
    return found


COLUMNS = [
    ("age", "sex", "illness"),
    ("number", "count", "group of people"),
    ('it\'s, "mine"', "QUASI", "FOLDER"),
    ("-x", "--help", "-y"),
    ("and", "in", "="),
    (" ", "  a", "b  "),
    ("new\nline", "tab\there", "{a}"),
]


@pytest.mark.parametrize("columns", COLUMNS)
def test_names_of_columns_and_values_are_asked_for_as_they_are(
    columns: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(20 + n % 9, "fm"[n % 2], ["it's", 'a "b", c', "-flu", "and"][n % 4]) for n in range(48)]
    data = pa.table({name: [row[at] for row in rows] for at, name in enumerate(columns)})
    table = Table.from_arrow(data, quasi=list(columns[:2]), sensitive=columns[2])
    plain = Table.from_arrow(data.select(columns[:2]), quasi=list(columns[:2]))
    for release in (shoal.anatomy(table, 3), shoal.k_anonymity(table, 3), shoal.k_anonymity(plain, 3)):
        release.write("release", force=True)
        shell, python, sql = code("release")
        for _, *arguments in split_lines(shell):
            capfd.readouterr()
            assert run(arguments) == 0, (arguments, capfd.readouterr().err)
        exec(compile(python, "report", "exec"), {})
        assert duckdb.sql(sql).fetchall()


@pytest.mark.parametrize("values", [[1, 2, 3, 4], [0.5, 1e20, -3.0, 1e-9], [True, False], ["", None, "x", "y"]])
def test_values_of_any_kind_are_asked_for_and_found(
    values: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = pa.table({"age": [20 + n % 5 for n in range(40)], "secret": [values[n % len(values)] for n in range(40)]})
    table = Table.from_arrow(data, quasi="age", sensitive="secret")
    for release in (shoal.anatomy(table, 2), shoal.k_anonymity(table, 4)):
        release.write("release", force=True)
        shell, python, sql = code("release")
        for _, *arguments in split_lines(shell):
            capfd.readouterr()
            assert run(arguments) == 0, (arguments, capfd.readouterr().err)
        found: dict[str, object] = {}
        exec(compile(python.replace("print(", "answer = ("), "report", "exec"), found)
        assert found["answer"].most > 0
        assert duckdb.sql(sql).fetchall()


@pytest.mark.parametrize(
    ("keep_prob", "fakes", "said"),
    [
        (0.9, 0, "Every row is real, with items flipped at random"),
        (
            1,
            1,
            "Records are published unchanged among fake transactions: the release does not show which rows are fake",
        ),
        (0.9, 1, "Fake transactions were mixed in, and then items of all rows were flipped at random"),
    ],
)
def test_what_chance_left_as_it_was_is_not_denied(keep_prob: float, fakes: float, said: str) -> None:
    baskets = shoal.read([{"a", "b"}, {"a"}, {"b", "c"}])
    if fakes and keep_prob < 1:
        release = shoal.hybrid(baskets, keep_prob=keep_prob, fakes=fakes)
    else:
        release = shoal.fakes(baskets, fakes=fakes) if fakes else shoal.mask(baskets, keep_prob=keep_prob)
    words = reading_section(release, "release").blocks[0]
    assert isinstance(words, Words)
    assert words.text.startswith(said)


def test_of_a_noisy_release_without_a_basket_there_is_nothing_to_mine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    noisy_baskets({}, hierarchy_of({item: (item, "*") for item in "abc"})).write("release", even_if_empty=True)
    commands = run_all("release", capfd, rows=False)
    assert [command[1] for command in commands] == ["verify", "show"]


def test_the_most_frequent_items_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = shoal.read([{"tea", "milk"}] * 30 + [{"tea"}] * 10 + [{"beer"}] * 5)
    shoal.disassociate(data, k=3, m=2).write("release")
    shell, python, _ = code("release")
    assert "shoal query release 'tea, milk'" in shell
    assert "release.support(['tea', 'milk'])" in python
