"""Generalization hierarchies: for every value of a column, the path up to a root label that says nothing.

A hierarchy is a tree whose leaves are all at level 0 and whose root is at level ``height``. A node is a level and a
label, so ``Other`` may be below ``Other``. One message lists everything that is wrong with a hierarchy, or with its fit
to the data, so that the user can correct all of it at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.table import BLANKS, Column, text_of
from shoal.errors import InputError
from shoal.quoting import bare, named, shown

ROOT = "*"
"""The label of the root if a hierarchy does not have its own."""

Making = Literal["intervals", "ranges", "prefixes", "groups", "values", "completed"]
"""How a hierarchy was made from a column: balanced intervals, ranges of one width, masked texts, groups of values of
similar frequency, or every value directly below the root. Completed: it was given, and values that it lacked were
put directly below the root."""
MAKINGS: tuple[str, ...] = get_args(Making)

_SHOWN = 10
_GAP = "(empty label, "
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A checked tree over the values of one column.

    Leaf ``i`` is called ``labels[0][i]``; at level ``l``, it is below the node ``labels[l][codes[l, i]]``.

    Example:
        >>> work = Hierarchy.from_rows([("State", "Gov", "*"), ("Federal", "Gov", "*"), ("Own", "Self", "*")])
        >>> work.height, work.n_leaves, work.ancestors("State")
        (2, 3, ('State', 'Gov', '*'))
        >>> work.labels[1], work.level_codes(1).tolist(), work.leaf_counts(1).tolist()
        (('Gov', 'Self'), [0, 0, 1], [2, 1])
    """

    name: str
    """Its column or file; used in messages only."""
    labels: tuple[tuple[str, ...], ...]
    """The labels of the nodes, level by level, leaves first."""
    codes: Int32
    """One row for each level, one column for each leaf: the node of that level above that leaf."""
    making: Making | None = None
    """How it was made from the values of the column; None: it was given, and had all values."""

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[object]],
        *,
        name: str = "",
        column: Column | Iterable[object] | None = None,
        complete: bool = False,
        lines: Sequence[int] | None = None,
    ) -> Hierarchy:
        """Build from rows that lead from a leaf to the root, one row for each leaf, and check them all.

        Args:
            rows: The labels of each leaf's path, leaf first. Blanks around labels and empty labels at the end
                of a row are ignored; repeated rows are allowed.
            name: The name of the hierarchy in messages.
            column: Values that must all have a place: a column, or anything with values in it.
            complete: Instead of raising an error, pad short rows with the root, add a root ``*`` if the rows do
                not end in the same label, and put each value without a place directly below the root: it is the
                root at every level except its own. (Repeating the value up the tree would publish it at levels
                where all others are generalized.)
            lines: The line of each row in its file, for messages; without it rows are counted from 1.

        Returns:
            The tree, with the leaves in the order of the rows.

        Raises:
            InputError: Lists all problems: ragged rows, empty labels, a leaf with two paths, a node with
                two parents, no common root, values without a place.
        """
        trouble = _Trouble(name)
        cleaned = _clean(rows, lines, trouble)
        if not cleaned:
            raise InputError(f"{_called(name)} is empty: give one row for each value, from the value to the root")
        padded = _padded(cleaned, trouble, complete=complete)
        making: Making | None = None
        if column is not None:
            found = _lookup(column, {path[0]: place for place, (_, path) in enumerate(padded)})
            lost = dict.fromkeys(text for text, place in found if place is None)
            if complete and lost:
                _, (*_, root) = padded[0]
                above = (root,) * (len(padded[0][1]) - 1)
                padded += [("added", (text, *above)) for text in lost]
                making = "completed"
        leaves = _one_path_each(padded, trouble)
        if column is not None and not complete:
            trouble.add("without a place", [shown(text) for text in lost], mended=True)
        trouble.raise_if_any()
        return replace(_tree(name, list(leaves.values())), making=making)

    def __repr__(self) -> str:
        return f"Hierarchy({self.name!r}, {self.n_leaves:,} leaves, height {self.height})"

    @property
    def height(self) -> int:
        """The level of the root; the leaves are at level 0."""
        return len(self.labels) - 1

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return len(self.labels[0])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The labels of the leaves."""
        return self.labels[0]

    @property
    def root(self) -> str:
        """The label at the top."""
        return self.labels[-1][0]

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Each leaf's path, leaf first, as ``from_rows`` takes them."""
        levels = [np.array(labels, object)[codes] for labels, codes in zip(self.labels, self.codes, strict=True)]
        return zip(*(level.tolist() for level in levels), strict=True)

    def ancestors(self, leaf: str) -> tuple[str, ...]:
        """The path of one leaf, from itself to the root; an unknown leaf is an InputError."""
        place = int(self.places([leaf])[0])
        return tuple(labels[code] for labels, code in zip(self.labels, self.codes[:, place].tolist(), strict=True))

    def level_codes(self, level: int) -> Int32:
        """For each leaf the node above it at this level: an index into ``labels[level]``."""
        codes: Int32 = self.codes[self._level(level)]
        return codes

    def parents(self, level: int) -> Int32:
        """For each node of this level its parent: an index into ``labels[level + 1]``; the root has none."""
        if self._level(level) == self.height:
            raise InputError(f"{self._called()}: level {level} is the root, which has no parent")
        parents = np.zeros(len(self.labels[level]), np.int32)
        parents[self.codes[level]] = self.codes[level + 1]
        return parents

    def leaf_counts(self, level: int) -> Int64:
        """For each node of this level the number of leaves below it (a leaf counts itself)."""
        counts = np.bincount(self.codes[self._level(level)], minlength=len(self.labels[level]))
        return counts.astype(np.int64)

    def generalize(self, codes: npt.NDArray[np.integer], level: int) -> Int32:
        """Replace leaf codes by the codes of the nodes above them at this level.

        Example:
            >>> tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
            >>> tree.generalize(np.array([2, 1, 1, 0]), 1).tolist()
            [1, 0, 0, 0]
        """
        generalized: Int32 = self.level_codes(level)[codes]
        return generalized

    def places(self, column: Column | Iterable[object]) -> Int32:
        """The leaf of each distinct value of a column; ``39`` is the leaf of the numbers 39 and 39.0.

        ``generalize(places(column)[column.codes], level)`` is the generalized column.

        Raises:
            InputError: A value has no place; lists all of them.
        """
        found = _lookup(column, {leaf: place for place, leaf in enumerate(self.leaves)})
        trouble = _Trouble(self.name)
        trouble.add("without a place", [shown(text) for text, place in found if place is None], mended=True)
        trouble.raise_if_any()
        return np.array([place for _, place in found], np.int32)

    def check_against(self, column: Column | Iterable[object], *, complete: bool = False) -> Hierarchy:
        """A hierarchy in which every value of a column has a place: this one, or this one completed.

        Args:
            column: A column, or anything with values in it.
            complete: Put values without a place directly below the root instead of raising an error.

        Raises:
            InputError: A value has no place and ``complete`` is false; lists all of them.
        """
        column = column if isinstance(column, Column) else list(column)
        found = _lookup(column, {leaf: place for place, leaf in enumerate(self.leaves)})
        if all(place is not None for _, place in found):
            return self
        tree = Hierarchy.from_rows(self.rows(), name=self.name, column=column, complete=complete)
        return replace(tree, making=self.making or tree.making)

    def _level(self, level: int) -> int:
        if not 0 <= level <= self.height:
            raise InputError(f"{self._called()}: there is no level {level}, only 0 to {self.height}")
        return level

    def _called(self) -> str:
        return _called(self.name)


