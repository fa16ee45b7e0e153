"""Each fault of a page is found by the check that looks for it, and by no other; a page without faults passes."""

from __future__ import annotations

from itertools import product

import pytest

from tests.browser.checks import CHECKS, charts_not_drawn, faint_marks, overlapping_texts, problems, tiny_texts
from tests.browser.chromium import DESKTOP, PHONE, window
from tests.browser.pages import BAR, CHART, SOUND, drawing, page

ALLOWED = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
POLICY = f'<meta http-equiv="Content-Security-Policy" content="{ALLOWED}">'
PIXEL = (
    '<img alt="" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'
    '+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">'
)
WIDE = "<table><tr>" + "<th>a heading</th>" * 12 + "</tr></table>"

# The name of a fault: the check that finds it, what it says, and the page.
FAULTS = {
    "picture": (
        "requests_that_left",
        "http://example.invalid/x.png",
        page('<img alt="" src="http://example.invalid/x.png">'),
    ),
    "late picture": (
        "requests_that_left",
        "http://example.invalid/late.png",
        page('<div style="height: 9000px"></div><img alt="" loading="lazy" src="http://example.invalid/late.png">'),
    ),
    "style": (
        "requests_that_left",
        "http://example.invalid/x.css",
        page(head='<link rel="stylesheet" href="http://example.invalid/x.css">'),
    ),
    "font": (
        "requests_that_left",
        "https://example.invalid/x.woff2",
        page(
            "<p style='font-family: far'>far</p>",
            head="<style>@font-face { font-family: far; src: url(https://example.invalid/x.woff2) }</style>",
        ),
    ),
    "frame": (
        "requests_that_left",
        "http://example.invalid/f",
        page('<iframe src="http://example.invalid/f"></iframe>'),
    ),
    "fetch": (
        "requests_that_left",
        "http://example.invalid/q",
        page('<script>fetch("http://example.invalid/q").catch(() => 0)</script>'),
    ),
    "socket": (
        "requests_that_left",
        "ws://example.invalid/",
        page('<script>new WebSocket("ws://example.invalid/").onerror = () => 0</script>'),
    ),
    "file": ("requests_that_left", "beside.png", page('<img alt="" src="beside.png">')),
    "connection": (
        "requests_that_left",
        "http://example.invalid/",
        page(head='<link rel="preconnect" href="http://example.invalid/">'),
    ),
    "name to be looked up": (
        "requests_that_left",
        "https://example.invalid/",
        page(head='<link rel="dns-prefetch" href="https://example.invalid/">'),
    ),
    "page to be shown next": (
        "requests_that_left",
        "https://example.invalid/",
        page(head='<link rel="prerender" href="https://example.invalid/">'),
    ),
    "throw": ("console_errors", "no such luck", page('<script>throw new Error("no such luck")</script>')),
    "promise": ("console_errors", "broken", page('<script>Promise.reject(new Error("broken"))</script>')),
    "warning": ("console_errors", "beware", page('<script>console.warn("beware")</script>')),
    "policy": ("console_errors", "Content Security Policy", page("<script>let harmless = 1;</script>", head=POLICY)),
    "no drawing": (
        "charts_not_drawn",
        "the chart none has no drawing",
        page('<figure class="chart" id="none"><figcaption>None.</figcaption></figure>'),
    ),
    "empty drawing": ("charts_not_drawn", "the chart other has no mark", page(drawing(""))),
    "only a background": (
        "charts_not_drawn",
        "the chart other has no mark",
        page(drawing('<rect width="320" height="160" fill="#888"/><text x="9" y="20">no data</text>')),
    ),
    "only axes": (
        "charts_not_drawn",
        "the chart other has no mark",
        page(
            drawing(
                '<g class="mark-group role-frame root"><g class="mark-rule role-axis-grid">'
                '<line x1="10" x2="90" y1="9" y2="9" stroke="#888"/></g><g class="mark-rect role-mark marks"></g></g>'
            )
        ),
    ),
    "transparent mark": (
        "charts_not_drawn",
        "the chart other has no mark",
        page(drawing(f'<g opacity="0">{BAR}</g>')),
    ),
    "mark without a size": (
        "charts_not_drawn",
        "the chart other has no mark",
        page(drawing('<rect class="bar" x="10" y="10" width="50" height="0"/>')),
    ),
    "mark outside": (
        "charts_not_drawn",
        "the chart other has no mark",
        page(drawing('<rect class="bar" x="900" y="10" width="50" height="20"/>')),
    ),
    "mark like its background": (
        "charts_not_drawn",
        "only marks of the colour of their background",
        page(drawing('<rect x="10" y="10" width="50" height="20" style="fill: var(--paper)"/>')),
    ),
    "chart without a size": (
        "charts_not_drawn",
        "the chart other has no size",
        page(drawing(BAR).replace("<svg", '<svg style="height: 0"')),
    ),
    "hidden chart": (
        "charts_not_drawn",
        "the chart other is not shown",
        page(drawing(BAR).replace("<svg", '<svg style="visibility: hidden"')),
    ),
    "chart beside the window": (
        "charts_not_drawn",
        "the chart other is out of view",
        page(drawing(BAR).replace("<svg", '<svg style="position: absolute; left: -2000px"')),
    ),
    "two texts": (
        "overlapping_texts",
        '"above" and "below" overlap',
        page(
            '<div style="position: relative; height: 2em"><p style="position: absolute; top: 0; margin: 0">above</p>'
            '<p style="position: absolute; top: 8px; margin: 0">below</p></div>'
        ),
    ),
    "close lines": (
        "overlapping_texts",
        "lines of one text overlap",
        page('<p style="line-height: .5; width: 9em">Lines of a paragraph that are set much too close</p>'),
    ),
    "pulled back": (
        "overlapping_texts",
        "overlap",
        page('<p>some words <span style="margin-left: -60px">others</span></p>'),
    ),
    "two labels": (
        "overlapping_texts",
        '"bread and milk" and "tea with jam" overlap',
        page(drawing(f'{BAR}<text x="50" y="60">bread and milk</text><text x="90" y="60">tea with jam</text>')),
    ),
    "turned labels": (
        "overlapping_texts",
        '"bread and milk" and "tea with jam" overlap',
        page(
            drawing(
                f'{BAR}<text transform="translate(120 60) rotate(-45)" text-anchor="end">bread and milk</text>'
                '<text transform="translate(128 60) rotate(-45)" text-anchor="end">tea with jam</text>'
            )
        ),
    ),
    "label under a paragraph": (
        "overlapping_texts",
        "overlap",
        page(
            drawing(f'{BAR}<text x="20" y="150">a label</text>').replace(
                "<figcaption", '<figcaption style="margin-top: -26px"'
            )
        ),
    ),
    "overflow hidden": (
        "cut_texts",
        'is cut by <p class="narrow">',
        page(
            '<p class="narrow" style="width: 60px; overflow: hidden; white-space: nowrap">words that go on and on</p>'
        ),
    ),
    "half a line": (
        "cut_texts",
        'is cut by <p class="low">',
        page('<p class="low" style="height: 10px; overflow: hidden">letters without their feet</p>'),
    ),
    "ellipsis": (
        "cut_texts",
        "ends in an ellipsis",
        page(
            '<p style="width: 60px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis">words and more</p>'
        ),
    ),
    "label outside its drawing": (
        "cut_texts",
        '"bread and milk" in <figure id="other"> leaves its drawing',
        page(drawing(f'{BAR}<text x="280" y="60">bread and milk</text>')),
    ),
    "turned label outside its drawing": (
        "cut_texts",
        '"bread and milk" in <figure id="other"> leaves its drawing',
        page(drawing(f'{BAR}<text transform="translate(100 20) rotate(-90)">bread and milk</text>')),
    ),
    "clip path": (
        "cut_texts",
        "is cut by the clip path",
        page(
            drawing(
                f'<clipPath id="c"><rect width="90" height="90"/></clipPath>{BAR}'
                '<g clip-path="url(#c)"><text x="60" y="60">bread and milk</text></g>'
            )
        ),
    ),
    "wide block": ("cut_texts", "is too wide", page('<div class="slab" style="width: 2000px; height: 9px"></div>')),
    "wide word": ("cut_texts", "leaves the window", page(f"<p>{'endless' * 60}</p>")),
    "left of the window": ("cut_texts", "leaves the window", page('<p style="margin-left: -60px">begins outside</p>')),
    "scrolls for mice only": (
        "cut_texts",
        "not with the keyboard",
        page(f'<div class="wide">{WIDE}</div>'.replace("a heading", "a heading of a column")),
    ),
    "out of reach of scrolling": (
        "cut_texts",
        "is out of reach",
        page('<div class="wide" tabindex="0"><p style="margin-left: -90px">begins too early</p></div>'),
    ),
    "pale": ("low_contrast", "#777777 on #808080", page('<p style="color: #777; background: #808080">pale</p>')),
    "faded": ("low_contrast", "has a contrast of", page('<p style="opacity: .4">faded</p>')),
    "pale label on a bar": (
        "low_contrast",
        "#999999 on #aaaaaa",
        page(
            drawing(
                '<rect x="10" y="10" width="90" height="30" fill="#aaa"/>'
                '<text x="20" y="30" style="fill: #999">label</text>'
            )
        ),
    ),
    "faded label": (
        "low_contrast",
        "has a contrast of",
        page(drawing(f'{BAR}<g opacity=".3"><text x="20" y="60">label</text></g>')),
    ),
    "text on an image": (
        "low_contrast",
        "stands on an image",
        page('<p style="background: linear-gradient(#000, #fff)">who can tell</p>'),
    ),
    "chart without a name": ("unlabelled", "has no label", page(drawing(BAR, label=' role="img"'))),
    "chart that is no image": (
        "unlabelled",
        "not said to be an image",
        page(drawing(BAR, label=' aria-label="A drawing"')),
    ),
    "chart without a caption": ("unlabelled", "has no caption", page(f"<figure>{PIXEL}</figure>")),
    "empty caption": (
        "unlabelled",
        "has no caption",
        page(f"<figure>{PIXEL}<figcaption> </figcaption></figure>"),
    ),
    "picture without a text": ("unlabelled", "has no alt", page(PIXEL.replace('alt="" ', ""))),
    "heading left out": ("unlabelled", '"Deep" is an h3 after an h1', page("<h3>Deep</h3>")),
    "two main headings": ("unlabelled", "second h1", page("<h1>Again</h1>")),
    "no language": ("unlabelled", "language", page(lang="")),
    "no title": ("unlabelled", "no title", page(title="")),
    "table without headings": ("unlabelled", "has no headings", page("<table><tr><td>1</td></tr></table>")),
    "one id for two": (
        "repeated_ids",
        "the id twin is given 2 times",
        page('<p id="twin">one</p><p id="twin">two</p>'),
    ),
}


