"""Every command that writes, killed before each of its steps on disk and in the middle of what it writes.

Each name leads to what was there before or to all of what is new: old or new, never neither, never half. What lies
beside is hidden, and the next run deletes it or says how.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from shoal import pipeline
from shoal.cli.commands import COMMANDS, Command, Commands, Group
from shoal.io.release_folder import UNVERIFIED_MANIFEST
from shoal.pipeline.leftovers import left_beside, private_folder
from shoal.secret import secret_bytes
from tests.running.commands import shoal
from tests.running.killing import Job

Captured = pytest.CaptureFixture[str]
BASKETS = "a b\nb c\na c\na b c\n" * 3
JOBS = ["cook", "smith", "baker"]
PEOPLE = "age,sex,job\n" + "".join(f"{age},{'fm'[age % 2]},{JOBS[age % 3]}\n" for age in range(20, 32))
OURS = {
    "baskets.dat",
    "people.csv",
    "release",
    "plan.toml",
    "other",
    "key",
    "out",
    "drawn",
    "charts",
    "page.html",
    "trace",
}
BESIDE = re.compile(r"\..+\.part|\.(release|other)\.staging-[a-z0-9_]{8}|\.unpublished-[a-z0-9_]{8}")


@dataclass(frozen=True)
class Killed:
    """A command to be killed, and what stands before."""

    command: str
    names: str
    """What it writes; of a folder that ends in /, each file on its own."""
    old: str = ""
    """The command that wrote the old ones, if there are any."""
    more: str = ""
    """A command that makes what this one reads."""
    first: int = 0
    every: int = 1
    most: int = 1_000
    bytes: tuple[int, ...] = (0, 100)
    exchanging: bool = True
    """Whether the system can exchange names in one step."""


PUBLISH = "publish disassociate baskets.dat -k 2 -m 2 -o release --save-plan plan.toml"
BEFORE = PUBLISH.replace("-m 2", "-m 1")
OTHER = "publish disassociate baskets.dat -k 4 -m 2 -o release --force"
MASK = "publish mask baskets.dat --keep-prob .9 --seed 1 -o release"
RELEASES = [
    Killed(PUBLISH, "release plan.toml"),
    Killed(f"{PUBLISH} --force", "release plan.toml", old=BEFORE),
    Killed("apply plan.toml baskets.dat -o other", "other", more=PUBLISH),
    Killed("apply plan.toml baskets.dat -o release --force", "release", more=PUBLISH, old=OTHER),
    Killed(f"{PUBLISH} --keep-trace trace", "release plan.toml trace", every=3),
    Killed(
        f"{PUBLISH.replace(' --save-plan plan.toml', '')} --keep-trace trace --force",
        "release trace",
        old=f"{OTHER} --keep-trace trace",
        every=3,
    ),
    Killed("publish anatomy people.csv --quasi age,sex --sensitive job -l 2 --secret key -o release", "release key"),
]
FILES = [
    Killed("export release --to csv -o out.csv", "out.csv", more=PUBLISH),
    Killed("export release --to jsonl -o out --force", "out", more=PUBLISH, old="export release --to csv -o out"),
    Killed("reconstruct release -n 2 --seed 1 -o drawn", "drawn/", more=PUBLISH),
    Killed(
        "reconstruct release -n 2 --seed 1 -o drawn --force",
        "drawn/",
        more=PUBLISH,
        old="reconstruct release -n 3 --seed 2 -o drawn",
    ),
    Killed("generate quest --records 20 --seed 1 -o new.dat", "new.dat"),
    Killed("generate people --rows 9 --seed 1 -o p --force", "p", old="generate people --rows 30 --seed 2 -o p"),
    Killed("generate sample people -o people.csv --force", "people.csv"),
    Killed("generate hierarchy people.csv --kind ranges --column age -o tree.csv", "tree.csv"),
    Killed("mine baskets.dat --min-support .2 -o sets.csv", "sets.csv"),
    Killed(
        "mine baskets.dat --min-support .1 -o sets.parquet --force",
        "sets.parquet",
        old="mine baskets.dat --min-support .5 -o sets.parquet",
    ),
    Killed(
        "privacy --mean-support .1 --target .9 --records 100 --items 9 --min-support .1 -o table.json", "table.json"
    ),
]
REPORTS = [
    Killed("report release --public -o page.html", "page.html", more=MASK, every=2, bytes=(0,)),
    Killed(
        "report baskets.dat release -o page.html --charts charts --force",
        "page.html charts/",
        more=MASK,
        old="report release --public -o page.html --charts charts",
        every=13,
        bytes=(0,),
    ),
    Killed(
        f"{MASK} --report page.html --charts charts --public",
        "release page.html charts/",
        first=20,
        every=16,
        bytes=(0,),
    ),
]


def words(text: str, names: str) -> list[str]:
    """A command whose files are in the copy."""
    ours = OURS | {name.rstrip("/") for name in names.split()}
    return [f"{{house}}/{word}" if word in ours else word for word in text.split()]


def killed(cases: list[Killed], root: Path, capfd: Captured) -> Iterator[tuple[Killed, Path, dict[str, int]]]:
    """Each case, the folder of its ends, and how they ended."""
    jobs = []
    for number, case in enumerate(cases):
        before, ends = root / f"before-{number}", root / f"ends-{number}"
        for folder in (before, ends):
            folder.mkdir()
        (before / "baskets.dat").write_text(BASKETS)
        (before / "people.csv").write_text(PEOPLE)
        for command in filter(None, (case.more, case.old)):
            code, _, err = shoal(capfd, *(word.format(house=before) for word in words(command, case.names)))
            assert code == 0, err
        when = (case.first, case.every, case.most, case.exchanging, case.bytes)
        jobs.append(Job(words(case.command, case.names), str(before), str(ends), *when))
    done = subprocess.run(
        [sys.executable, "-m", "tests.running.killing"],
        input=json.dumps([asdict(job) for job in jobs]),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    for number, (case, ended) in enumerate(zip(cases, json.loads(done.stdout), strict=True)):
        ends = root / f"ends-{number}"
        assert ended["whole"] == 0, (ends / "whole.said").read_text()
        signals = {name: code for name, code in ended.items() if name.startswith("step")}
        *before_last, last = signals.values()
        assert set(before_last) == {-signal.SIGKILL}, "nothing was killed"
        assert last == 0 or len(signals) == case.most
        assert ended["bytes-0"] == -signal.SIGXFSZ
        yield case, ends, ended


State = dict[str, dict[str, bytes]]


def state(house: Path, names: str) -> State:
    """What each name leads to: files by their paths; nothing where there is nothing that counts."""
    found: State = {}
    for name in names.split():
        path = house / name
        files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
        files = [one for one in files if not one.name.startswith(".")]
        if path.is_dir() and (path / UNVERIFIED_MANIFEST).is_file():
            assert "did not finish" in str(pipeline.verify(path))  # no reader takes it for a release
            files = []
        held = {str(one.relative_to(house)): one.read_bytes().replace(str(house).encode(), b"HOUSE") for one in files}
        if name.endswith("/"):
            found |= {one: {one: content} for one, content in held.items()}
        else:
            found[name] = held
    return found


def check(case: Killed, ends: Path, before: Path, ended: dict[str, int]) -> list[Path]:
    """Old or new under each name, and never back; returns the ends that have something beside."""
    old, new = state(before, case.names), state(ends / "whole", case.names)
    assert old != new
    chance = {"key", "release"} if "anatomy" in case.command else set()  # drawn by a secret, which is drawn by chance
    became_new: set[str] = set()
    with_leftovers = []
    for end in sorted(ended):
        house = ends / end
        now = state(house, case.names)
        if chance:
            assert_whole_secret(house)
        for name in {*old, *new, *now} - chance:
            assert now.get(name, {}) in (old.get(name, {}), new.get(name, {})), f"{end}: {name} is neither old nor new"
            if end.startswith("step") and old.get(name) != new.get(name):
                assert name not in became_new or now.get(name, {}) == new.get(name, {}), f"{end}: {name} went back"
                if now.get(name, {}) == new.get(name, {}):
                    became_new.add(name)
        beside = [path for path in house.rglob(".*") if path.parent.name[:1] != "."]
        for path in beside:
            assert BESIDE.fullmatch(path.name), path
            assert path.stat().st_mode & 0o077 == 0 or path.is_file(), "others may look into what was never verified"
        assert not any(path for path in house.iterdir() if path.name.startswith(".") and path not in beside)
        if beside:
            with_leftovers.append(house)
    assert with_leftovers, "no run was killed while it wrote"
    return with_leftovers


def assert_whole_secret(house: Path) -> None:
    if (house / "key").exists():
        assert len(secret_bytes(house / "key")) == 65
        assert (house / "key").stat().st_mode & 0o777 == 0o600
        assert (house / "key").stat().st_nlink == 1
    elif (house / "release").exists():
        pytest.fail("a release without its secret")
    if (house / "release" / "manifest.json").exists():
        assert pipeline.verify(house / "release").holds


@pytest.mark.parametrize("cases", [RELEASES, FILES, REPORTS], ids=["releases", "files", "reports"])
def test_old_or_new_and_never_neither(cases: list[Killed], tmp_path: Path, capfd: Captured) -> None:
    for number, (case, ends, ended) in enumerate(killed(cases, tmp_path, capfd)):
        left = check(case, ends, tmp_path / f"before-{number}", ended)
        # The next run is not in the way of what lies there, and deletes it, or says how.
        for house in {re.sub("-.*", "", beside_in(one)[0].name): one for one in left}.values():
            told = [path for path in beside_in(house) if ".staging-" in path.name]
            command = [word.format(house=house) for word in words(case.command, case.names)]
            code, _, err = shoal(capfd, *command, *([] if "--force" in command else ["--force"]))
            assert code == 0, err
            assert beside_in(house) == told
            for path in told:
                assert f"rm -r {path}" in " ".join(err.split())


def beside_in(house: Path) -> list[Path]:
    return sorted(path for path in house.rglob(".*") if path.parent.name[:1] != ".")


# --- what is left beside a release -----------------------------------------------------------------------------------


def test_a_release_that_is_left_beside_another_is_named_by_whatever_looks_at_it(
    tmp_path: Path, capfd: Captured
) -> None:
    case = Killed(RELEASES[1].command.replace(" --save-plan plan.toml", ""), "release", old=BEFORE, bytes=(0,))
    ((_, ends, ended),) = killed([case], tmp_path, capfd)
    before, new = state(tmp_path / "before-0", "release"), state(ends / "whole", "release")
    seen: set[str] = set()
    for end in sorted(ended):
        house = ends / end
        release = house / "release"
        beside = beside_in(house)
        assert state(house, "release") in (before, new)
        if not beside:
            assert left_beside(release) == []
            continue
        (private,) = beside
        is_release = (private / "release" / "manifest.json").exists()
        if is_release:
            assert private.stat().st_mode & 0o777 == 0o700
            if state(private, "release") not in (before, new):
                kind = "half of the old one"
            else:
                kind = "the new one" if state(private, "release") == new else "the old one"
        else:
            kind = "parts"
        if kind in seen:
            continue
        seen.add(kind)
        for command in ("verify", "info"):
            code, _, err = shoal(capfd, command, release)
            assert code == 0
            (said,) = err.splitlines()
            assert said.startswith(f"warning: {private} was left by a run that was killed, and holds ")
            assert ("another release of the same people" in said) == is_release
            assert said.endswith(f"To delete it: rm -r {private}")
            code, out, _ = shoal(capfd, command, release, "--json")
            told = {"folder": str(private), "holds_a_release": is_release, "delete_with": f"rm -r {private}"}
            assert json.loads(out)["left_beside"] == [told]
        subprocess.run(["sh", "-c", f"rm -r {private}"], check=True)
        code, out, err = shoal(capfd, "verify", release, "--json")
        assert (code, err, "left_beside" in json.loads(out)) == (0, "", False)
    assert {"parts", "the new one", "the old one"} <= seen


def test_where_names_cannot_be_exchanged_a_killed_run_says_where_the_old_release_is(
    tmp_path: Path, capfd: Captured
) -> None:
    command = RELEASES[1].command.replace(" --save-plan plan.toml", "")
    case = Killed(command, "release", old=BEFORE, bytes=(0,), exchanging=False)
    ((_, ends, ended),) = killed([case], tmp_path, capfd)
    before, new = state(tmp_path / "before-0", "release"), state(ends / "whole", "release")
    nowhere = []
    for end in sorted(ended):
        if state(ends / end, "release") not in (before, new):
            nowhere.append(ends / end)
    (house,) = nowhere  # killed between two renames
    assert not (house / "release").exists()
    (private,) = beside_in(house)
    code, _, err = shoal(capfd, "verify", house / "release")
    assert code == 2
    said, refused = err.splitlines()
    assert "there is no such folder" in refused
    assert f"To put it in its place: mv {private}/old {house}/release; to delete it: rm -r {private}" in said
    subprocess.run(["sh", "-c", f"mv {private}/old {house}/release"], check=True)
    assert state(house, "release") == before
    _, _, err = shoal(capfd, "verify", house / "release")
    assert "another release of the same people" in err  # the new one, which is still there


def test_a_run_that_lives_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    with private_folder(tmp_path / "release") as private:
        assert left_beside(tmp_path / "release") == []
        assert private.name.startswith(".release.staging-")
    assert beside_in(tmp_path) == []


def test_only_names_that_are_ours_are_named(tmp_path: Path) -> None:
    for name in (".release.staging-abc", ".other.staging-abcdefgh", "release.old-abcdefgh", ".release.old-abcdefg!"):
        (tmp_path / name).mkdir()
    (tmp_path / ".release.staging-aaaaaaaa").symlink_to("/")
    (tmp_path / ".release.staging-bbbbbbbb").touch()
    assert left_beside(tmp_path / "release") == []
    (tmp_path / ".release.old-abcdefgh" / "release").mkdir(parents=True)  # as versions before left them
    (tmp_path / ".release.old-abcdefgh" / "release" / "manifest.json").touch()
    (found,) = left_beside(tmp_path / "release")
    assert found.release == tmp_path / ".release.old-abcdefgh" / "release"


# --- studies -------------------------------------------------------------------------------------------------------

COMPARE = "compare baskets.dat --methods mask --keep-prob .9 --seed 1 -o out"
SWEEP = "sweep baskets.dat --method mask --keep-prob .9,.8 --seed 1 -o out"
STUDIES = [
    Killed(f"{COMPARE} --keep-releases", "out", every=2, bytes=(0,)),
    Killed(f"{COMPARE} --force", "out", old=COMPARE.replace(".9", ".7"), most=16, bytes=(0,)),  # until it publishes
    Killed(SWEEP, "out", first=14, every=12, bytes=(0,)),
]


def test_what_a_killed_study_noted_is_whole_and_it_resumes(tmp_path: Path, capfd: Captured) -> None:
    for case, ends, ended in killed(STUDIES, tmp_path, capfd):
        resumed: set[str] = set()
        for end in sorted(ended):
            out = ends / end / "out"
            seen = settings_noted(out)
            # The results of another request never pass for those of the one that stands.
            requested = json.loads(next(iter(out.glob("*.json"))).read_bytes())["jobs"] if seen else []
            assert all(any(job["settings"] == one for job in requested) for one in seen), end
            left = list(out.glob(".unpublished-*"))
            assert len(left) <= 1
            assert all(path.stat().st_mode & 0o077 == 0 for path in left)
            kept = [path for path in (out / "releases").glob("*") if path.is_dir()]
            assert all(pipeline.verify(path).holds for path in kept)
            assert not kept or (out / "releases" / "DO-NOT-PUBLISH.txt").stat().st_size > 0
            kind = f"{sorted(path.name for path in out.rglob('*') if '.unpublished' not in path.name)}{len(seen)}"
            if kind in resumed:
                continue
            resumed.add(kind)
            command = [word.format(house=ends / end) for word in words(case.command, case.names)]
            code, _, err = shoal(capfd, *command)
            assert code == 0, err
            assert len(settings_noted(out)) == len(settings_noted(ends / "whole" / "out"))
            assert beside_in(out) == []


def settings_noted(out: Path) -> list[object]:
    """The settings of all outcomes in the folder of a study, each of which is whole JSON."""
    return [json.loads(path.read_bytes())["settings"] for path in (out / "results").glob("*.json")]


# --- nothing is forgotten ------------------------------------------------------------------------------------------


def test_every_command_that_writes_is_killed_here() -> None:
    all_killed = {"advise"} | {  # which keeps its numbers as sweep does, by the same code, and takes a dozen runs
        case.command.split()[0] for case in (*RELEASES, *FILES, *REPORTS, *STUDIES)
    }
    writing = set()
    for name, entry in COMMANDS.items():
        leaves = entry.commands if isinstance(entry, Group) else {"": entry}
        for leaf, found in leaves.items():
            assert isinstance(found, Command)
            group = Commands(name=name, known=leaves) if leaf else Commands(name="shoal")
            made = group.get_command(None, leaf or name)
            options = {text for parameter in made.params for text in parameter.opts}
            if options & {"--out", "--report", "--charts", "--save-plan", "--secret", "--keep-trace"}:
                writing.add(name)
    assert writing == all_killed