@dataclass
class _Trouble:
    """All problems of one hierarchy, collected for one message."""

    name: str
    lines: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    stubborn: list[str] = field(default_factory=list)

    def add(self, kind: str, cases: list[str], *, mended: bool) -> None:
        """Record the cases of one kind, and whether completing would correct them."""
        if not cases:
            return
        more = f", ... and {len(cases) - _SHOWN:,} more" if len(cases) > _SHOWN else ""
        self.lines.append(f"{kind} ({len(cases):,}): {', '.join(cases[:_SHOWN])}{more}")
        (self.mended if mended else self.stubborn).append(kind)

    def raise_if_any(self) -> None:
        """Raise one error that lists everything, with advice."""
        if not self.lines:
            return
        advice = []
        if self.mended:
            advice.append(
                f"add --complete to correct this ({', '.join(self.mended)}): short rows are padded with the root, "
                "and values without a place are put directly below it"
            )
        if self.stubborn:
            advice.append(f"to be corrected by hand: {', '.join(self.stubborn)}")
        listed = "".join(f"\n  {line}" for line in self.lines)
        raise InputError(f"{_called(self.name)} does not fit:{listed}\n{'; '.join(advice)}")


def _called(name: str) -> str:
    return f"hierarchy {named(name)}" if name else "the hierarchy"


