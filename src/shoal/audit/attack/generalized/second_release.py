"""Several recodings of one table: the values that remain for a person whose exact quasi-identifiers are known.

L. Sweeney, 2002, section 4, warns of other releases of the same people. The adversary knows everyone's
quasi-identifiers, as from a voter list, and so how many people fit each published group. If a group is as large as that
number, all who fit are in it. Anyone else is in some group that they fit or, where rows were suppressed, perhaps in
none, and may have any value. A person's value is one that these groups leave possible in every release. Values are not
assigned to the rows of groups, so a stronger adversary may rule out more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from shoal.audit.attack.finding import Finding, LeftOut
from shoal.audit.attack.several_releases import NAME, figures, other_columns, other_name, tell
from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.generalized.original_places import Places, place_columns
from shoal.audit.generalized.recoded_rows import fitting_groups
from shoal.audit.parts import expand
from shoal.audit.values import numbers_of_rows
from shoal.data.arrays import Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column, Table
from shoal.errors import InputError
from shoal.quoting import called
from shoal.release.generalized import Generalized, GeneralizedColumn

_LARGEST = 2**26
"""The most pairs of a description and a group, or of a group and a value, that are examined."""


def require_same_columns(releases: Sequence[Generalized]) -> None:
    """Refuse releases of different tables, as far as columns and numbers of rows show.

    Raises:
        InputError: Another release has other columns or another number of rows.
    """
    first = releases[0]
    for at, other in enumerate(releases[1:], start=1):
        wrong = other_columns(_names(first.quasi), _names(other.quasi), "quasi-identifier")
        wrong = wrong or other_columns(_names(first.sensitive), _names(other.sensitive), "sensitive column")
        rows = [one.n_rows + one.suppressed for one in (first, other)]
        if wrong is None and rows[0] != rows[1]:
            wrong = f"has {rows[1]:,} rows, suppressed ones included, and the first {rows[0]:,}"
        if wrong:
            raise InputError(f"{other_name(at, len(releases))} is of another table: it {wrong}")


def attack_together(
    releases: Sequence[Generalized], original: Table, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[Finding | LeftOut]:
    """How many people have a single possible value by one of several releases, and by all of them; column by column.

    Args:
        releases: Releases of one table, each with the structure of a generalization.
        original: That table.
        hierarchies: The trees they were made with, by column, as far as given.

    Raises:
        InputError: A release was not made from this original.
    """
    number = numbers_of_rows([original.column(column.name) for column in releases[0].quasi])
    count = np.bincount(number)
    budget = Budget(_LARGEST)
    try:
        found = [_Recoding.of(release, original, number, hierarchies, budget) for release in releases]
        for at, column in enumerate(releases[0].sensitive):
            name = NAME if len(releases[0].sensitive) == 1 else f"{NAME}: {column.name}"
            yield _of_column(name, found, at, original.column(column.name), number, count, budget)
    except OutOfBudget:
        yield LeftOut(NAME, "people who fit so many groups of so many values would take too much work to look for")


def _of_column(
    name: str, recodings: Sequence[_Recoding], at: int, truth: Column, number: Int64, count: Int64, budget: Budget
) -> Finding:
    first, code = np.unique(truth.codes, return_index=True, return_inverse=True)[1:]
    n_values = len(first)
    had, people = np.unique(number * n_values + code.reshape(-1), return_counts=True)
    possible = [recoding.possible(at, first, budget) for recoding in recodings]
    for release, keys in enumerate(possible):
        if len(np.setdiff1d(had, keys, assume_unique=True)):
            named = other_name(release, len(recodings)) if release else "the release"
            raise InputError(
                f"{named} was not made from this original: a person has a {called(truth.name)} that is in no group "
                "this person may be in (shoal verify --original says more)"
            )
    left = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), possible)
    values = [np.bincount(keys // n_values, minlength=len(count)) for keys in (*possible, left)]
    alone = reduce(np.logical_or, (own == 1 for own in values[:-1]))
    having = people[np.minimum(np.searchsorted(had, left), len(had) - 1)]
    having = np.where(np.isin(left, had, assume_unique=True), having, 0)
    right = np.bincount(left // n_values, having, minlength=len(count)).astype(np.int64)
    described = [
        figures(which, among, values[0], values[-1], values[-1], alone, right)
        for which, among in (("unique", np.where(count == 1, 1, 0)), ("any", count))
    ]
    return tell(truth.name, len(recodings), described, {}, name)


@dataclass(frozen=True, eq=False)
class _Recoding:
    """The groups of one release that people may be in."""

    release: Generalized
    places: Sequence[Places]
    description: Int64
    """With ``group``: a person with this description may be in this group."""
    group: Int64
    anywhere: Int64
    """Descriptions of people who may be suppressed."""

    @classmethod
    def of(
        cls,
        release: Generalized,
        original: Table,
        number: Int64,
        hierarchies: Mapping[str, Hierarchy],
        budget: Budget,
    ) -> _Recoding:
        """Find who fits which groups.

        Raises:
            OutOfBudget: People fit too many groups.
        """
        places = place_columns(release, original, hierarchies)
        # A recoding may have been made with other trees: then its own labels must do.
        names = [column.name for column, place in zip(release.columns, places, strict=True) if place.wrong is None]
        places = place_columns(release, original, {name: hierarchies[name] for name in names if name in hierarchies})
        first = np.unique(number, return_index=True)[1]
        count = np.bincount(number)
        owner, group = fitting_groups(release, places[: len(release.quasi)], first, budget)
        fit = np.bincount(group, count[owner], minlength=release.n_groups).astype(np.int64)
        full = (fit == release.group_sizes)[group]
        sure = np.zeros(len(count), bool)
        sure[owner[full]] = True
        kept = full | ~sure[owner]
        lost = ~sure if release.suppressed else np.bincount(owner, minlength=len(count)) == 0
        return cls(release, places, owner[kept], group[kept], np.flatnonzero(lost))

    def possible(self, at: int, having: Int64, budget: Budget) -> Int64:
        """The values that each description may have in a sensitive column: description times values plus value.

        Args:
            at: The column.
            having: For each value a row of the original that has it.
            budget: Paid for each pair.

        Raises:
            OutOfBudget: Groups have too many values.
        """
        release, place, n_values = self.release, self.places[len(self.release.quasi) + at], len(having)
        size = len(release.sensitive[at].tree)
        nodes = np.unique(release.row_groups * size + release.sensitive[at].nodes)
        # The values at or below each node.
        lowest = place.lowest[having]
        value, way = expand(place.ways.offsets[lowest], place.ways.offsets[lowest + 1])
        below = np.sort(place.ways.nodes[way] * n_values + value)
        bounds = np.searchsorted(below, np.arange(size + 1) * n_values)
        held = self._pairs(nodes // size, bounds, nodes % size, below % n_values, n_values, budget)
        bounds = np.searchsorted(held, np.arange(release.n_groups + 1) * n_values)
        found = self._pairs(self.description, bounds, self.group, held % n_values, n_values, budget)
        budget.spend(len(self.anywhere) * n_values)
        every = (self.anywhere[:, None] * n_values + np.arange(n_values)).reshape(-1)
        return np.union1d(found, every)

    @staticmethod
    def _pairs(owner: Int64, bounds: Int64, part: Int64, values: Int64, n_values: int, budget: Budget) -> Int64:
        start, end = bounds[part], bounds[part + 1]
        budget.spend(float((end - start).sum()))
        of, at = expand(start, end)
        return np.unique(owner[of] * n_values + values[at])


def _names(columns: Sequence[GeneralizedColumn]) -> list[str]:
    return [column.name for column in columns]
