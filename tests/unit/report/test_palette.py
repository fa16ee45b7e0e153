"""Colours: each for one use, seen on both papers, and none left in a drawing of a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations

import pytest

from shoal.methods import METHODS
from shoal.reporting.drawing import svg_of
from shoal.reporting.page import Report
from shoal.reporting.palette import CONFIG, PALETTE, SERIES, in_light_colours, style_variables, with_variables
from tests.checking.report_html import read_page

SCHEMES = ("light", "dark")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl)a?\(")
MARKS = ("before", *SERIES, "alarm", "ink", "quiet")


def luminance(colour: str) -> float:
    """As WCAG 2.1 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_two_names_share_a_colour(scheme: str) -> None:
    colours = [getattr(shade, scheme) for shade in PALETTE.values()]
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)
    assert len(set(colours)) == len(colours)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_can_be_read_and_marks_be_seen(scheme: str) -> None:
    paper = getattr(PALETTE["paper"], scheme)
    for name in ("ink", "quiet", "alarm"):
        assert contrast(getattr(PALETTE[name], scheme), paper) >= 4.5, name
    for name in MARKS:
        assert contrast(getattr(PALETTE[name], scheme), paper) >= 3, name
    # Links are in the colour of what is published.
    assert contrast(getattr(PALETTE["after"], scheme), paper) >= 4.5


def test_things_that_stand_side_by_side_are_told_apart() -> None:
    for scheme in SCHEMES:
        for one, other in combinations(("before", *SERIES), 2):
            pair = [getattr(PALETTE[name], scheme) for name in (one, other)]
            far = sum((int(pair[0][at : at + 2], 16) - int(pair[1][at : at + 2], 16)) ** 2 for at in (1, 3, 5))
            assert far**0.5 > 60, (scheme, one, other)


def test_the_style_sheet_has_every_name_for_both() -> None:
    for scheme in SCHEMES:
        found = dict(re.findall(r"--(\w+): (#\w+);", style_variables(scheme)))
        assert found == {name: getattr(shade, scheme) for name, shade in PALETTE.items()}


def test_a_specification_gets_the_light_colours_and_keeps_the_rest() -> None:
    spec = {"a": "$after", "b": ["$ink", {"c": ("$paper", "cost: $5", "$", 3)}], "d": None}
    light = PALETTE["after"].light, PALETTE["ink"].light, PALETTE["paper"].light
    assert in_light_colours(spec) == {
        "a": light[0],
        "b": [light[1], {"c": [light[2], "cost: $5", "$", 3]}],
        "d": None,
    }
    assert "$" not in str(in_light_colours(CONFIG))


def test_colours_are_replaced_in_tags_and_not_in_what_they_hold() -> None:
    light = PALETTE["after"].light
    svg = f'<svg><path fill="{light}" stroke="#123456"/><text id="&quot;{light}&quot;">="{light}"</text></svg>'
    wanted = svg.replace(f'fill="{light}"', 'fill="var(--after)"')
    assert with_variables(svg) == wanted


@pytest.mark.parametrize("public", [False, True], ids=["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_no_colour_is_left_in_any_drawing_of_a_page(method: str, public: bool, reported: Callable[..., Report]) -> None:
    names = {f"var(--{name})" for name in PALETTE}
    for chart in reported(method, public).charts:
        used = set()
        for element in read_page(with_variables(svg_of(chart))).every():
            assert not COLOUR.search(str(element.attributes)), (chart.name, element)
            used |= {element.attributes[name] for name in ("fill", "stroke") if name in element.attributes}
        assert used <= names | {"none", "transparent"}, chart.name
        assert "var(--paper)" in used
        assert used & {f"var(--{name})" for name in ("before", *SERIES)}, chart.name
