"""Make the pictures of README.md and of these pages anew: charts of reports, and a report as a browser shows it.

Data that come with Shoal are published, and settings of publishing them compared. Beside each chart stands what it was
drawn from, which tests compare with what comes out today.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from shoal.run import Run

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
BASKETS = ROOT / "src" / "shoal" / "generate" / "data" / "baskets.dat"
KS = (2, 3, 5, 10, 25, 50)
FROM_RELEASE = ("risk", "top-items", "pairs-kept", "cluster-sizes")
FROM_SWEEP = ("risk-utility",)
WINDOW = {"width": 1280, "height": 1150}


def make_charts(place: Path) -> dict[str, Path]:
    """Make both reports in an empty folder; returns the charts that are shown, by name, and the page."""
    import shoal

    baskets = shoal.read(BASKETS)
    shoal.disassociate(baskets, k=5, m=2).write(place / "release")
    report = shoal.report(place / "release", baskets, source=BASKETS)
    report.save(place / "report.html")
    report.save_charts(place / "charts")
    swept = shoal.sweep(baskets, "disassociate", {"k": KS}, run=Run(chance=0))
    shoal.report(swept).save_charts(place / "map")
    charts = {name: place / "charts" / f"{name}.vl.json" for name in FROM_RELEASE}
    return charts | {name: place / "map" / f"{name}.vl.json" for name in FROM_SWEEP}


def main() -> None:
    """Make them all."""
    sys.path.insert(0, str(ROOT))
    from tests.browser.chromium import chromium, look

    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for chart, data in make_charts(place).items():
            for ending in (".vl.json", ".png"):
                shutil.copyfile(data.with_name(f"{chart}{ending}"), PICTURES / f"{chart}{ending}")
        with chromium() as browser:
            for scheme in ("light", "dark"):
                with look(browser, place / "report.html", scheme=scheme, width=WINDOW["width"]) as seen:
                    seen.page.set_viewport_size(WINDOW)
                    seen.page.screenshot(path=PICTURES / f"report-{scheme}.png")


if __name__ == "__main__":
    main()