def _clean(
    rows: Iterable[Sequence[object]], lines: Sequence[int] | None, trouble: _Trouble
) -> list[tuple[str, tuple[str, ...]]]:
    """Each row's path with its place for messages; records empty labels."""
    kept: list[tuple[str, tuple[str, ...]]] = []
    empty: list[str] = []
    for number, row in enumerate(rows):
        where = f"row {number + 1}" if lines is None else f"line {lines[number]}"
        if isinstance(row, str | bytes):
            raise InputError(f"{_called(trouble.name)}: {where} is the text {shown(row)}, not a sequence of labels")
        path = [text_of(label).strip(BLANKS) for label in row]
        while path and not path[-1]:
            path.pop()
        if not path:
            continue
        for level, label in enumerate(path):
            if not label:
                empty.append(f"{where} at level {level}")
                # A unique name keeps the gap from being taken for a node with two parents.
                path[level] = f"{_GAP}{where})"
        kept.append((where, tuple(path)))
    trouble.add("empty label", empty, mended=False)
    return kept


def _shape(paths: Iterable[tuple[str, ...]]) -> tuple[str, int]:
    """The root, and how many levels rows must have so that each of them ends in it."""
    lengths: dict[str, int] = {}
    for path in paths:
        lengths[path[-1]] = max(len(path), lengths.get(path[-1], 0))
    longest = max(lengths.values())
    root = next(iter(lengths)) if len(lengths) == 1 and longest > 1 else ROOT
    return root, max(2, *(length + (top != root) for top, length in lengths.items()))


def _padded(
    rows: list[tuple[str, tuple[str, ...]]], trouble: _Trouble, *, complete: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """All rows padded with the root to one length; records rows that this changed."""
    root, width = _shape(path for _, path in rows)
    longest = max(len(path) for _, path in rows)
    if not complete:
        short = [(where, path) for where, path in rows if len(path) < longest]
        trouble.add(
            "ragged levels",
            [f"{where} ({shown(path[0])}) has {len(path)} of {longest}" for where, path in short],
            mended=True,
        )
        if width > longest:
            tops = sorted({path[-1] for _, path in rows if path[-1] != root}) or [root]
            trouble.add("no common root", [shown(top) for top in tops], mended=True)
    return [(where, path + (root,) * (width - len(path))) for where, path in rows]


def _above(path: tuple[str, ...]) -> str:
    return " > ".join(bare(label) for label in path[1:])


def _one_path_each(rows: list[tuple[str, tuple[str, ...]]], trouble: _Trouble) -> dict[str, tuple[str, ...]]:
    """The path of each leaf; records leaves with two paths, and nodes with two parents."""
    first: dict[str, tuple[str, tuple[str, ...]]] = {}
    forked: list[str] = []
    parents: dict[tuple[int, str], tuple[str, str]] = {}
    torn: list[str] = []
    for where, path in rows:
        before, known = first.setdefault(path[0], (where, path))
        if known == path and before != where:
            continue
        if known != path:
            forked.append(f"{shown(path[0])} to {_above(known)} ({before}) and to {_above(path)} ({where})")
        for level in range(1, len(path) - 1):
            label, parent = path[level], path[level + 1]
            other, there = parents.setdefault((level, label), (parent, where))
            if other != parent and not (other + parent).count(_GAP):
                torn.append(
                    f"{shown(label)} at level {level} below {shown(other)} ({there}) and {shown(parent)} ({where})"
                )
    trouble.add("two paths", forked, mended=False)
    trouble.add("two parents", torn, mended=False)
    return {leaf: path for leaf, (_, path) in first.items()}


def _lookup(column: Column | Iterable[object], index: dict[str, int]) -> list[tuple[str, int | None]]:
    """Each value as text with its place among the leaves, by its text or, for a number, by its numeric value."""
    numbers: dict[str, int] = {}
    if isinstance(column, Column):
        texts = column.texts
        if column.is_number and not all(text in index for text in texts):
            for leaf, place in index.items():
                numbers.setdefault(_number_text(leaf), place)
    else:
        texts = [text_of(value) for value in column]
    return [(text, index.get(text, numbers.get(_number_text(text)) if numbers else None)) for text in texts]


def _number_text(text: str) -> str:
    """One spelling for all spellings of a number; any other text unchanged."""
    if not _NUMBER.fullmatch(text):
        return text
    number = float(text)
    return text_of(number) if math.isfinite(number) and abs(number) < 2**53 else text


def _tree(name: str, paths: Sequence[tuple[str, ...]]) -> Hierarchy:
    """The arrays of checked paths of one length."""
    labels: list[tuple[str, ...]] = []
    codes = np.empty((len(paths[0]), len(paths)), np.int32)
    for level in range(len(paths[0])):
        known: dict[str, int] = {}
        codes[level] = [known.setdefault(path[level], len(known)) for path in paths]
        labels.append(tuple(known))
    return Hierarchy(name, tuple(labels), codes)
