"""Findings of attacks on a release: one sentence for the data steward each, then the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shoal.audit.not_tried import LeftOut as LeftOut  # reports and their readers import it from here
from shoal.audit.residual import Residual, by_severity

Value = int | float | str | bool | None
"""What a number in a finding may be, as JSON knows it; a share is a number from 0 to 1 whose name ends in 'share'."""
Row = Mapping[str, Value]


@dataclass(frozen=True)
class Finding:
    """The result of one attack.

    Example:
        >>> print(Finding("cover", "Half of the clusters do.", {"clusters": 12, "affected_share": 0.5}))
        cover: Half of the clusters do.
            clusters           12
            affected share  50.0%
    """

    name: str
    """A short name, the same in every report."""
    sentence: str
    """The result; it says so where the promise does not cover the risk."""
    numbers: Mapping[str, Value | Sequence[Row]] = field(default_factory=dict)
    """The figures in the order of printing; similar entries of a list are printed side by side."""
    breaks_promise: bool = False
    """Whether the release breaks its promise."""
    residual: Residual | None = None
    """The risk beyond the promise, as one number, if the finding shows one."""

    def as_dict(self) -> dict[str, object]:
        """The finding as plain values."""
        numbers = {
            name: value if _is_plain(value) else [dict(row) for row in _rows(value)]
            for name, value in self.numbers.items()
        }
        return {
            "name": self.name,
            "sentence": self.sentence,
            "breaks_promise": self.breaks_promise,
            "residual": None if self.residual is None else self.residual.as_dict(),
            "numbers": numbers,
        }

    def __str__(self) -> str:
        mark = "BREAKS THE PROMISE  " if self.breaks_promise else ""
        lines = [f"{mark}{self.name}: {self.sentence}"]
        plain = [[words(name), shown(name, value)] for name, value in self.numbers.items() if _is_plain(value)]
        lines += aligned(plain)
        for name, value in self.numbers.items():
            if not _is_plain(value) and value:
                lines += ["", f"    {words(name)}:", *aligned(side_by_side(_rows(value)))]
        return "\n".join(lines)


@dataclass(frozen=True)
class Attacks:
    """All attacks that were tried on a release, and all that were not."""

    findings: tuple[Finding, ...]
    left_out: tuple[LeftOut, ...] = ()

    @classmethod
    def of(cls, outcomes: Iterable[Finding | LeftOut]) -> Attacks:
        """The report of these outcomes; findings and attacks left out keep their order."""
        found = list(outcomes)
        return cls(
            tuple(outcome for outcome in found if isinstance(outcome, Finding)),
            tuple(outcome for outcome in found if isinstance(outcome, LeftOut)),
        )

    @property
    def breaks_promise(self) -> bool:
        """Whether any attack showed that the release breaks its promise."""
        return any(finding.breaks_promise for finding in self.findings)

    @property
    def residuals(self) -> tuple[Residual, ...]:
        """The risks found that the promise does not cover, the largest first."""
        return by_severity(finding.residual for finding in self.findings)

    @property
    def head(self) -> str:
        """The outcome in one line."""
        broken = sum(finding.breaks_promise for finding in self.findings)
        if broken:
            return f"{broken} of {len(self.findings)} findings break the promise of this release"
        return f"none of {len(self.findings)} findings breaks the promise of this release"

    @property
    def summary(self) -> str:
        """The outcome, then the risks that the promise does not cover, the largest first."""
        return "\n".join([self.head, *(f"not covered: {one}" for one in self.residuals)])

    def __getitem__(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise KeyError(name)

    def as_dict(self) -> dict[str, object]:
        """The report as plain values, ready for JSON."""
        return {
            "breaks_promise": self.breaks_promise,
            "not_covered": [one.as_dict() for one in self.residuals],
            "findings": [finding.as_dict() for finding in self.findings],
            "left_out": [entry.as_dict() for entry in self.left_out],
        }

    def __str__(self) -> str:
        return "\n\n".join([self.summary, *map(str, self.findings), *map(str, self.left_out)])


def words(name: str) -> str:
    """The name of a number as it is printed."""
    return name.replace("_", " ")


def shown(name: str, value: Value | Sequence[Row]) -> str:
    """A number as it is printed."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1%}" if name.endswith("share") else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def side_by_side(entries: Sequence[Row]) -> list[list[str]]:
    """Similar entries as the columns of a table; the first column names the numbers."""
    if not entries:
        return []
    return [[words(name), *(shown(name, entry[name]) for entry in entries)] for name in entries[0]]


def aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in columns: the first aligned left, the others right."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))] if cells else []
    return [
        "    "
        + "  ".join(
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in cells
    ]


def quartiles(values: Sequence[int]) -> Row:
    """The smallest of some counts and their quartiles; each is one of the counts."""
    ordered = sorted(values)
    if not ordered:
        return {"smallest": None, "quarter": None, "median": None, "three_quarters": None}
    at = [0, len(ordered) // 4, len(ordered) // 2, 3 * len(ordered) // 4]
    names = ("smallest", "quarter", "median", "three_quarters")
    return {name: int(ordered[place]) for name, place in zip(names, at, strict=True)}


def _is_plain(value: Value | Sequence[Row]) -> bool:
    return value is None or isinstance(value, int | float | str)


def _rows(value: Value | Sequence[Row]) -> Sequence[Row]:
    return () if value is None or isinstance(value, int | float | str) else value
