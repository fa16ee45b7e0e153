"""A page on paper: as PDF, as the text of each sheet, and as pictures."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.chromium import Scheme, look

TOUCH = 1.0  # points by which words may reach into each other


@dataclass(frozen=True)
class Word:
    """A word and its box, in points from the upper left corner of its sheet."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Sheet:
    width: float
    height: float
    words: list[Word]


def printed(browser: Browser, path: Path, pdf: Path, scheme: Scheme = "light") -> Path:
    """The PDF of a page on A4, unless its style sheet says otherwise. Whoever reads in the dark prints, too."""
    with look(browser, path, scheme=scheme, media="print") as seen:
        seen.page.pdf(path=pdf, format="A4", prefer_css_page_size=True, print_background=True)
    return pdf


def pages_of(pdf: Path) -> list[str]:
    """The text of each sheet."""
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
    return text.split("\f")[:-1]


def sheets_of(pdf: Path) -> list[Sheet]:
    """The words of each sheet, and where they are."""
    page = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    number = r'="(-?[\d.]+)"'
    word = re.compile(rf"<word xMin{number} yMin{number} xMax{number} yMax{number}>(.*?)</word>")
    return [
        Sheet(
            float(width),
            float(height),
            [Word(unescape(text), *map(float, box)) for *box, text in word.findall(content)],
        )
        for width, height, content in re.findall(rf"<page width{number} height{number}>(.*?)</page>", page, re.DOTALL)
    ]


def printed_pages(browser: Browser, path: Path, folder: Path, scheme: Scheme = "light") -> list[str]:
    """The text of each sheet of a page; the PDF stays in the folder."""
    return pages_of(printed(browser, path, folder / f"{path.stem}-{scheme}.pdf", scheme))


def mark_problems(pdf: Path, mark: str) -> list[str]:
    """Sheets on which a mark is missing, is cut by the edge of the paper, or has other words printed over it."""
    problems = []
    for number, sheet in enumerate(sheets_of(pdf), 1):
        marked = place_of(mark.split(), sheet.words)
        if not marked:
            problems.append(f'sheet {number} does not say "{mark}"')
            continue
        if any(
            word.left < 0 or word.top < 0 or word.right > sheet.width or word.bottom > sheet.height for word in marked
        ):
            problems.append(f'the edge of sheet {number} cuts "{mark}"')
        others = [word for word in sheet.words if word not in marked]
        over = [other.text for other in others if any(touch(other, word) for word in marked)]
        if over:
            problems.append(f'"{" ".join(over)}" is printed over "{mark}" on sheet {number}')
    return problems


# What a reader of paper is to have: all but the contents, and the numbers that charts show. Slanted words are not read.
WRITTEN = """() => [...document.querySelectorAll("h1, h2, h3, p, li, th, td, dt, dd, summary, code, svg text")]
  .filter((one) => !one.closest("nav, figure details") && !(one.getScreenCTM?.().b))
  .map((one) => one.textContent)"""
WHOLE = 20  # letters of a word that no line breaks


# A word at the head of each chart, and another one in the place of its lowest words.
NUMBERED = """() => document.querySelectorAll("figure.chart").forEach((figure, number) => {
  const lowest = [...figure.querySelectorAll("svg text")]
    .filter((text) => text.textContent.trim() && text.getScreenCTM().b === 0)
    .sort((one, other) => one.getBoundingClientRect().bottom - other.getBoundingClientRect().bottom)
    .at(-1);
  lowest.textContent = `foot${number}`;
  figure.querySelector("figcaption").prepend(`head${number} `);
})"""


def torn_charts(browser: Browser, path: Path, pdf: Path) -> list[str]:
    """Charts whose head is on another sheet than their foot, or of which one is on no sheet."""
    with look(browser, path, media="print") as seen:
        names = seen.page.eval_on_selector_all("figure.chart", "all => all.map((one) => one.id)")
        seen.page.evaluate(NUMBERED)
        seen.page.pdf(path=pdf, format="A4", prefer_css_page_size=True, print_background=True)
    sheets = {word.text: number for number, sheet in enumerate(sheets_of(pdf), 1) for word in sheet.words}
    ends = {name: (sheets.get(f"head{at}"), sheets.get(f"foot{at}")) for at, name in enumerate(names)}
    return [f"{name}: from sheet {head} to {foot}" for name, (head, foot) in ends.items() if head != foot or not head]


def lost_words(browser: Browser, path: Path, pdf: Path) -> list[str]:
    """Words of a page that are not on its sheets as often as it has them, whatever is folded, scrolled or cut."""
    with look(browser, path) as seen:
        written = _counted(seen.page.evaluate(WRITTEN))
    on_paper = _counted(
        word.text
        for sheet in sheets_of(pdf)
        for word in sheet.words
        if min(word.left, word.top) >= 0 and word.right <= sheet.width and word.bottom <= sheet.height
    )
    return sorted(f"{word} ({on_paper[word]} of {times})" for word, times in written.items() if on_paper[word] < times)


def _counted(texts: Iterable[str]) -> Counter[str]:
    """Words, or parts between which a line may end; those of letters that are read from paper as they are written."""
    words = (word for text in texts for word in re.split(r"[\s-]+", text))
    return Counter(word for word in words if word.isascii() and 0 < len(word) <= WHOLE)


def place_of(wanted: list[str], words: list[Word]) -> list[Word]:
    """These words on one line, or none. Where texts overlap the words of a line come mixed, hence not just in order."""
    for start in words:
        line = [word for word in words if abs(word.top - start.top) < 1 and word.left >= start.left]
        found = [start] if start.text == wanted[0] else []
        for text in wanted[1:] if found else []:
            nexts = [word for word in line if word.text == text and word.left > found[-1].left]
            found += sorted(nexts, key=lambda word: word.left)[:1]
        if len(found) == len(wanted):
            return found
    return []


def touch(one: Word, other: Word) -> bool:
    return (
        min(one.right, other.right) - max(one.left, other.left) > TOUCH
        and min(one.bottom, other.bottom) - max(one.top, other.top) > TOUCH
    )


def pictures_of(pdf: Path, folder: Path, dots_per_inch: int = 80) -> list[Path]:
    """A picture of each sheet."""
    subprocess.run(["pdftoppm", "-png", "-r", str(dots_per_inch), pdf, folder / pdf.stem], check=True)
    return sorted(folder.glob(f"{pdf.stem}-*.png"))
