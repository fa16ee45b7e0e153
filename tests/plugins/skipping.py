"""Why a test may skip, how many may, and a plugin that fails every test that skips for another reason.

Where a change is judged (CI is set) what can be installed has to be there: without it tests fail. Every run ends with
how many tests skipped for which reason; a stage of CI (SHOAL_STAGE) fails where more skip than it allows.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass

import pytest

from tests.plugins.real_data import has_data


def judged() -> bool:
    """Whether a change is judged by this run."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def never() -> bool:
    return False


def always() -> bool:
    return True


def no_data() -> bool:
    """A folder of real data that lacks some of them is a mistake; none at all is a bare clone."""
    return not has_data()


@dataclass(frozen=True)
class Reason:
    """A reason for skipping: the words, and whether it counts where a change is judged."""

    words: str  # a regular expression for all of them
    where_judged: Callable[[], bool]


ALLOWED = (
    # What may lie beside the clone.
    Reason(r"\S+ is not at hand: set SHOAL_DATA to the folder of real data", no_data),
    # What can be installed.
    Reason(r"no (chromium|pdftotext|pdftoppm)\b.*: `make browser` installs what looking at pages needs", never),
    Reason(r"pycanon is not at hand: make \.venv-rivals/\.ready", never),
    Reason(r"there is no (bash|zsh|fish) on this machine: `make browser` installs it", never),
    # What the machine permits.
    Reason(r"no small disk: mounting a tmpfs is not allowed here", always),
    Reason(r"only root can become somebody else", always),
    Reason(r"no control group of our own: making one is not allowed here", always),
    # What `make test-interpreted` leaves to the compiled kernels.
    Reason(r"the JIT is off: .+", always),
)


_NO_DATA = "real data are not at hand"
MOST_WITHOUT_DATA = 20
"""Tests that need whole data sets, in a clone that has none: 17. Those that have samples must not skip."""
_PERMITTED = 20
"""Tests that need root, a mount or a control group."""
MOST = {
    "compiled": _PERMITTED,
    "interpreted": 10,  # tests of compiling, and what would take minutes
    "bare": 5,
    "oldest": _PERMITTED,
    "pythons": _PERMITTED,
}
"""Tests that may skip for other reasons in a stage of CI."""


def refusal(reason: str) -> str | None:
    """Why a test must not skip for this reason, or None where it may."""
    known = [allowed for allowed in ALLOWED if re.fullmatch(allowed.words, reason)]
    if not known:
        return f"skipped for a reason that tests/plugins/skipping.py does not list: {reason}"
    if judged() and not any(allowed.where_judged() for allowed in known):
        return f"skipped where a change is judged: {reason}"
    return None


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a skipped report a failed one, unless the reason is allowed. An expected failure is no skip."""
    if report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    refused = refusal(_said(report))
    if refused is not None:
        report.outcome, report.longrepr = "failed", refused


@pytest.hookimpl(wrapper=True, tryfirst=True)  # outermost: what pytest itself makes of skips is seen
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse(report)
    return report


def _said(report: pytest.TestReport | pytest.CollectReport) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")


def _kind(said: str) -> str:
    """The same words for all skips of one reason, whatever file or program they name."""
    for pattern, words in ((r"\S+ is not at hand: set", _NO_DATA), (r"the JIT is off", "the JIT is off")):
        if re.match(pattern, said):
            return words
    return said


def skips_by_reason(config: pytest.Config) -> Counter[str]:
    """How many tests skipped for each reason; in a run with workers, all of theirs."""
    shown = config.pluginmanager.get_plugin("terminalreporter")
    return Counter(_kind(_said(report)) for report in shown.stats.get("skipped", ())) if shown else Counter()


def too_many(config: pytest.Config) -> str | None:
    """What is wrong where more tests skipped than the stage allows."""
    stage = os.environ.get("SHOAL_STAGE")
    if stage is None:
        return None
    skips = skips_by_reason(config)
    of_data = skips.pop(_NO_DATA, 0)
    for counted, most, which in ((skips.total(), MOST[stage], ""), (of_data, MOST_WITHOUT_DATA, " for lack of data")):
        if counted > most:
            return f"{counted} tests skipped{which}, and the stage {stage} allows {most} (tests/plugins/skipping.py)"
    return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput") and too_many(session.config) is not None:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skips = skips_by_reason(config)
    if not skips:
        return
    terminalreporter.section("skips by reason")
    for reason, count in sorted(skips.items()):
        terminalreporter.write_line(f"{count:5}  {reason}")
    terminalreporter.write_line(f"{skips.total():5}  in all")
    if wrong := too_many(config):
        terminalreporter.write_line(f"ERROR: {wrong}", red=True)
