"""Pages of reports: whole, fetching nothing, and with no element or attribute that came from data."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import shoal
from shoal.methods import METHODS
from shoal.reporting.charts import histogram
from shoal.reporting.html import MOST_ROWS, number_text
from shoal.reporting.page import INTERNAL, PUBLIC, Chart, Code, Grid, Key, Listed, Report, Section, Words
from shoal.study.compare import Comparison
from shoal.study.outcome import Job, Measuring, Outcome
from tests.checking.report_html import ATTRIBUTES, ELEMENTS, Element, data_in, read_page
from tests.making.releases_with_odd_names import BREAKS_OUT, ODD, ODD_COLUMNS, ODD_FILE, ODD_FOLDER
from tests.making.study_data import metric, outcome
from tests.making.sweeps import swept

ODD_TEXT = " ".join(ODD)


def study_reports() -> dict[str, Report]:
    """Reports on a comparison and on a sweep in which every text is odd."""
    odd = [
        outcome(BREAKS_OUT, metric("tKd", 0.5), metric("pairs kept", 0.25, higher=True), left_out=(ODD[1],)),
        outcome(ODD[2], metric("tKd", 0.75), failures=(ODD_TEXT,), not_promised=(ODD[3],)),
        Outcome(Job(ODD[4], "disassociate-l", {"k": 3, "m": 2, "l": 2, "sensitive": list(ODD)}), "failed", ODD_TEXT),
    ]
    found = Comparison(tuple(odd), "baskets", ODD_TEXT, Measuring(), ODD)
    sweep = swept("disassociate", {"k": [2, 5, 10]}, [0.1, 0.2, 0.9])
    sweep = replace(sweep, method=BREAKS_OUT, size=ODD_TEXT, risk=ODD_TEXT, made=ODD)
    return {"compare": shoal.report(found), "sweep": shoal.report(sweep)}


def check_page(report: Report) -> Element:
    """What holds for every page of a report."""
    html = report.html()
    page = read_page(html)
    for element in page.every():
        assert element.tag in ELEMENTS, element.tag
        assert set(element.attributes) <= ATTRIBUTES, element
        for name, value in element.attributes.items():
            if name == "href":
                assert re.fullmatch("#[a-z]+", value or "")
            assert "url(" not in (value or "").replace(" ", "").lower()
    charts = len(report.charts)
    numbers = [len(page.all(tag)) for tag in ("script", "style", "html", "body", "svg", "desc", "title", "figure")]
    assert numbers == [1, 1, 1, 1, charts, charts, charts + 1, charts]
    (style,) = page.all("style")
    assert "url(" not in style.text
    assert "@import" not in style.text
    policies = [one.attributes["content"] for one in page.all("meta") if "http-equiv" in one.attributes]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert {
        one.attributes["name"]: one.attributes["content"] for one in page.all("meta") if "name" in one.attributes
    } == {
        "viewport": "width=device-width, initial-scale=1",
        "referrer": "no-referrer",
        "color-scheme": "light dark",  # of what the browser itself draws
    }
    ids = [one.attributes["id"] for one in page.every() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    assert [link.attributes["href"] for link in page.all("a")] == [f"#{one.name}" for one in report.sections]
    assert {section.attributes["id"] for section in page.all("section")} == {one.name for one in report.sections}
    for figure, chart in zip(page.all("figure"), report.charts, strict=True):
        check_figure(figure, chart)
    (mark,) = [header for header in page.all("header") if header.attributes["class"] == "mark"]
    assert mark.text == report.mark == {"internal": INTERNAL, "public": PUBLIC}[report.audience]
    assert page.all("body")[0].attributes["class"] == report.audience
    assert data_in(page) == report.as_dict()
    # A browser ends a script at what parsers of other kinds go past: there is no such sign in it at all.
    _, _, behind = html.partition('id="report-data">')
    data, end, rest = behind.partition("<")
    assert end + rest == "</script>\n</body>\n</html>"
    assert not set(data) & set("<>&")
    return page


def seen(text: str) -> str:
    """A text of a report as the page shows it: U+202E would turn what stands behind it."""
    return text.replace("\u202e", "\\u202e")


def check_figure(figure: Element, chart: Chart) -> None:
    """A drawing that has a name, a description and its numbers."""
    (caption,) = figure.all("figcaption")
    assert [one.text for one in caption.all("h3") + caption.all("p")] == [seen(chart.title), seen(chart.says)]
    (svg,) = figure.all("svg")
    title, said = svg.all("title")[0], svg.all("desc")[0]
    assert svg.attributes["role"] == "img"
    assert svg.attributes["aria-labelledby"] == f"{title.attributes['id']} {said.attributes['id']}"
    assert (title.text, said.text) == (seen(chart.title), seen(chart.says))
    assert svg.all("path")
    (details,) = figure.all("details")
    assert [head.text for head in details.all("th")] == list(chart.columns.values())
    rows = [[cell.text for cell in row.all("td")] for row in details.all("tr")[1:]]
    assert rows == [
        [seen(number_text(record[field])) for field in chart.columns] for record in chart.records[:MOST_ROWS]
    ]


@pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_names_break_out_of_no_report_on_a_release(method: str, public: bool, reported: Callable[..., Report]) -> None:
    report = reported(method, public, odd=True)
    page = check_page(report)
    assert page.all("h1")[0].text == f"Report on {ODD_FOLDER}"
    shown = "".join(one.text for one in page.all("main"))
    # Names are there as what they are, unless all of them went into one group.
    assert any(name in shown for name in (*ODD, *ODD_COLUMNS)) or (method == "km-generalization" and public)
    assert (ODD_FILE in shown) is not public


@pytest.mark.parametrize("which", ["compare", "sweep"])
def test_names_break_out_of_no_report_on_a_study(which: str) -> None:
    report = study_reports()[which]
    page = check_page(report)
    assert seen(ODD_TEXT) in "".join(one.text for one in page.all("main"))


@pytest.mark.parametrize("method", METHODS)
def test_pages_of_plain_data_are_whole(method: str, reported: Callable[..., Report]) -> None:
    check_page(reported(method))


def test_every_block_is_shown_as_what_it_is() -> None:
    blocks = (
        Words("so & so", "bad"),
        Listed(("one <b>", "two")),
        Grid("numbers", ("a", "b"), (("1", "x" * 41),)),
        Grid("", ("c",), (("2",),)),
        Grid("long", ("d",), (("3",),), folded=True),
        Code("to run", "sh", "echo '<b>' && true\nls"),
    )
    report = Report("A & B", "public", "gist", (Key("key", "1 < 2", "good"),), (Section("one", "One", blocks),))
    page = check_page(report)
    paragraphs = [(one.attributes.get("class"), one.text) for one in page.all("p")]
    assert ("bad", "so & so") in paragraphs
    assert ("lead", "gist") in paragraphs
    (listed,) = page.all("section")[0].all("ul")
    assert [one.text for one in listed.all("li")] == ["one <b>", "two"]
    first, second, third = page.all("table")
    assert [cell.text for cell in first.all("th") + first.all("td")] == ["a", "b", "1", "x" * 41]
    assert [table.attributes for table in (first, second, third)] == [{"class": "prose", "role": "table"}, {}, {}]
    (folded,) = page.all("details")
    assert folded.all("table") == [third]
    assert folded.all("summary")[0].text == "long"
    assert [one.text for one in page.all("h3")] == ["numbers", "to run"]
    assert page.all("code")[0].text == "echo '<b>' && true\nls"
    assert page.all("code")[0].attributes == {"class": "sh"}
    (keys,) = page.all("dl")
    assert [one.text for one in keys.all("dt") + keys.all("dd")] == ["key", "1 < 2"]
    assert keys.all("div")[0].attributes == {"class": "good"}


def test_of_many_records_the_first_are_listed_and_the_rest_is_counted() -> None:
    chart = histogram("sizes", "Sizes", "Many.", np.arange(20), x="size", y="number")
    chart = replace(chart, records=chart.records * 51)
    report = Report("Many", "public", "", (), (Section("one", "One", (chart,)),))
    page = read_page(report.html())
    assert len(page.all("tbody")[0].all("tr")) == MOST_ROWS
    assert page.all("figure")[0].all("p")[-1].text == "and 820 more"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        (12345, "12,345"),
        (0.123456, "0.1235"),
        (2.0, "2"),
        (1234.5678, "1,235"),
        (-0.5, "-0.5"),
        (float("inf"), "inf"),
        (float("nan"), "-"),
        ("as it is", "as it is"),
    ],
)
def test_numbers_are_written_for_readers(value: object, text: str) -> None:
    assert number_text(value) == text
