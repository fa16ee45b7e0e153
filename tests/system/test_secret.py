"""``--secret``: publishing again gives the same release, and nothing that is handed on tells of the secret."""

import json
import random
import stat

import pytest

from tests.running.commands import shoal

OPTIONS = ("--quasi", "age,sex", "--sensitive", "diagnosis", "-l", "3")


@pytest.fixture
def people(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert shoal(capfd, "generate", "people", "--rows", "400", "--seed", "1", "-o", "people.csv")[0] == 0
    head, *rows = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "shuffled.csv").write_text("\n".join([head, *random.Random(2).sample(rows, len(rows))]) + "\n")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("method", ["anatomy", "injector"])
def test_the_same_table_gives_the_same_bytes_in_any_order_of_its_rows(people, capfd, method):
    for file, out, key in (
        ("people.csv", "one", "own.key"),
        ("shuffled.csv", "again", "own.key"),
        ("people.csv", "other", "other.key"),
    ):
        code, out, _ = shoal(capfd, "publish", method, file, *OPTIONS, "--secret", key, "-o", out)
        assert code == 0
        assert "second release" not in out
    assert stat.S_IMODE((people / "own.key").stat().st_mode) == 0o600
    assert contents(people / "one") == contents(people / "again") != contents(people / "other")
    assert "reproducible" not in json.loads((people / "one" / "manifest.json").read_text())
    code, out, _ = shoal(capfd, "verify", "one", "--original", "people.csv")
    assert code == 0, out


@pytest.mark.parametrize("method", ["anatomy", "injector"])
def test_without_a_secret_the_command_says_what_a_second_release_would_do(people, capfd, method):
    del people
    code, out, _ = shoal(capfd, "publish", method, "people.csv", *OPTIONS, "-o", "one")
    said = " ".join(out.split())
    assert code == 0
    assert "a second release of this table would draw other groups, and anyone who holds both learns" in said
    assert "--secret FILE makes it the same again" in said
    code, out, _ = shoal(capfd, "publish", method, "people.csv", *OPTIONS, "-o", "two", "--json")
    assert json.loads(out)["same_again"] is False
    code, out, _ = shoal(capfd, "publish", method, "people.csv", *OPTIONS, "--secret", "k", "-o", "three", "--json")
    assert json.loads(out)["same_again"] is True


def test_the_plan_remembers_where_the_secret_is_and_nothing_tells_what_it_is(people, capfd):
    (people / "keys").mkdir()
    told = ("--secret", "keys/own.key", "--save-plan", "plan.toml", "--report", "report.html")
    code, out, err = shoal(capfd, "publish", "anatomy", "people.csv", *OPTIONS, *told, "-o", "one")
    assert code == 0
    assert 'secret = "keys/own.key"' in (people / "plan.toml").read_text()
    secret = (people / "keys" / "own.key").read_bytes()
    forms = [secret.strip(), bytes.fromhex(secret.decode()), secret.strip().upper()]
    written = [path for path in people.rglob("*") if path.is_file() and path.name != "own.key"]
    assert {path.name for path in written} >= {"plan.toml", "report.html", "manifest.json"}
    for content in (out.encode(), err.encode(), *(path.read_bytes() for path in written)):
        assert not any(form[at : at + 16] in content for form in forms for at in range(0, len(form) - 15, 8))
    for path in (people / "one").iterdir():
        assert b"own.key" not in path.read_bytes()
        assert b"secret" not in path.read_bytes()
    assert shoal(capfd, "apply", "plan.toml", "shuffled.csv", "-o", "again")[0] == 0
    assert contents(people / "one") == contents(people / "again")


def test_a_plan_whose_secret_is_gone_publishes_nothing_rather_than_a_second_release(people, capfd):
    told = ("--secret", "own.key", "--save-plan", "plan.toml")
    assert shoal(capfd, "publish", "anatomy", "people.csv", *OPTIONS, *told, "-o", "one")[0] == 0
    (people / "own.key").unlink()
    code, _, err = shoal(capfd, "apply", "plan.toml", "people.csv", "-o", "again")
    assert code == 2
    assert "secret names own.key, and there is no own.key" in " ".join(err.split())
    assert not (people / "again").exists()
    assert not (people / "own.key").exists()


def test_a_secret_that_protects_nobody_is_refused_before_anything_is_published(people, capfd):
    def refused(*more):
        code, _, err = shoal(capfd, "publish", "anatomy", "people.csv", *OPTIONS, *more)
        assert code == 2
        return " ".join(err.split())

    open_to_all = people / "open.key"
    open_to_all.write_bytes(b"0123456789abcdef" * 4)
    open_to_all.chmod(0o644)
    assert "others may read the secret open.key (mode 0644)" in refused("--secret", "open.key", "-o", "one")
    assert "two sources of the same random choices" in refused("--secret", "own.key", "--seed", "1", "-o", "one")
    assert "inside of the release" in refused("--secret", "one/own.key", "-o", "one")
    assert not (people / "one").exists()
    assert not (people / "own.key").exists()
    assert shoal(capfd, "publish", "anatomy", "people.csv", *OPTIONS, "-o", "stands")[0] == 0
    assert "inside of the release" in refused("--secret", "stands/own.key", "-o", "two")
    assert not (people / "stands" / "own.key").exists()