@pytest.mark.parametrize(("scheme", "width"), list(product(("light", "dark"), (DESKTOP, PHONE))))
def test_a_page_without_faults_passes_every_check(look, tmp_path, scheme, width):
    path = tmp_path / "page.html"
    path.write_text(page(CHART, SOUND, PIXEL, head=POLICY), encoding="utf-8")
    with look(path, scheme=scheme, width=width) as seen:
        assert problems(seen) == {}
        assert charts_not_drawn(seen, ["risk", "turned"]) == []


@pytest.fixture(scope="module")
def one_window(browser):
    """One for all faults: opening a window takes longer than looking at a page."""
    with window(browser) as opened:
        yield opened


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_its_check_alone(one_window, tmp_path, fault):
    check, said, content = FAULTS[fault]
    path = tmp_path / "page.html"
    path.write_text(content, encoding="utf-8")
    found = problems(one_window.show(path))
    assert list(found) == [check], found
    assert any(said in problem for problem in found[check]), found


def test_every_check_is_shown_to_find_something():
    assert {check for check, _, _ in FAULTS.values()} == {check.__name__ for check in CHECKS}


def test_what_is_too_wide_for_a_phone_only_is_found_there_only(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page('<div class="slab" style="width: 700px; height: 9px"></div>', WIDE), encoding="utf-8")
    with look(path, width=DESKTOP) as seen:
        assert problems(seen) == {}
    with look(path, width=PHONE) as seen:
        found = problems(seen)
    assert list(found) == ["cut_texts"]
    assert found["cut_texts"][0].startswith("the page is ")
    assert any("a heading" in problem for problem in found["cut_texts"])


