"""What the paper on MASK, fake transactions and their hybrid prints, and what its formulas give: tables 2, 3, 7 and 8.

A. Mohaisen, N.-S. Jho, D. Hong, D. Nyang: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. Inf. &
Syst. E93-D(2), 2010. Cells are kept as they are printed, so that one sees to how many digits they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.measuring.randomization.reconstruction_chances import (
    average_chance_of_rows,
    chance_of_cells,
    chance_of_ones,
    chance_of_rows,
    chance_of_zeros,
    fakes_needed,
)

RECORDS = 1_000
"""Tables 2 and 3 are computed with this number; the paper does not state it."""
WEIGHT = 0.9
MEGABYTES = Fraction("4.4")
"""What the data of table 8 take."""
FILTERED = tuple(Fraction(n, 10) for n in range(8))
PRIVACIES = tuple(Fraction(n, 100) for n in range(91, 100))
HEADS = tuple(Fraction(n, 100) for n in (11, 12, 13, 17, 23))
"""P_r of flips that heads the columns of tables 7 and 8."""
HEAD_KEEP_PROBS = (0.5, 0.7, 0.8, 0.9, 0.95)
"""What the paper says that these come from."""
FIGURE_FAKES = (0, 0.25, 0.5, 0.75, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)

_TABLE_2 = """
.6929 .8108 .8629 .8925 .9115
.6722 .7951 .8506 .8823 .9029
.6485 .7766 .8358 .8701 .8925
.6208 .7544 .8177 .8549 .8795
.5882 .7271 .7951 .8358 .8629
.5490 .6929 .7660 .8108 .8410
.5007 .6485 .7271 .7766 .8108
.4395 .5882 .6722 .7271 .7660
"""
_TABLE_3 = """
.9248 .9347 .9422 .9482 .9531
.9174 .9281 .9363 .9429 .9482
.9083 .9200 .9291 .9363 .9422
.8969 .9099 .9200 .9281 .9347
.8823 .8969 .9083 .9174 .9248
.8629 .8795 .8925 .9029 .9115
.8358 .8549 .8701 .8823 .8925
.7951 .8177 .8358 .8506 .8629
"""
# A space parts columns: whole numbers and fractions are written with a plus between them. Column two is MASK alone.
_TABLE_7 = """
10+1/9 0 2/9 3/9 4/9 8/9 1+5/9
11+1/2 0 3/8 1/2 5/8 1+1/8 1+7/8
13+2/7 0 4/7 5/7 6/7 1+3/7 2+2/7
15+2/3 0 5/6 1 1+1/6 1+5/6 2+5/6
19 0 1+1/5 1+2/5 1+3/5 2+2/5 3+3/5
24 0 1+3/4 2 2+1/4 3+1/4 4+3/4
32+1/3 0 2+2/3 3 3+1/3 4+2/3 6+2/3
49 0 4+1/2 5 5+1/2 7+1/2 10+1/2
99 0 10 11 12 16 22
"""
_TABLE_8 = """
44.489 0 0.978 1.4667 1.956 3.911 2.444
50.600 0 1.650 2.200 2.750 4.950 8.250
58.457 0 2.514 3.1429 3.771 6.286 10.06
68.933 0 3.667 4.400 5.133 8.067 12.47
83.600 0 5.280 6.160 7.040 10.56 15.84
105.60 0 7.700 8.800 9.900 14.30 20.90
142.27 0 11.73 13.20 14.67 20.53 29.33
215.60 0 19.80 22.00 24.20 33.00 46.20
435.60 0 44.00 48.40 52.80 70.40 96.80
"""


@dataclass(frozen=True)
class Cell:
    """A number of a table: as it is printed, and what comes out."""

    row: str
    column: str
    printed: str
    ours: Fraction | float

    @property
    def shown(self) -> str:
        """Ours, in the form of what is printed."""
        _, point, decimals = self.printed.partition(".")
        if not point and isinstance(self.ours, Fraction):
            whole, rest = divmod(self.ours, 1)
            return f"{whole}+{rest}" if whole and rest else f"{whole or rest}"
        return f"{float(self.ours):.{len(decimals)}f}"

    @property
    def agrees(self) -> bool:
        """Whether it is what is printed, to all of its digits."""
        return _number(self.shown) == _number(self.printed)

    def as_dict(self) -> dict[str, Any]:
        """The cell as plain values, ready for JSON."""
        return {
            "row": self.row,
            "column": self.column,
            "printed": self.printed,
            "ours": float(self.ours),
            "agrees": self.agrees,
        }


def table_2() -> list[Cell]:
    """Average privacy of fakes, with a filter: 1 to 5 fakes per real transaction."""
    return _filtering(_TABLE_2, 1)


def table_3() -> list[Cell]:
    """The same, with 6 to 10."""
    return _filtering(_TABLE_3, 6)


def table_7() -> list[Cell]:
    """Fakes per real transaction that a privacy takes: fakes alone, and with flips (MASK alone takes none)."""
    return list(_memory(_TABLE_7, lambda fakes: fakes))


def table_8() -> list[Cell]:
    """The same in megabytes. One cell is printed wrong: 2.444 instead of 6.844."""
    return list(_memory(_TABLE_8, lambda fakes: fakes * MEGABYTES))


def figures_1_and_2() -> list[dict[str, float]]:
    """Privacy by number of fakes: in the worst case (figure 1), and on average (figure 2)."""
    return [
        {
            "fakes": float(fakes),
            "worst": 1 - chance_of_rows(fakes),
            "average": 1 - average_chance_of_rows(fakes, RECORDS),
        }
        for fakes in FIGURE_FAKES
    ]


def column_heads(mean_support: float) -> list[float]:
    """P_r of flips at the chances of keeping that the paper names, for a mean support, which it does not name."""
    chances = ((chance_of_ones(mean_support, keep), chance_of_zeros(mean_support, keep)) for keep in HEAD_KEEP_PROBS)
    return [chance_of_cells(ones, zeros, WEIGHT) for ones, zeros in chances]


def _filtering(text: str, first: int) -> list[Cell]:
    return [
        Cell(f"{float(filtered):g}", f"{fakes}", printed, 1 - average_chance_of_rows(fakes, RECORDS, float(filtered)))
        for filtered, line in zip(FILTERED, text.split("\n")[1:-1], strict=True)
        for fakes, printed in enumerate(line.split(), start=first)
    ]


def _memory(text: str, size: Callable[[Fraction], Fraction]) -> Iterator[Cell]:
    for privacy, line in zip(PRIVACIES, text.split("\n")[1:-1], strict=True):
        alone, _, *beside = line.split()
        row = f"{float(privacy):g}"
        yield Cell(row, "fakes alone", alone, size(_needed(privacy, Fraction(1))))
        for head, printed in zip(HEADS, beside, strict=True):
            yield Cell(row, f"{round(100 * head)}/100", printed, size(_needed(privacy, head)))


def _needed(privacy: Fraction, cells: Fraction) -> Fraction:
    exactly: Any = fakes_needed  # fractions in, fractions out: nothing there is about floats
    return Fraction(exactly(privacy, cells))


def _number(text: str) -> Fraction:
    return sum((Fraction(part) for part in text.split("+")), Fraction(0))
