"""What may be asked of ``shoal measure``: the options of single kinds of releases, and which of them apply."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shoal.cli import options
from shoal.errors import InputError
from shoal.quoting import shown

if TYPE_CHECKING:
    from shoal.release import Release

CommonOption = Annotated[
    bool,
    typer.Option(
        "--common",
        help="Baskets: only the metrics that all releases of baskets have, to compare methods. Releases of generalized "
        "baskets and of noisy counts have no others.",
    ),
]
TraceOption = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="Disassociated releases: which record went to which cluster, as shoal publish disassociate --keep-trace "
        "FILE wrote it. ANR and ARE need it.",
    ),
]
RunsOption = Annotated[
    int,
    typer.Option(
        "--runs",
        min=0,
        metavar="R",
        help="Randomized releases: publish the same R times again, in memory, for mean and spread.",
    ),
]
MaxLengthOption = Annotated[
    int | None,
    typer.Option("--max-length", metavar="N", help="Randomized releases: how many items an itemset may have."),
]
DimOption = Annotated[
    int | None,
    typer.Option("--dim", metavar="N", help="Tables: how many quasi columns a query is about. Default: 3, or all."),
]
SelOption = Annotated[
    float | None,
    typer.Option(
        "--sel", metavar="SHARE", help="Tables: of a column's values a query names up to so many. Default: .1."
    ),
]
QueriesOption = Annotated[
    int | None, typer.Option("--queries", metavar="N", help="Tables: how many queries to draw. Default: 1000.")
]
MaxAttributesOption = Annotated[
    int | None,
    typer.Option("--max-attributes", metavar="N", help="Tables: how many columns a rule may be about. Default: 1."),
]
MinSupportOption = Annotated[
    str | None,
    typer.Option(
        "--min-support",
        metavar="S",
        help="Tables: a rule is in so many rows, as a share or a number. Default: .01. Randomized releases: an itemset "
        "is in so many records; several, parted by commas. Default: .01,.005,.0025. Metrics of all baskets: the same, "
        "one. Default: .01.",
    ),
]
MinConvictionOption = Annotated[
    float | None,
    typer.Option("--min-conviction", metavar="C", help="Tables: a rule's conviction, at least. Default: 1.05."),
]
SensitiveOption = Annotated[
    str | None,
    typer.Option("--sensitive", metavar="COLUMN", help="Tables: the sensitive column; by default the release's first."),
]


@dataclass(frozen=True)
class About:
    """What is measured, and what may be asked of it."""

    release: Release | None
    """None: the file of a generalized table, which is no release."""
    data: Literal["baskets", "table"]
    options: frozenset[str]
    """As ``shoal.measure`` names them."""
    called: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    """The columns of a release of a table."""


def about(published: Path, *, common: bool) -> About:
    """What a folder or a file is, and which options are about it."""
    from shoal.io.release_folder import open_release
    from shoal.shapes import BASKET_MEASURES, TABLE_MEASURES

    if published.is_file():
        return About(None, "table", TABLE_MEASURES, "a generalized table", (), ())
    with open_release(published) as folder:
        release, shape = folder.release, folder.shape
        quasi, sensitive = folder.columns or ([], [])
    if common and shape.data == "baskets":
        return About(release, "baskets", BASKET_MEASURES, "metrics that all releases of baskets have", (), ())
    return About(release, shape.data, shape.measured_by, shape.called, tuple(quasi), tuple(sensitive))


def thresholds_of(text: str | None) -> float | list[float] | None:
    """One threshold, or several, separated by commas."""
    if text is None:
        return None
    found = [options.support_of(part) for part in text.split(",")]
    if len(set(found)) < len(found):
        raise InputError(f"--min-support is {shown(text)}: the same threshold stands there twice")
    return found[0] if len(found) == 1 else found
