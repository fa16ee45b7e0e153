"""Debian's Chromium, driven by Playwright: pages as a reader with some window and some colour scheme sees them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

Scheme = Literal["light", "dark"]
Media = Literal["screen", "print"]

DESKTOP, PHONE = 1280, 390  # widths in px
WIDEST_PHONE = 600

# Nothing that a browser does for itself: no updates, no synchronizing. No name is resolved and no proxy asked, so that
# nothing can leave the machine even where a check had a gap. Chromium needs no sandbox for pages that we wrote, and has
# none as root.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--font-render-hinting=none",
]


def chromium_path() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


def what_is_missing() -> str | None:
    """What has to be installed before a page can be looked at, in words for whoever runs the tests."""
    missing = [] if chromium_path() else ["chromium"]
    missing += [program for program in ("pdftotext", "pdftoppm") if not shutil.which(program)]
    if not missing:
        return None
    return f"no {' and no '.join(missing)}: `make browser` installs what looking at pages needs"


def need_browser() -> None:
    """Skip the test where there is no browser; where a change is judged tests/plugins/skipping.py fails it."""
    missing = what_is_missing()
    if missing:
        pytest.skip(missing)


@contextmanager
def chromium() -> Iterator[Browser]:
    """One browser. Playwright gives it a new, empty profile and deletes that afterwards."""
    path = chromium_path()
    if path is None:
        raise FileNotFoundError(what_is_missing())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Look:
    """An opened page, and what happened since it was asked for."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[tuple[str, str]] = field(default_factory=list)  # what was said, and of which address


class Window:
    """A window that shows one page after the other, and listens."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen = Look(page, "about:blank")
        # Of the context, so that windows that the page opens are heard, too.
        page.context.on("request", lambda request: self.seen.requests.append(request.url))
        page.on("websocket", lambda socket: self.seen.requests.append(socket.url))
        page.on("console", lambda said: self.hear(said.type, said.text, said.location.get("url", "")))
        page.on("pageerror", lambda error: self.hear("error", f"{error.name}: {error.message}", ""))
        page.on("crash", lambda _: self.hear("error", "the page crashed", ""))

    def hear(self, kind: str, text: str, address: str) -> None:
        if kind in ("error", "warning", "assert"):
            self.seen.complaints.append((text, address))

    def show(self, path: Path, *, unfolded: bool = False) -> Look:
        """Open a page, and wait until it is complete. `unfolded` opens all <details>."""
        self.page.goto("about:blank")  # what the page before has still to say is said of that page
        self.seen = Look(self.page, path.resolve().as_uri())
        self.page.goto(self.seen.address, wait_until="load")
        self.page.evaluate(COMPLETE, unfolded)
        return self.seen


# Down to the end and back, for what loads only once it comes into view.
COMPLETE = """async (unfolded) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  if (unfolded) document.querySelectorAll("details").forEach((details) => { details.open = true; });
  scrollTo(0, document.documentElement.scrollHeight);
  await frame();
  scrollTo(0, 0);
  await frame();
  await document.fonts.ready;
}"""


@contextmanager
def window(
    browser: Browser, *, scheme: Scheme = "light", width: int = DESKTOP, media: Media = "screen"
) -> Iterator[Window]:
    """A window that shares nothing with others.

    Below 600 px it is a phone's: touched, with two dots a pixel, and with the layout of a mobile browser, which heeds
    the viewport that the page asks for.
    """
    phone = width < WIDEST_PHONE
    context = browser.new_context(
        viewport={"width": width, "height": 844 if phone else 800},
        color_scheme=scheme,
        device_scale_factor=2 if phone else 1,
        is_mobile=phone,
        has_touch=phone,
        reduced_motion="reduce",
        service_workers="block",
    )
    try:
        page = context.new_page()
        page.emulate_media(media=media)
        yield Window(page)
    finally:
        context.close()


@contextmanager
def look(
    browser: Browser,
    path: Path,
    *,
    scheme: Scheme = "light",
    width: int = DESKTOP,
    media: Media = "screen",
    unfolded: bool = False,
) -> Iterator[Look]:
    """A page in a window of its own."""
    with window(browser, scheme=scheme, width=width, media=media) as opened:
        yield opened.show(path, unfolded=unfolded)
