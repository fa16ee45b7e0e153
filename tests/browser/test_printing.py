"""Paper: every sheet is read, and a mark is missed where it is not, or not to be read."""

from __future__ import annotations

import pytest

from tests.browser.pages import CHART, SOUND, page
from tests.browser.printing import (
    lost_words,
    mark_problems,
    pages_of,
    pictures_of,
    printed,
    printed_pages,
    torn_charts,
)

MARK = "Internal: not to be passed on"
LONG = "".join(f"<p>Paragraph {number} of a page that takes several sheets.</p>" for number in range(90))


# A box of the margin is the one place of a sheet that nothing else is printed on.
MARGIN = f"""<style>@media print {{ .mark {{ display: none }} }}
@page {{ margin: 60px 40px; @top-left {{ content: "{MARK}" }} }}</style>"""


def test_a_mark_in_the_margin_is_on_every_sheet(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(CHART, LONG, head=MARGIN), encoding="utf-8")
    sheets = printed_pages(browser, path, tmp_path)
    assert len(sheets) > 2
    assert all(MARK in sheet for sheet in sheets)
    assert mark_problems(tmp_path / "page-light.pdf", MARK) == []


def test_a_mark_on_the_first_sheet_only_is_missed_on_the_others(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(LONG, head="<style>@media print { .mark { position: static } }</style>"), encoding="utf-8")
    pdf = printed(browser, path, tmp_path / "page.pdf")
    sheets = pages_of(pdf)
    assert [MARK in sheet for sheet in sheets] == [True] + [False] * (len(sheets) - 1)
    assert mark_problems(pdf, MARK) == [f'sheet {n} does not say "{MARK}"' for n in range(2, len(sheets) + 1)]


def test_words_printed_over_the_mark_are_found(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(LONG, head="<style>@media print { .mark { top: 300px } }</style>"), encoding="utf-8")
    found = mark_problems(printed(browser, path, tmp_path / "page.pdf"), MARK)
    assert any(f'is printed over "{MARK}" on sheet 2' in problem for problem in found), found


def test_a_mark_beyond_the_edge_of_the_paper_is_found(browser, tmp_path):
    path = tmp_path / "page.html"
    head = "<style>@page { margin: 0 } @media print { .mark { left: auto; right: -8px } }</style>"
    path.write_text(page(head=head), encoding="utf-8")
    found = mark_problems(printed(browser, path, tmp_path / "page.pdf"), MARK)
    assert found == [f'the edge of sheet 1 cuts "{MARK}"']


def test_pictures_are_made_of_every_sheet(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(CHART, SOUND), encoding="utf-8")
    pdf = printed(browser, path, tmp_path / "page.pdf", "dark")
    assert [picture.read_bytes()[:4] for picture in pictures_of(pdf, tmp_path)] == [b"\x89PNG"]


@pytest.mark.parametrize("together", [True, False])
def test_a_chart_that_two_sheets_share_is_found(together, browser, tmp_path):
    path = tmp_path / "page.html"
    caption = "<figcaption>How many people are found.</figcaption>"
    chart = CHART.replace(caption, "").replace("<svg", f"{caption}<svg")
    charts = [chart.replace('id="risk"', f'id="risk{number}"') for number in range(12)]
    style = f"<style>figure {{ break-inside: {'avoid' if together else 'auto'} }} svg {{ height: 270px }}</style>"
    path.write_text(page(*charts, head=style), encoding="utf-8")
    found = torn_charts(browser, path, tmp_path / "page.pdf")
    assert bool(found) is not together, found


THREE = "<p>one</p><p>two</p><p>three</p>"
# Where paper loses words: a box that scrolls on the screen, a fold that stays closed, the edge of the sheet.
CUT = {
    "scrolled": f'<div tabindex="0" style="height: 2em; overflow: auto">{THREE}</div>',
    "folded": f"<details><summary>More</summary>{THREE}</details>",
    "beyond the paper": '<p style="margin-left: 1200px; white-space: nowrap">one two three</p>',
}


@pytest.mark.parametrize("cut", CUT)
def test_words_that_paper_loses_are_found(cut, browser, tmp_path):
    path = tmp_path / "page.html"
    for kept, style in ((False, ""), (True, "* { overflow: visible !important; margin-left: 0 !important }")):
        path.write_text(
            page(CUT[cut].replace("<details", "<details open") if kept else CUT[cut], head=f"<style>{style}</style>"),
            encoding="utf-8",
        )
        found = lost_words(browser, path, printed(browser, path, tmp_path / "page.pdf"))
        assert ("three (0 of 1)" in found) != kept, found