def test_a_phone_without_a_viewport_is_found_by_its_label(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page().replace("width=device-width, initial-scale=1", ""), encoding="utf-8")
    with look(path, width=PHONE) as seen:
        assert list(problems(seen)) == ["unlabelled"]
        assert seen.page.evaluate("innerWidth") > 600


def test_what_is_pale_in_the_dark_only_is_found_there_only(look, tmp_path):
    path = tmp_path / "page.html"
    label = '<text x="20" y="60" style="fill: #333">a label</text>'
    path.write_text(page('<p style="color: #333">dark</p>', drawing(BAR + label)), encoding="utf-8")
    with look(path, scheme="light") as seen:
        assert problems(seen) == {}
    with look(path, scheme="dark") as seen:
        found = problems(seen)
    assert list(found) == ["low_contrast"]
    assert len(found["low_contrast"]) == 2


def test_large_text_may_be_paler(look, tmp_path):
    path = tmp_path / "page.html"
    grey = "color: #8a8a8a; background: #fff"
    path.write_text(page(f'<p style="{grey}; font-size: 24px">large</p><p style="{grey}">small</p>'), encoding="utf-8")
    with look(path) as seen:
        found = problems(seen)
    assert [problem.split(":")[0] for problem in found["low_contrast"]] == ['"small"']


