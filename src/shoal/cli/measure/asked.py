"""What may be asked of ``shoal measure``: the options of single kinds of releases, and which of them apply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
SensitiveOption = Annotated[
    str | None,
    typer.Option("--sensitive", metavar="COLUMN", help="Tables: the sensitive column; by default the release's first."),
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
        "is in so many records; several, separated by commas. Default: .01,.005,.0025. Metrics of all baskets: the "
        "same, one. Default: .01.",
    ),
]
MinConvictionOption = Annotated[
    float | None,
    typer.Option("--min-conviction", metavar="C", help="Tables: a rule's conviction, at least. Default: 1.05."),
]


@dataclass(frozen=True)
class Compared:
    """What is compared."""

    original: Annotated[
        str,
        typer.Argument(metavar="ORIGINAL", help="The baskets or the table published; '-' reads standard input."),
    ]
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The folder of a release, or the file of a generalized table.")
    ]


@dataclass(frozen=True)
class OfBaskets:
    """What may be asked of baskets; generalized tables have hierarchies, too."""

    top: Annotated[
        int, typer.Option("--top", metavar="K", help="How many of the most frequent itemsets to compare.")
    ] = 1000
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="A-B",
            help="Items whose pairs to compare: from the A-th to before the B-th by descending support, counted from "
            "0; may be repeated. Default: 0-20, 100-120, 200-220.",
        ),
    ] = None
    reconstructions: Annotated[
        int, typer.Option("--reconstructions", metavar="R", help="How many possible originals to draw.")
    ] = 10
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="[COLUMN=]FILE",
            help="Baskets: a hierarchy of the items, whose levels are compared. Generalized releases and tables: "
            "COLUMN=FILE, the hierarchy that values are nodes of (or =ranges, =prefixes, =frequency); may be repeated.",
        ),
    ] = None
    complete: Annotated[
        bool, typer.Option("--complete", help="Place items or values that a hierarchy misses under its root.")
    ] = False
    trace: TraceOption = None

    def require_hierarchy(self) -> None:
        """Refuse --complete where there is nothing to complete."""
        if self.complete and not self.hierarchy:
            raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")

    def given(self) -> dict[str, Any]:
        """What is asked, by the names of ``shoal.measure``; hierarchies are read later."""
        ranges = [_range(text) for text in self.ranges or []] or None
        return {"top": self.top, "ranges": ranges, "reconstructions": self.reconstructions, "trace": self.trace}


@dataclass(frozen=True)
class OfTables:
    """What may be asked of tables: rules and queries."""

    quasi: options.QuasiOption = None
    sensitive: SensitiveOption = None
    max_attributes: MaxAttributesOption = None
    min_support: MinSupportOption = None
    min_conviction: MinConvictionOption = None
    dim: DimOption = None
    sel: SelOption = None
    queries: QueriesOption = None

    def given(self) -> dict[str, Any]:
        """What is asked, by the names of ``shoal.measure``; says at once what is wrong, before a large file is read."""
        quasi = options.names(self.quasi) or None
        return {**vars(self), "quasi": quasi, "min_support": thresholds_of(self.min_support)}


@dataclass(frozen=True)
class OfRandomized:
    """What may be asked of randomized releases."""

    runs: RunsOption = 0
    max_length: MaxLengthOption = None


@dataclass(frozen=True)
class About:
    """What is measured, and what may be asked of it."""

    release: Release | None
    """None: the file of a generalized table, which is not a release."""
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
        raise InputError(f"--min-support is {shown(text)}: the same threshold is given twice")
    return found[0] if len(found) == 1 else found


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,18})-(\d{1,18})", text, re.ASCII)
    if match is None:
        raise InputError(f"--range is {shown(text)}: give two ranks separated by a dash, as in --range 0-20")
    return int(match[1]), int(match[2])
