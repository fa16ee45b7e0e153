"""The pages that tests read: README.md and docs/."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(sh|python|sql|text \S+|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block of code, or of output: its language and what is in it."""


def name_of(page):
    return str(page.relative_to(ROOT))


def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks(text):
    """(language, text, what is shown right below it as its output), in order."""
    found = list(BLOCK.finditer(text))
    for place, block in enumerate(found):
        below = found[place + 1] if place + 1 < len(found) else None
        shown = below and below[1] == "text" and not text[block.end() : below.start()].strip()
        if block[1] != "text":
            yield block[1], block[2], below[2] if shown and block[1] in ("sh", "python", "sql") else None


def sections(page):
    """The text below each heading of the second level, on one line, without quotation marks of Markdown."""
    parts = re.split(r"^## (.*)$", BLOCK.sub("", text_of(page)), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (plain(part) for part in parts[2::2]), strict=True))


def plain(text):
    return " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())


def check_promises(page, release):
    """What a page says is promised, and what is not, is what the manifest of its own example says."""
    said = sections(page)
    for promise in json.loads((release / "manifest.json").read_text(encoding="utf-8"))["promises"]:
        assert promise["words"] in said["What it promises"], promise["words"]
        for words in promise["not_promised"]:
            assert words in said["What it does not promise"], words
