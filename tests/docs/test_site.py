"""The built pages: nothing is fetched, the reference is whole, and pictures are of today."""

import html
import re
import subprocess
import sys
import zlib

import pytest

from tests.docs.pages import DOCS, ROOT, text_of
from tests.running.commands import shoal


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages, built as ``make docs`` builds them: a warning is an error."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-q", "-b", "html", str(DOCS), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_make_docs_builds_as_the_tests_do():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "sphinx-build -E -a -W -n --keep-going -q -b html docs build/docs" in makefile
    assert "make docs\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


OUTSIDE = re.compile(
    r"<(?:script|link|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|href|srcset|data)\s*=\s*[\"']?\s*"
    r"(?:https?:)?//[^>]*>|@import[^;]*//[^;]*;|url\(\s*[\"']?(?:https?:)?//[^)]*\)",
    re.IGNORECASE,
)
"""What a browser asks somebody else for by itself; a link that a reader may follow is none of it."""


@pytest.mark.xdist_group("site")
def test_no_request_leaves_a_built_page(site):
    assert OUTSIDE.search('<script src="https://cdn.example/x.js"></script>')
    assert OUTSIDE.search('<link rel="stylesheet" href="//fonts.example/a.css">')
    assert OUTSIDE.search("@font-face { src: url('http://fonts.example/a.woff') }")
    assert not OUTSIDE.search('<a href="https://www.sphinx-doc.org/">Sphinx</a> <script src="_static/x.js"></script>')
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(files) > 40
    for file in files:
        assert not OUTSIDE.search(text_of(file)), file.relative_to(site)


@pytest.mark.xdist_group("site")
def test_every_public_name_is_documented(site):
    import shoal

    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    documented = {line.split()[0] for line in inventory.splitlines()}
    listed = [*shoal.__all__, *(f"errors.{name}" for name in shoal.errors.__all__)]
    listed += [f"results.{name}" for name in shoal.results.__all__]
    assert {f"shoal.{name}" for name in listed} - documented == set()


@pytest.mark.xdist_group("site")
def test_every_command_and_option_is_in_the_reference(site, monkeypatch, capfd):
    monkeypatch.syspath_prepend(str(DOCS))
    from generated_reference import commands

    page = text_of(site / "reference" / "commands.html")
    written = {re.match(r"[^<]*", part)[0]: part for part in page.split("<h2>")[1:]}
    found = list(commands())
    assert [name for name, _, _ in found] == [*written]
    helped = shoal(capfd, "--help")[1].split("Commands:")[1].split("Examples:")[0]
    listed = re.findall(r"^  ([a-z][a-z-]*) ", helped, re.MULTILINE)
    assert len(listed) >= 17
    assert {name.split()[1] for name in written} == {*listed}
    for name, command, context in found:
        section = html.unescape(re.sub(r"<[^>]+>", "", written[name]))
        for param in command.get_params(context):
            if record := param.get_help_record(context):
                assert record[0] in section, f"{name} {record[0]}"
        assert command.examples
        assert all(example in section for example in command.examples), name
        assert " ".join((command.help or "").split()[:4]) in " ".join(section.split()), name


# --- pictures --------------------------------------------------------------------------------------------------------


def test_pictures_show_what_reports_show_today(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import make_pictures

    made = make_pictures.make_charts(tmp_path)
    shown = {path.name.removesuffix(".vl.json") for path in make_pictures.PICTURES.glob("*.vl.json")}
    assert shown == set(made)
    for name, path in made.items():
        committed = make_pictures.PICTURES / f"{name}.vl.json"
        assert text_of(committed) == text_of(path), f"{name} has changed: make pictures"
        assert (make_pictures.PICTURES / f"{name}.png").read_bytes().startswith(b"\x89PNG")
