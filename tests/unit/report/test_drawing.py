"""Drawings: real pictures of what the data say, by packages that may be missing."""

from __future__ import annotations

import importlib.util
import json
import struct
import xml.etree.ElementTree as Xml
import zlib
from collections.abc import Callable

import numpy as np
import pytest

import shoal
from shoal.errors import InputError
from shoal.methods import METHODS
from shoal.reporting import drawing, saving
from shoal.reporting.charts import histogram, lying_bars
from shoal.reporting.drawing import png_of, require_packages, svg_of, titled, titled_svg_of, vega_lite
from shoal.reporting.page import Chart, Report, Section

CHART = histogram("sizes", "Sizes of <b>groups</b> & more", "Three sizes.", np.array([3, 3, 5]), x="size", y="groups")
SPACE = "{http://www.w3.org/2000/svg}"


def bars(name: str) -> Chart:
    """A chart in which a name is everywhere that a name can be."""
    records = [{"label": name, "value": 0.5}, {"label": "tea", "value": 0.25}]
    return lying_bars("names", name, name, records, {"label": "name", "value": "share"}, unit="share", side=name)


def pixels(png: bytes) -> tuple[int, int, set[bytes]]:
    """Width, height and the colours of a picture with eight bits a channel, by the standard's five filters."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    width = height = kind = 0
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        name, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", content[:10])
            assert depth == 8
        body += content if name == b"IDAT" else b""
        at += size + 12
    step = {2: 3, 6: 4}[kind]
    raw, length = zlib.decompress(body), width * step
    before, colours = bytearray(length), set[bytes]()
    for row in range(height):
        start = row * (length + 1)
        how, line = raw[start], bytearray(raw[start + 1 : start + 1 + length])
        for i in range(length):
            left, up = line[i - step] if i >= step else 0, before[i]
            corner = before[i - step] if i >= step else 0
            line[i] = (line[i] + (0, left, up, (left + up) // 2, _paeth(left, up, corner))[how]) % 256
        colours |= {bytes(line[i : i + 3]) for i in range(0, length, step)}
        before = line
    return width, height, colours


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def test_a_png_is_a_picture_of_more_than_one_colour() -> None:
    width, height, colours = pixels(png_of(CHART))
    drawn = Xml.fromstring(titled_svg_of(CHART))
    assert (width, height) == tuple(2 * round(float(drawn.attrib[side])) for side in ("width", "height"))
    assert width > 600
    assert height > 300
    found = {f"#{colour.hex()}" for colour in colours}
    assert {"#fefefe", "#0a6c97"} <= found  # the paper and the bars


@pytest.mark.parametrize("method", ["disassociate", "hybrid", "mondrian-hidden"])
def test_drawings_of_every_report_are_xml_with_their_title(method: str, reported: Callable[..., Report]) -> None:
    for chart in reported(method, odd=True).charts:
        alone, inside = Xml.fromstring(titled_svg_of(chart)), Xml.fromstring(svg_of(chart))
        assert alone.tag == inside.tag == f"{SPACE}svg"
        with_title, without = (" ".join(svg.itertext()) for svg in (alone, inside))
        assert all(word in with_title for word in chart.title.split())
        assert not all(word in without for word in chart.title.split())


def test_a_specification_holds_the_records_and_no_number_that_json_does_not_have() -> None:
    records = ({"label": "a", "value": float("nan")}, {"label": "b", "value": float("inf")}, {"label": "c", "value": 1})
    chart = Chart("c", "t", "what it says", records, {}, {"mark": "point", "encoding": {}})
    spec = json.loads(json.dumps(vega_lite(chart), allow_nan=False))
    assert [record["value"] for record in spec["data"]["values"]] == [None, None, 1]
    assert spec["description"] == "what it says"
    assert "$after" not in json.dumps({**spec, "$schema": ""})
    assert titled(CHART)["title"]["text"] == ["Sizes of <b>groups</b> & more"]
    assert "title" not in vega_lite(CHART)


def test_a_long_title_is_broken_and_nothing_of_it_lost() -> None:
    title = "Relative error of supports of pairs of items, by the rank of the items, from the first to the last"
    lines = titled(bars(title))["title"]["text"]
    assert " ".join(lines) == title
    assert max(map(len, lines)) <= 50


@pytest.mark.parametrize(
    "name",
    [
        "a\x08b",
        "a\x00b",
        "a\x0b\x0c\x1fb",
        "\ufffe\uffff",
        "\ud800",
        "\x7f\x85",
        "tab\there",
        "new\nline",
        "🐟 \u202eevil",
    ],
)
def test_a_name_of_any_characters_can_be_drawn(name: str) -> None:
    chart = bars(name)
    for svg in (svg_of(chart), titled_svg_of(chart)):
        Xml.fromstring(svg)
    assert len(pixels(png_of(chart))[2]) > 1
    # The report itself keeps the name.
    assert chart.as_dict()["records"][0]["label"] == name


@pytest.mark.parametrize("missing", ["vl_convert", "jinja2"])
def test_a_missing_package_is_an_error_that_says_how_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path, reported: Callable[..., Report]
) -> None:
    report = reported("disassociate", True)
    monkeypatch.setattr(drawing, "find_spec", lambda name: None if name == missing else importlib.util.find_spec(name))
    from shoal.reporting import html

    html._template.cache_clear()
    wanted = "pip install jinja2 vl-convert-python"
    for refused in (
        require_packages,
        report.html,
        lambda: report.save(tmp_path / "page.html"),
        lambda: report.save_charts(tmp_path / "charts"),
        lambda: svg_of(CHART),
        lambda: png_of(CHART),
    ):
        with pytest.raises(InputError, match=wanted):
            refused()
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_made_as_data_where_what_draws_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, released: Callable[..., tuple]
) -> None:
    from importlib.metadata import PackageNotFoundError, version

    from shoal.reporting import facts

    def known(name: str) -> str:
        if name == "vl-convert-python":
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(facts, "version", known)
    report = shoal.report(released("disassociate")[0])
    made = next(block for block in report.blocks if getattr(block, "title", "") == "Made with")
    assert ("vl-convert-python", "not installed") in made.rows
    assert ("shoal", version("shoal")) in made.rows


def test_everything_is_drawn_before_a_folder_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    def refuse(chart: Chart) -> bytes:
        raise InputError(f"no room for {chart.name}")

    monkeypatch.setattr(saving, "png_of", refuse)
    report = Report("t", "public", "", (), (Section("one", "One", (CHART,)),))
    with pytest.raises(InputError, match="no room for sizes"):
        report.save_charts(tmp_path / "charts")
    assert list(tmp_path.iterdir()) == []


def test_every_method_has_charts(reported: Callable[..., Report]) -> None:
    for method in METHODS:
        assert reported(method, True).charts, method
