"""What must not be wrong with a page. Each check returns problems in plain words: none means fine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.browser.chromium import Look

SOURCE = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
SOCKET = re.compile(r"WebSocket connection to '([^']+)' failed")
WITHIN = ("data:", "blob:", "about:")


def ask(seen: Look, check: str, argument: object = None) -> list[str]:
    """One check of checks.js, run in the page but apart from its scripts and its content security policy."""
    return seen.page.evaluate(f"(argument) => {{ {SOURCE}\nreturn {check}(argument); }}", argument)


def requests_that_left(seen: Look) -> list[str]:
    """Whatever the page asked for besides itself. Another file on the same disk is none of its own, either."""
    asked = dict.fromkeys(strangers(seen))
    return [f"the page asked for {address}" for address in asked] + ask(seen, "connections_announced")


def strangers(seen: Look) -> list[str]:
    # Of a socket whose host has no address some versions of Playwright tell nothing, but the console does.
    sockets = [found[1] for said, _ in seen.complaints if (found := SOCKET.match(said))]
    asked = [*seen.requests, *sockets]
    return [url for url in asked if url.split("#")[0] != seen.address and not url.startswith(WITHIN)]


def console_errors(seen: Look) -> list[str]:
    """Errors and warnings of the console, violations of the content security policy, and what scripts threw.

    That a request failed is said by `requests_that_left`.
    """
    refused = set(strangers(seen))
    return [
        f"the console says: {said}"
        for said, address in seen.complaints
        if not (SOCKET.match(said) or ("Failed to load resource" in said and address in refused))
    ]


def charts_not_drawn(seen: Look, names: Sequence[str] = ()) -> list[str]:
    """Charts that show nothing; and those of these names that are missing."""
    return ask(seen, "charts_not_drawn", list(names))


def cut_texts(seen: Look) -> list[str]:
    """Texts of which a part cannot be seen, and a page that scrolls sideways."""
    return ask(seen, "cut_texts")


def overlapping_texts(seen: Look) -> list[str]:
    """Texts that are painted over each other."""
    return ask(seen, "overlapping_texts")


def low_contrast(seen: Look) -> list[str]:
    """Texts that WCAG 2 AA finds too pale: below 4.5, or below 3 where they are large."""
    return ask(seen, "low_contrast")


def unlabelled(seen: Look) -> list[str]:
    """What somebody who cannot see the page would miss, among it the names of charts."""
    return ask(seen, "unlabelled")


def repeated_ids(seen: Look) -> list[str]:
    """Names that two elements share, which breaks links, labels and clip paths."""
    return ask(seen, "repeated_ids")


def faint_marks(seen: Look, least: float = 3.0) -> list[str]:
    """Marks of charts that stand out too little. Asked for apart: where colour is a scale, its low end is faint."""
    return ask(seen, "faint_marks", least)


def tiny_texts(seen: Look, least: float = 9.0) -> list[str]:
    """Texts too small to read, as those of a chart become when it is made to fit a phone. Asked for apart."""
    return ask(seen, "tiny_texts", least)


CHECKS: tuple[Callable[[Look], list[str]], ...] = (
    requests_that_left,
    console_errors,
    charts_not_drawn,
    cut_texts,
    overlapping_texts,
    low_contrast,
    unlabelled,
    repeated_ids,
)


def problems(seen: Look) -> dict[str, list[str]]:
    """What all checks have to say, by their names, without those that have nothing to say."""
    said = {check.__name__: check(seen) for check in CHECKS}
    return {name: found for name, found in said.items() if found}
