"""Several releases of one table: the values that remain for a person whose group is known in each of them.

X. Xiao, Y. Tao, VLDB 2006, and T. Li, N. Li, 2008, promise nothing about this. The quasi-identifiers of a person
determine the groups that the person may be in, in each release, and the person's value is among the values of these
groups in every release. Values are then struck out within groups: a value remains for a row only if some assignment of
the group's values to its rows gives it to the row and gives every other row one that remains for it. This goes on,
release after release, until nothing changes. What is struck out is impossible. The converse is not claimed: whether a
table has given counts in the groups of both releases is a three-way transport problem, with no fast solution known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from shoal.audit.attack.finding import Finding, LeftOut
from shoal.audit.attack.several_releases import NAME, figures, other_columns, other_name, tell
from shoal.audit.bucketized.against_table import number_alike, value_codes
from shoal.audit.bucketized.exclusions import Exclusions
from shoal.audit.bucketized.valid_values import find_valid
from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.parts import expand
from shoal.audit.values import texts_of
from shoal.audit.wording import row_name, value_name
from shoal.data.arrays import Int64
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.quoting import called
from shoal.release.bucketized import Bucketized
from shoal.run import Run

_LARGEST = 2**25
"""The most pairs of a description and a value that are held."""
_WORK = 2e9
"""The budget for striking out."""
_ROUNDS = 1_000
"""More rounds would strike out almost nothing."""


def attack_together(releases: Sequence[Bucketized], original: Table | None, run: Run) -> Finding | LeftOut:
    """How many people have a single possible value by one of several releases, and by all of them together.

    Args:
        releases: Releases of one table, each with the structure of a bucketization.
        original: That table: it also shows how many of these values are right.
        run: threads, progress and chance (:class:`shoal.Run`).

    Raises:
        InputError: The releases are not of one table, or not of this one.
    """
    people = _People.of(releases)
    truth = None if original is None else people.truth(original)
    try:
        possible = [people.possible(at) for at in range(len(releases))]
    except OutOfBudget:
        return LeftOut(NAME, "groups of so many different values would take too much work to compare")
    left = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), possible)
    people.require_some(left)
    by_groups, budget, finished = left, Budget(_WORK), False
    for done in range(_ROUNDS):
        run.report(NAME, done, done + 1)
        before = len(left)
        try:
            for at in range(len(releases)):
                left = people.strike_out(at, possible[at], left, budget)
        except OutOfBudget:
            break
        if len(left) == before:
            finished = True
            break
    counts = [people.values_of(keys) for keys in possible]
    alone = reduce(np.logical_or, (count == 1 for count in counts))
    right = None if truth is None else people.right(left, truth)
    last = people.values_of(by_groups), people.values_of(left)
    described = [
        figures(name, count, counts[0], *last, alone, right)
        for name, count in (("unique", np.where(people.count == 1, 1, 0)), ("any", people.count))
    ]
    numbers = {"struck_out_to_the_end": finished}
    return tell(releases[0].sensitive, len(releases), described, numbers)


@dataclass(frozen=True, eq=False)
class _People:
    """The descriptions of people in some releases, and the values in a common numbering."""

    releases: Sequence[Bucketized]
    number: tuple[Int64, ...]
    """For each release the description of each row."""
    count: Int64
    """How many people have each description."""
    code: tuple[Int64, ...]
    """For each release the number that each of its values has in the first."""

    @classmethod
    def of(cls, releases: Sequence[Bucketized]) -> _People:
        first = releases[0]
        for at, other in enumerate(releases[1:], start=1):
            named = other_name(at, len(releases))
            wrong = other_columns(first.quasi.names, other.quasi.names, "quasi-identifier")
            wrong = wrong or other_columns([first.sensitive], [other.sensitive], "sensitive column")
            if wrong is None and other.n_rows != first.n_rows:
                wrong = f"has {other.n_rows:,} rows, and the first {first.n_rows:,}"
            if wrong:
                raise InputError(f"{named} is of another table: it {wrong}")
        number = number_alike(*(release.quasi for release in releases))
        size = max(int(own.max()) for own in number) + 1
        counts = [np.bincount(own, minlength=size) for own in number]
        known = {text: code for code, text in enumerate(texts_of(first.values))}
        code = []
        for at, other in enumerate(releases):
            named = other_name(at, len(releases))
            more = np.flatnonzero(counts[at] > counts[0])
            if len(more):
                row = row_name(other.quasi, int(np.argmax(number[at] == more[0])))
                times = f"{int(counts[at][more[0]]):,} times, and {int(counts[0][more[0]]):,} times in the first"
                raise InputError(f"{named} is of another table: {row} occurs {times}")
            own = np.array([known.get(text, -1) for text in texts_of(other.values)], np.int64)
            totals = np.zeros(len(known), np.int64)
            if (own < 0).any():
                strange = value_name(other.values, int(np.argmax(own < 0)))
                raise InputError(f"{named} is of another table: the first does not have its value {strange}")
            np.add.at(totals, own[other.bucket_values], other.bucket_counts)
            if at == 0:
                had = totals
            differ = np.flatnonzero(totals != had)
            if len(differ):
                value = value_name(first.values, int(differ[0]))
                times = f"{int(totals[differ[0]]):,} rows, and in {int(had[differ[0]]):,} of the first"
                raise InputError(f"{named} is of another table: {value} is in {times}")
            code.append(own)
        return cls(releases, number, counts[0], tuple(code))

    @property
    def n_values(self) -> int:
        return len(self.releases[0].values)

    def possible(self, at: int) -> Int64:
        """The values of the groups that each description is in, as keys: description times values plus value."""
        release = self.releases[at]
        pairs = np.unique(release.row_groups * len(self.count) + self.number[at])
        group, description = pairs // len(self.count), pairs % len(self.count)
        start, end = release.bucket_offsets[group], release.bucket_offsets[group + 1]
        Budget(_LARGEST).spend(float((end - start).sum()))
        owner, entry = expand(start, end)
        return np.unique(description[owner] * self.n_values + self.code[at][release.bucket_values[entry]])

    def require_some(self, left: Int64) -> None:
        """Refuse releases that leave a person no value at all."""
        held = self.values_of(left)
        if (held > 0).all():
            return
        row = row_name(self.releases[0].quasi, int(np.argmax(self.number[0] == np.argmin(held))))
        sensitive = called(self.releases[0].sensitive)
        raise InputError(f"the releases are not of one table: their groups leave {row} no common value of {sensitive}")

    def strike_out(self, at: int, possible: Int64, left: Int64, budget: Budget) -> Int64:
        """What remains after a release's groups were checked, row by row and value by value.

        Raises:
            OutOfBudget: Groups are too large, with too many kinds of rows and too many values.
        """
        release, code = self.releases[at], self.code[at]
        own = np.empty(self.n_values, np.int64)
        own[code] = np.arange(self.n_values)
        gone = np.setdiff1d(possible, left, assume_unique=True)
        # Class 0 takes everything, so numbers of descriptions start at 1.
        pairs = np.unique((gone // self.n_values + 1) * self.n_values + own[gone % self.n_values])
        offsets = np.searchsorted(pairs, np.arange(len(self.count) + 2) * self.n_values)
        exclusions = Exclusions(self.number[at] + 1, offsets.astype(np.int64), pairs % self.n_values)
        valid = find_valid(release, exclusions, budget)
        kinds = valid.kinds
        if len(valid.unassignable):
            raise InputError(
                f"the releases are not of one table: the remaining values cannot be assigned to the rows of group "
                f"{int(valid.unassignable[0])} of {'the first' if at == 0 else other_name(at, len(self.releases))}"
            )
        kind, entry = expand(release.bucket_offsets[kinds.group], release.bucket_offsets[kinds.group + 1])
        budget.spend(len(kind))
        fits = valid.kind_component[kind] == valid.entry_component[entry]
        # A kind's component may contain forbidden values, but they are not among those that remain.
        description = kinds.excluded[kind[fits]] - 1
        found = np.unique(description * self.n_values + code[release.bucket_values[entry[fits]]])
        return np.intersect1d(left, found, assume_unique=True)

    def values_of(self, keys: Int64) -> Int64:
        """How many values remain for each description."""
        return np.bincount(keys // self.n_values, minlength=len(self.count))

    def truth(self, original: Table) -> Int64:
        """For each description and value, how many people of the original have both."""
        first = self.releases[0]
        published, true = number_alike(first.quasi, original)
        values = value_codes(first, original.column(first.sensitive))
        # The number of a combination depends on the numbering it is part of.
        size = int(max(published.max(), true.max(initial=-1))) + 1
        same = np.full(size, -1)
        same[published] = self.number[0]
        if not np.array_equal(np.bincount(published, minlength=size), np.bincount(true, minlength=size)) or np.any(
            values < 0
        ):
            raise InputError("the release was not made from this original (shoal verify --original says why)")
        return np.sort(same[true] * self.n_values + values)

    def right(self, left: Int64, truth: Int64) -> Int64:
        """For each description how many people have one of the values that remain for it."""
        have = np.searchsorted(truth, left, side="right") - np.searchsorted(truth, left)
        return np.bincount(left // self.n_values, have, minlength=len(self.count)).astype(np.int64)
