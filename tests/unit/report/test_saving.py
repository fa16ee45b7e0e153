"""Reports as files: whole or not there, for their owner only where they tell of the original."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import vl_convert

from shoal.errors import InputError
from shoal.reporting.charts import histogram
from shoal.reporting.page import Audience, Report, Section, Words
from shoal.reporting.saving import require_folder, require_free

# Of Vega-Lite; an old package has only older ones.
VERSION = "5.20" if "5.20" in vl_convert.get_vegalite_versions() else None
CHARTS = tuple(
    histogram(name, f"Sizes {name}", "Three sizes.", np.array([3, 3, 5]), x="x", y="y") for name in ("one", "two")
)
FILES = [f"{name}{ending}" for name in ("one", "two") for ending in (".png", ".svg", ".vl.json")]


def report_for(audience: Audience) -> Report:
    return Report("A report", audience, "lead", (), (Section("all", "All", (Words("so"), *CHARTS)),))


INTERNAL, PUBLIC = report_for("internal"), report_for("public")


@pytest.fixture(autouse=True)
def _usual_mask() -> object:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_tells_of_the_original_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    INTERNAL.save(tmp_path / "internal.html")
    PUBLIC.save(tmp_path / "public.html")
    assert (mode(tmp_path / "internal.html"), mode(tmp_path / "public.html")) == (0o600, 0o644)
    assert INTERNAL.save_charts(tmp_path / "internal") == FILES
    assert PUBLIC.save_charts(tmp_path / "public") == FILES
    assert {mode(tmp_path / "internal" / name) for name in FILES} == {0o600}
    assert {mode(tmp_path / "public" / name) for name in FILES} == {0o644}


def test_a_public_file_that_becomes_an_internal_one_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    PUBLIC.save(path)
    INTERNAL.save(path, force=True)
    assert mode(path) == 0o600
    assert path.read_text() == INTERNAL.html()


def test_the_page_is_what_html_says(tmp_path: Path) -> None:
    PUBLIC.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == PUBLIC.html().encode()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_charts_can_be_drawn_again_from_their_data(tmp_path: Path, reported: Callable[..., Report]) -> None:
    report = reported("disassociate")
    names = report.save_charts(tmp_path / "deep" / "charts")
    assert sorted(path.name for path in (tmp_path / "deep" / "charts").iterdir()) == sorted(names)
    for chart in report.charts:
        place = tmp_path / "deep" / "charts" / chart.name
        text = Path(f"{place}.vl.json").read_text()
        spec = json.loads(text)
        assert spec["data"]["values"] == [dict(record) for record in chart.records]
        assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/v5")
        again = vl_convert.vegalite_to_svg(text, vl_version=VERSION)
        assert again == Path(f"{place}.svg").read_text()
        assert Path(f"{place}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_files_that_are_there_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    page, charts = tmp_path / "page.html", tmp_path / "charts"
    page.write_text("mine")
    charts.mkdir()
    (charts / "two.svg").write_text("mine")
    with pytest.raises(InputError, match=r"page.html exists already; .* or force=True"):
        PUBLIC.save(page)
    with pytest.raises(InputError, match=r"two.svg exists already; .* or force=True"):
        PUBLIC.save_charts(charts)
    assert page.read_text() == (charts / "two.svg").read_text() == "mine"
    assert [path.name for path in charts.iterdir()] == ["two.svg"]
    PUBLIC.save(page, force=True)
    PUBLIC.save_charts(charts, force=True)
    assert page.read_text() == PUBLIC.html()
    assert sorted(path.name for path in charts.iterdir()) == sorted(FILES)


def test_other_files_of_a_folder_of_charts_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    PUBLIC.save_charts(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_names_that_cannot_be_written_to_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(InputError, match="is a folder: name the file"):
        require_free(tmp_path, force=True)
    with pytest.raises(InputError, match=r"there is no folder .*missing; make it first"):
        require_free(tmp_path / "missing" / "page.html", force=False)
    with pytest.raises(InputError, match="is a file: name a folder"):
        require_folder(file)
    for long in ("x" * 300, "ü" * 200):
        for refused in (
            lambda: require_free(tmp_path / long, force=False),  # noqa: B023
            lambda: PUBLIC.save(tmp_path / long),  # noqa: B023
            lambda: require_folder(tmp_path / long),  # noqa: B023
            lambda: PUBLIC.save_charts(tmp_path / long),  # noqa: B023
        ):
            with pytest.raises(InputError, match="cannot write"):
                refused()
    with pytest.raises(InputError, match=r"cannot (make|write)"):
        PUBLIC.save_charts(file / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_another_program_calls_a_manifest_makes_no_release(tmp_path: Path) -> None:
    for content in ('{"name": "a page"}', "[]", "no JSON"):
        (tmp_path / "manifest.json").write_text(content)
        require_free(tmp_path / "page.html", force=False)
        require_folder(tmp_path / "charts")
    (tmp_path / "manifest.json").write_text('{"format": "shoal release", "format_version": 1}')
    with pytest.raises(InputError, match="would be published with it"):
        require_free(tmp_path / "page.html", force=False)


def test_a_name_as_long_as_names_may_be_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250 + ".html")
    PUBLIC.save(path)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    page, link = tmp_path / "shelf" / "page.html", tmp_path / "page.html"
    page.write_text("old")
    link.symlink_to(page)
    INTERNAL.save(link, force=True)
    assert link.is_symlink()
    assert page.read_text() == INTERNAL.html()
    assert mode(page) == 0o600
    assert [one.name for one in (tmp_path / "shelf").iterdir()] == ["page.html"]


@pytest.mark.parametrize("step", ["open", "replace"])
def test_nothing_is_left_when_writing_fails(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full) if step == "replace" else monkeypatch.setattr(os, "open", full)
    with pytest.raises(InputError, match=r"cannot write .*page.html: No space left on device"):
        PUBLIC.save(tmp_path / "page.html")
    with pytest.raises(InputError, match=r"cannot write .*one.png: No space left on device"):
        PUBLIC.save_charts(tmp_path / "charts")
    monkeypatch.undo()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_was_there_stays_when_replacing_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")

    def refuse(*_: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(InputError, match="Permission denied"):
        PUBLIC.save(page, force=True)
    assert page.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
