"""The frontier of randomization: the memory and error that each privacy costs, and the position of a release.

A. Mohaisen, N.-S. Jho, D. Hong, D. Nyang, IEICE Trans. Inf. & Syst. E93-D(2), 2010, section 6.
"""

from __future__ import annotations

from shoal.measuring.randomization.frontier import Circumstances, Setting, privacy_frontier
from shoal.measuring.randomization.privacy import release_privacy
from shoal.release.randomized import Randomized
from shoal.reporting.page import Chart, Value
from shoal.reporting.palette import SERIES

MIN_SUPPORT = 0.01
"""The mining threshold to which errors refer."""
THIS = "this release"
_SHOWN = (0.7, 0.8, 0.9, 0.95)
"""Privacies that have a curve."""
_LARGEST, _WORST = 10.0, 5.0
"""Larger sizes and errors are left out, unless a release has them: they are of no practical use."""
_SAME = 1e-6


def frontier_chart(release: Randomized) -> Chart:
    """Settings that reach some privacies, with their memory and error, and this release among them."""
    here = _here(release)
    given = here[0]
    found = privacy_frontier(
        mean_support=given.mean_support,
        items=given.items,
        records=given.records,
        min_support=given.min_support,
        fake_lengths=given.fake_lengths if release.promise.fakes else (),
        targets=_SHOWN,
    )
    this = here[1]
    most_rows, most_error = max(_LARGEST, 1.5 * this.rows), max(_WORST, 3 * this.error)
    records: list[dict[str, Value]] = []
    for target in _SHOWN:
        near = [
            one
            for one in found.settings
            if abs(one.privacy - target) < _SAME and one.rows <= most_rows and one.error <= most_error
        ]
        records += [_record(one, f"privacy {target:g}") for one in sorted(near, key=lambda one: one.rows)]
    records.append(_record(this, THIS))
    says = (
        f"This release has a privacy of {this.privacy:.2f} in the worst case, {this.rows:.3g} times the rows of its "
        f"original, and an expected error of {this.error:.3g} times the threshold of {MIN_SUPPORT:g} for single items "
        "to triples. Supports are estimated from the release."
    )
    series = list(dict.fromkeys(str(record["series"]) for record in records))
    colours = {name: f"${colour}" for name, colour in zip(series, SERIES, strict=False)} | {THIS: "$ink"}
    spec = {
        "height": 260,
        "encoding": {
            "x": {
                "field": "rows",
                "type": "quantitative",
                "axis": {"title": "rows, as a multiple of the original's", "grid": True},
                "scale": {"zero": False, "nice": True},
            },
            "y": {
                "field": "error",
                "type": "quantitative",
                "axis": {"title": f"expected error, as a multiple of {MIN_SUPPORT:g}", "grid": True, "format": "~g"},
                "scale": {"type": "log", "nice": True},
            },
            "color": {
                "field": "series",
                "type": "nominal",
                "scale": {"domain": series, "range": [colours[name] for name in series]},
                "legend": {"symbolType": "circle", "columns": 3},
            },
        },
        "layer": [
            {
                "transform": [{"filter": f"datum.series !== '{THIS}'"}],
                "mark": {"type": "line", "point": {"filled": True, "size": 18}, "strokeWidth": 1.5},
            },
            {
                "transform": [{"filter": f"datum.series === '{THIS}'"}],
                "mark": {"type": "point", "shape": "diamond", "size": 160},
            },
        ],
    }
    columns = {
        "series": "",
        "keep_prob": "keep-prob",
        "fakes": "fakes",
        "privacy": "privacy",
        "rows": "rows, as a multiple of the original's",
        "ones": "items in rows, as a multiple of the original's",
        "error": "error, as a multiple of the threshold",
    }
    title = "Privacy, memory and error of randomization: other possible settings"
    return Chart("frontier", title, says, tuple(records), columns, spec)


def _here(release: Randomized) -> tuple[Circumstances, Setting]:
    promise, privacy = release.promise, release_privacy(release)
    given = Circumstances(
        privacy.mean_support, release.n_items, release.n_records, MIN_SUPPORT, fake_lengths=promise.fake_lengths
    )
    return given, given.setting(promise.keep_prob, promise.fakes)


def _record(one: Setting, series: str) -> dict[str, Value]:
    numbers = {
        "keep_prob": one.keep_prob,
        "fakes": one.fakes,
        "privacy": one.privacy,
        "rows": one.rows,
        "ones": one.ones,
        "error": one.error,
    }
    return {"series": series, **{name: float(f"{value:.6g}") for name, value in numbers.items()}}
