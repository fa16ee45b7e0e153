"""Pictures of a page for people: `python -m tests.browser.shots report.html folder`.

Light and dark, in a wide window and on a phone, each in full length; and every printed sheet.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.browser.checks import problems
from tests.browser.chromium import DESKTOP, PHONE, chromium, look, what_is_missing
from tests.browser.printing import pictures_of, printed


def main(page: Path, folder: Path) -> int:
    missing = what_is_missing()
    if missing:
        print(missing, file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for window, width in (("desktop", DESKTOP), ("phone", PHONE)):
            for scheme in ("light", "dark"):
                picture = folder / f"{page.stem}-{scheme}-{window}.png"
                with look(browser, page, scheme=scheme, width=width) as seen:
                    seen.page.screenshot(path=picture, full_page=True)
                    found = problems(seen)
                print(picture)
                for check, said in found.items():
                    print(*(f"  {check}: {problem}" for problem in said), sep="\n")
        pdf = printed(browser, page, folder / f"{page.stem}-printed.pdf")
    print(pdf, *pictures_of(pdf, folder), sep="\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m tests.browser.shots PAGE.html FOLDER")
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
