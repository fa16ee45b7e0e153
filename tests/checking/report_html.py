"""A page of a report as tests read it: elements, attributes, texts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

# All that the template and the drawings consist of. Data may be in texts and in values of attributes only.
_ELEMENTS = """
html head meta title style body div header p main h1 h2 h3 dl dt dd nav ul li a section table thead tbody tr th td
details summary pre code figure figcaption svg desc g path rect line text script
"""
_ATTRIBUTES = """
lang charset name content http-equiv class id data-head href scope tabindex role type aria-label aria-labelledby
aria-hidden aria-roledescription width height viewbox version xmlns xmlns:xlink fill stroke stroke-width
stroke-miterlimit stroke-dasharray transform display d x2 y2 opacity font-family font-size font-weight text-anchor
pointer-events
"""
ELEMENTS, ATTRIBUTES = (frozenset(names.split()) for names in (_ELEMENTS, _ATTRIBUTES))
VOID = {"meta"}


@dataclass
class Element:
    """One element, with what is inside."""

    tag: str
    attributes: dict[str, str | None]
    inside: list[Element | str] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """All elements of this name below, in order."""
        return [one for one in self.every() if one.tag == tag]

    def every(self) -> list[Element]:
        """All elements below, in order."""
        below = [one for one in self.inside if isinstance(one, Element)]
        return [found for one in below for found in (one, *one.every())]

    @property
    def text(self) -> str:
        """All text below."""
        return "".join(one if isinstance(one, str) else one.text for one in self.inside)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"an attribute of {tag} is there twice"
        self.open[-1].inside.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read_page(html: str) -> Element:
    """The page as elements; whatever is not closed, or closes something else, is refused."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    (root,) = reader.open
    return root


def data_in(page: Element) -> Any:
    """The report as data, as it is embedded."""
    (script,) = page.all("script")
    assert script.attributes == {"type": "application/json", "id": "report-data"}
    return json.loads(script.text)
