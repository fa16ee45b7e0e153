"""Reports as readers see them: in both colour schemes, at a desk and on a phone, and printed."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest

from shoal.cli.main import run
from tests.browser.checks import charts_not_drawn, faint_marks, problems, tiny_texts
from tests.browser.printing import lost_words, mark_problems, printed, torn_charts
from tests.published_by_commands import make_originals, publish

LONG = "a-name-that-is-much-longer-than-any-axis-has-room-for-and-has-no-blank-to-be-parted-at-" + "x" * 60
STRANGE = ["</svg><script>alert('1')</script>", "أرز بسمتي", "milk & honey", "🥖🥐", LONG, "W" * 40]
COMPARED = "comparison"
SWEPT = "sweep"
PUBLIC = "public: "
STRANGE_BASKETS = "strange names"
# One of each shape, and those of a shape that have more to show.
SHAPES = ("disassociate", "km-generalization", "mask", "hybrid", "diffpart", "injector", "k-anonymity")
PAGES = [
    *SHAPES,
    *(f"{PUBLIC}{method}" for method in ("disassociate", "hybrid", "k-anonymity", "diffpart")),
    COMPARED,
    SWEPT,
    STRANGE_BASKETS,
]


def _strange_baskets(path: Path) -> None:
    """Baskets whose items try to break out of what they stand in, or to be cut."""
    lines = []
    for at in range(60):
        chosen = {STRANGE[at % len(STRANGE)], STRANGE[at % 5], f"item {at % 7}"}
        lines.append("\t".join(sorted(chosen)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _make(kind: str, place: Path) -> Path:
    page = place / "report.html"
    make_originals(place)
    baskets = str(place / "baskets.dat")
    if kind == COMPARED:
        words = ["compare", baskets, "--methods", "all", "-o", str(place / "numbers"), "--report", str(page), "-q"]
        assert run(words) == 0
    elif kind == SWEPT:
        grid = ["--keep-prob", ".95,.9,.8", "--fakes", "1,3"]
        words = ["sweep", baskets, "--method", "hybrid", *grid, "-o", str(place / "numbers"), "--seed", "1"]
        assert run([*words, "--report", str(page), "-q"]) == 0
    elif kind == STRANGE_BASKETS:
        _strange_baskets(place / "strange.dat")
        words = ["publish", "disassociate", str(place / "strange.dat"), "--separator", r"\t", "-k", "3", "-m", "2"]
        assert run([*words, "-o", str(place / f"{LONG} release"), "--report", str(page), "-q"]) == 0
    elif kind.startswith(PUBLIC):
        publish(kind.removeprefix(PUBLIC), place, "--report", page, "--public")
    else:
        publish(kind, place, "--report", page)
    return page


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Each kind of report, made once."""
    made: dict[str, Path] = {}

    def report(kind: str) -> Path:
        if kind not in made:
            made[kind] = _make(kind, tmp_path_factory.mktemp("report"))
        return made[kind]

    return report


def _data(page: Path):
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.parametrize("kind", PAGES)
def test_a_report_is_fit_to_be_read(kind, reports, look):
    page = reports(kind)
    report = _data(page)
    charts = [
        f"chart-{block['name']}"
        for section in report["sections"]
        for block in section["blocks"]
        if block["kind"] == "chart"
    ]
    assert charts
    for scheme in ("light", "dark"):
        for width in (1280, 390):
            with look(page, scheme=scheme, width=width, unfolded=True) as seen:
                assert problems(seen) == {}, (scheme, width)
                assert charts_not_drawn(seen, charts) == [], (scheme, width)
                assert tiny_texts(seen) == [], (scheme, width)
                assert faint_marks(seen) == [], (scheme, width)
                assert report["mark"] in seen.page.inner_text("header.mark")


@pytest.mark.parametrize(
    "kind", ["disassociate", "k-anonymity", COMPARED, SWEPT, STRANGE_BASKETS, "public: disassociate"]
)
def test_a_printed_report_has_its_mark_on_every_sheet_and_loses_no_word(kind, reports, browser, tmp_path):
    page = reports(kind)
    mark = _data(page)["mark"]
    for scheme in ("light", "dark"):
        pdf = printed(browser, page, tmp_path / f"{scheme}.pdf", scheme)
        assert mark_problems(pdf, mark) == []
        assert lost_words(browser, page, pdf) == []
    assert torn_charts(browser, page, tmp_path / "torn.pdf") == []


def test_the_mark_stays_in_sight_while_a_reader_scrolls(reports, look):
    with look(reports("disassociate"), scheme="light", width=390) as seen:
        seen.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        box = seen.page.locator("header.mark p").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= seen.page.viewport_size["height"]


COLOURS = """[getComputedStyle(document.documentElement).backgroundColor,
  getComputedStyle(document.querySelector("svg text")).fill].join()"""


def test_dark_and_light_differ_on_the_screen_and_paper_is_light(reports, look):
    colours = {}
    for scheme, media in product(("light", "dark"), ("screen", "print")):
        with look(reports("disassociate"), scheme=scheme, width=1280, media=media) as seen:
            colours[scheme, media] = seen.page.evaluate(COLOURS)
    assert colours["dark", "screen"] != colours["light", "screen"]
    assert colours["dark", "print"] == colours["light", "print"] == colours["light", "screen"]