def test_a_fold_is_looked_into_when_it_is_opened(look, tmp_path):
    path = tmp_path / "page.html"
    inside = '<p style="color: #888; background: #999">pale</p>' + drawing("")
    path.write_text(page(f"<details><summary>More</summary>{inside}</details>"), encoding="utf-8")
    with look(path) as seen:
        assert problems(seen) == {}
    with look(path, unfolded=True) as seen:
        assert set(problems(seen)) == {"low_contrast", "charts_not_drawn"}


def test_a_chart_that_is_expected_is_missed(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(CHART), encoding="utf-8")
    with look(path) as seen:
        assert charts_not_drawn(seen, ["risk", "cost"]) == ["the chart cost is missing"]


def test_faint_marks_are_told_from_others(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(CHART, drawing('<rect x="9" y="9" width="50" height="20" fill="#ccc"/>')), encoding="utf-8")
    with look(path) as seen:
        assert len(faint_marks(seen)) == 1
        assert faint_marks(seen)[0].startswith("the chart other: a mark in #cccccc on #ffffff has a contrast of 1.6")
        assert faint_marks(seen, 1.5) == []


def test_a_mark_is_as_faint_as_all_that_it_is_in(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(drawing(f'<g opacity=".3">{BAR}</g>')), encoding="utf-8")
    with look(path) as seen:
        assert len(faint_marks(seen)) == 1


def test_a_drawing_made_small_has_tiny_texts(look, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(CHART, drawing(BAR + '<text x="20" y="60">a label</text>').replace("0 0 320", "0 0 640")))
    with look(path) as seen:
        assert tiny_texts(seen) == ['"a label" in <figure id="other"> is 6.0 px high, below 9']
        assert tiny_texts(seen, 5) == []


def test_a_text_that_stays_in_the_window_may_cover_others_only_with_a_ground_of_its_own(look, tmp_path):
    path = tmp_path / "page.html"
    for ground, expected in (("background: #000", 0), ("", 1)):
        held = f'<p style="position: fixed; top: 200px; left: 16px; margin: 0; color: #666; {ground}">held</p>'
        held = held.replace("#666", "#fff" if ground else "#000")
        path.write_text(page(held, '<p style="position: absolute; top: 200px; left: 16px; margin: 0">under</p>'))
        with look(path) as seen:
            assert len(overlapping_texts(seen)) == expected


def test_texts_that_stay_in_the_window_together_may_not_cover_each_other(look, tmp_path):
    path = tmp_path / "page.html"
    words = "".join(
        f'<b style="position: absolute; left: {at}px">{word}</b>' for at, word in ((0, "one"), (9, "other"))
    )
    bar = f'<div style="position: fixed; top: 200px; left: 16px; width: 99px; background: #fff">{words}</div>'
    path.write_text(page(bar.replace("#fff", "var(--paper)")), encoding="utf-8")
    with look(path) as seen:
        (found,) = overlapping_texts(seen)
    assert all(words in found for words in ('"one"', '"other"', " overlap by "))
