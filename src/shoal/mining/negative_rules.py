"""Negative rules of a table: a sensitive value that a group of people never has, although one would expect it.

T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization, 2008, section IV. The confidence of a rule
``X => not Y`` is the share of the rows meeting X that do not have Y; its expectation is the chance that as many rows,
drawn by the share of Y in the table, would have Y at least once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.background import Background, NegativeRule
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.ragged import steps
from shoal.data.table import Column, Role, Table, assign_roles, names_in
from shoal.errors import Infeasible, InputError
from shoal.keywords import taken
from shoal.limits import require_share, require_whole
from shoal.memory import available_memory
from shoal.mining.conditions import Conditions, conditions_on
from shoal.mining.conjunctions import Counter, Crisp, Degrees, grown
from shoal.mining.implied import unimplied
from shoal.mining.memberships import memberships, refuse_numbers_as_texts
from shoal.mining.support import as_written
from shoal.quoting import listed, shown
from shoal.run import DEFAULT_RUN, Run

Membership = Literal["crisp", "product", "minimum"]

MAX_RULES = 5_000_000
# The largest number of conjunctions before a request is refused: some minutes of counting.
MAX_CONJUNCTIONS = 50_000_000
# Up to here powers are compared exactly; beyond it no power of a share equals a number of 17 digits.
_EXACT = 64
_NEVER = 2**62
# Sums of degrees are not exact: numbers that differ by at most this share are equal.
_ROUNDING = 1e-9
# The typical memory of a number of a conjunction while rules are found, sorted and returned.
_BYTES = 32


@dataclass(frozen=True, eq=False)
class NegativeRules:
    """Rules that exclude sensitive values: highest expectation first, then the shorter, then by conditions and value.

    Rule ``i`` says that rows which meet the conditions ``items[offsets[i]:offsets[i + 1]]`` do not have the value
    ``excluded[i]`` of the sensitive column.

    Example:
        >>> people = Table.from_arrow(pa.table({"sex": ["m", "m", "f", "f"], "ill": ["flu", "flu", "flu", "birth"]}),
        ...                           quasi="sex", sensitive="ill")
        >>> for rule in negative_rules(people, .4).background().rules:
        ...     print(rule)
        sex = m => not birth
    """

    sensitive: Column
    conditions: Conditions
    offsets: Int64
    """Where the conditions of each rule start in ``items``; one more entry than there are rules."""
    items: Int32
    """Numbers of conditions, each on a different column."""
    excluded: Int32
    """Codes of the sensitive column's values."""
    counts: npt.NDArray[Any]
    """How many rows meet the conditions; with fuzzy membership, the sum of their degrees."""
    exceptions: npt.NDArray[Any]
    """How many of these have the excluded value."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.excluded)

    def __repr__(self) -> str:
        return f"NegativeRules({len(self):,} about {self.sensitive.name!r} in {len(self.sensitive):,} rows)"

    @property
    def sizes(self) -> Int64:
        """How many conditions each rule has."""
        return np.diff(self.offsets)

    @property
    def expectations(self) -> Float64:
        """The probability that as many rows, drawn by the shares of the whole table, have the value at least once."""
        return expectations(self.counts, (self.sensitive.counts / len(self.sensitive))[self.excluded])

    @property
    def confidences(self) -> Float64:
        """The share of the rows meeting the conditions that do not have the value."""
        confidences: Float64 = 1 - self.exceptions / self.counts
        return confidences

    def to_arrow(self) -> pa.Table:
        """A table of the rules: antecedent, excluded, count, expectation, confidence, sensitive, conditions.

        The last two make it complete: the column of the excluded values, and each condition with its values.
        """
        labels = pa.array([str(condition) for condition in self.conditions.named()], pa.string())
        starts, items = pa.array(self.offsets), pa.array(self.items)
        texts = pa.array(self.sensitive.texts, pa.string())
        return pa.table(
            {
                "antecedent": pa.LargeListArray.from_arrays(starts, labels.take(items)),
                "excluded": texts.take(pa.array(self.excluded)),
                "count": self.counts,
                "expectation": self.expectations,
                "confidence": self.confidences,
                "sensitive": pa.array([self.sensitive.name] * len(self), pa.string()),
                "conditions": pa.LargeListArray.from_arrays(starts, self.conditions.to_arrow().take(items)),
            }
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table to any Arrow consumer."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def background(self) -> Background:
        """The rules as an adversary's background knowledge, without rules that others imply.

        A rule implies another about the same value if each of its conditions is met by all values that meet one of
        the other's conditions. The remaining rules exclude the same values for every possible row.
        """
        chosen = unimplied(self.conditions, self.offsets, self.items, self.excluded)
        named, texts = self.conditions.named(), self.sensitive.texts
        rules = (
            NegativeRule(
                tuple(named[item] for item in self.items[self.offsets[rule] : self.offsets[rule + 1]].tolist()),
                texts[self.excluded[rule]],
            )
            for rule in chosen
        )
        return Background(self.sensitive.name, tuple(rules))


class RuleOptions(TypedDict, total=False):
    """The fields of :class:`Asked`, as keywords."""

    hierarchies: Mapping[str, Hierarchy] | None
    min_confidence: float
    max_attributes: int
    membership: Membership
    crisp: str | Iterable[str]


@dataclass(frozen=True)
class Asked:
    """Which rules count, and when a value meets a condition; :func:`negative_rules` says what each field means."""

    hierarchies: Mapping[str, Hierarchy] | None = None
    min_confidence: float = 1.0
    max_attributes: int = 1
    membership: Membership = "crisp"
    crisp: str | Iterable[str] = ()

    def __post_init__(self) -> None:
        require_share("min_confidence", self.min_confidence)
        require_whole("max_attributes", self.max_attributes, least=1)
        if self.membership not in ("crisp", "product", "minimum"):
            raise InputError(f"membership is {shown(self.membership)}: it must be crisp, product or minimum")


def negative_rules(
    table: Table,
    min_expectation: float = 0.9,
    *,
    sensitive: str | None = None,
    quasi: str | Iterable[str] | None = None,
    max_rules: int = MAX_RULES,
    run: Run = DEFAULT_RUN,
    **options: Unpack[RuleOptions],
) -> NegativeRules:
    """All negative rules of a table with sufficient expectation and confidence.

    Args:
        table: The rows.
        min_expectation: The least probability, above 0 and below 1, to see the value at least once if it were as
            frequent among the rows of the rule as in the table.
        sensitive: The column of the excluded values; by default the one with that role.
        quasi: The columns of the conditions; by default those with that role.
        hierarchies: Trees whose nodes are also conditions, for some of the columns.
        min_confidence: The least share of the rule's rows that must not have the value, above 0. It is compared
            exactly as it is written. Below 1, a rule may be wrong about some rows.
        max_attributes: How many conditions a rule may have, each on a different column.
        membership: ``crisp``: a value meets a condition or not. ``product``, ``minimum``: a number meets it to a degree
            that falls with the distance, and a row meets several to the product or minimum of the degrees; counts are
            sums of degrees, and a rule applies to all rows with a degree above 0.
        crisp: With degrees, columns of numbers whose values meet a condition or not.
        max_rules: How many rules there may be; more are refused.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The rules, in their canonical order.

    Raises:
        InputError: A column, a hierarchy or a number is wrong; the message says which, and what to do.
        Infeasible: There are too many rules, or too many conjunctions to count.
    """
    require_share("min_expectation", min_expectation, one=False)
    asked = taken(Asked, options, "negative_rules")
    require_whole("max_rules", max_rules, least=1)
    membership = asked.membership
    target, columns = _columns(table, sensitive, quasi)
    trees = _trees(asked.hierarchies or {}, columns)
    taken_whole = _taken_whole(asked.crisp, columns, membership)
    bars = _Bars.of(target, min_expectation, asked.min_confidence)
    conditions = conditions_on(columns, trees)
    counter: Counter
    if membership == "crisp":
        conditions = conditions.only(conditions.counts() >= bars.lowest)
        counter = Crisp.of(conditions, target)
    else:
        whole = np.array([column.name in taken_whole or not column.is_number for column in columns])
        conditions = conditions.only(~whole[conditions.column] | (conditions.counts() >= bars.lowest))
        degrees = memberships(conditions, taken_whole)
        counter = Degrees(table, conditions, target, degrees, membership)
        conditions = _spread(conditions, degrees)
    found = _search(conditions, counter, bars, asked.max_attributes, max_rules, run)
    return _in_canonical_order(target, conditions, found)


def expectations(counts: npt.NDArray[Any], shares: Float64) -> Float64:
    """The probability that a value with this share occurs at least once in this number of rows."""
    with np.errstate(divide="ignore"):
        chances: Float64 = -np.expm1(counts * np.log1p(-shares))
    return chances


def least_rows(share: Fraction, min_expectation: float) -> float:
    """How many rows must meet the conditions of a rule that excludes a value with this share; a real number.

    Example:
        >>> least_rows(Fraction(1, 2), .75), least_rows(Fraction(1), .5) == _NEVER
        (2.0, True)
    """
    if share == 1:
        return _NEVER
    unseen = 1 - as_written(min_expectation)
    near = math.log(unseen) / math.log1p(-share)
    whole = round(near)
    if 1 <= whole <= _EXACT and abs(near - whole) < _ROUNDING:
        # The logarithms may miss a whole number by a rounding error.
        power = (1 - share) ** whole
        return float(whole) if power == unseen else whole + math.copysign(_ROUNDING, power - unseen)
    return near


@dataclass(frozen=True, eq=False)
class _Bars:
    """The thresholds of a rule."""

    least: Float64
    """For each sensitive value how many rows must meet the conditions."""
    exceptions: Fraction
    """The largest share of them that may have the value."""

    @classmethod
    def of(cls, sensitive: Column, min_expectation: float, min_confidence: float) -> _Bars:
        shares = [Fraction(number, len(sensitive)) for number in sensitive.counts.tolist()]
        least = {share: least_rows(share, min_expectation) for share in set(shares)}
        return cls(np.array([least[share] for share in shares]), 1 - as_written(min_confidence))

    @property
    def lowest(self) -> float:
        return float(self.least.min()) * (1 - _ROUNDING)

    def reached(self, by_value: npt.NDArray[Any]) -> Bools:
        """Which values (across) the conjunctions (down) exclude, from the counts of each value in their rows."""
        totals = by_value.sum(axis=1)
        if by_value.dtype.kind == "i":
            distinct, place = np.unique(totals, return_inverse=True)
            most = np.array([int(total * self.exceptions) for total in distinct.tolist()], np.int64)[place]
            expected = totals[:, None] >= self.least
        else:
            most = totals * (float(self.exceptions) + _ROUNDING)
            expected = totals[:, None] * (1 + _ROUNDING) >= self.least
        reached: Bools = expected & (by_value <= most[:, None])
        return reached


def _columns(table: Table, sensitive: str | None, quasi: str | Iterable[str] | None) -> tuple[Column, list[Column]]:
    """The sensitive column, and the columns of conditions."""
    targets = table.names_of(Role.SENSITIVE) if sensitive is None else [sensitive]
    if len(targets) != 1:
        found = f"has {len(targets)} of them ({listed(targets)})" if targets else "has none"
        raise InputError(f"negative rules are about one sensitive column, and the table {found}: name it")
    names = list(dict.fromkeys(table.names_of(Role.QUASI) if quasi is None else names_in(quasi)))
    if not names:
        raise InputError("negative rules need quasi columns for their conditions: name them")
    assign_roles(table.names, quasi=names, sensitive=targets)
    if not len(table):
        raise InputError("the table has no rows to find rules in")
    return table.column(targets[0]), [table.column(name) for name in names]


def _trees(hierarchies: Mapping[str, Hierarchy], columns: list[Column]) -> Mapping[str, Hierarchy]:
    strange = [name for name in hierarchies if name not in {column.name for column in columns}]
    if strange:
        raise InputError(
            f"hierarchies are for quasi columns, and these are none: {listed(strange)}; the quasi "
            f"columns are: {listed(column.name for column in columns)}"
        )
    return hierarchies


def _taken_whole(crisp: str | Iterable[str], columns: list[Column], membership: Membership) -> set[str]:
    """The columns that are crisp by request; the others must not hold numbers as texts."""
    names = names_in(crisp)
    if membership == "crisp":
        if names:
            raise InputError("with crisp membership all columns are crisp: name none, or use fuzzy membership")
        return set()
    assign_roles([column.name for column in columns], quasi=names)
    for column in columns:
        if column.name not in names:
            refuse_numbers_as_texts(column)
    return set(names)


def _spread(conditions: Conditions, degrees: list[Float64]) -> Conditions:
    """The conditions as stated in rules: all values with a degree above 0 meet them."""
    met = [np.nonzero(part > 0) for part in degrees]
    sizes = np.concatenate([np.bincount(row, minlength=len(part)) for (row, _), part in zip(met, degrees, strict=True)])
    codes = np.concatenate([code for _, code in met]).astype(np.int32)
    return Conditions(
        conditions.columns, conditions.column, conditions.labels, np.append(0, np.cumsum(sizes)).astype(np.int64), codes
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """Rules with the same number of conditions."""

    sets: Int32
    excluded: Int64
    counts: npt.NDArray[Any]
    exceptions: npt.NDArray[Any]


def _search(
    conditions: Conditions, counter: Counter, bars: _Bars, max_attributes: int, max_rules: int, run: Run
) -> list[_Found]:
    """The rules with one condition, with two, and so on."""
    found: list[_Found] = []
    rules = looked_at = 0
    level = np.arange(len(conditions), dtype=np.int32)[:, None]
    total, batches, size = len(level), iter([level]), 0
    while True:
        size += 1
        looked_at += total
        room = available_memory() // 2 // _BYTES // (size + 1)
        if looked_at > MAX_CONJUNCTIONS:
            raise Infeasible(_too_many(f"{total:,} conjunctions of {size} conditions would have to be counted", size))
        kept: list[Int32] = []
        held = done = 0
        for sets in batches:
            frequent, by_value = counter.frequent(sets, bars.lowest)
            rows, values = np.nonzero(bars.reached(by_value))
            found.append(_Found(frequent[rows], values, by_value.sum(axis=1)[rows], by_value[rows, values]))
            kept.append(frequent)
            rules, held, done = rules + len(rows), held + len(frequent), done + len(sets)
            if rules > max_rules:
                raise Infeasible(_too_many(f"there are more than {max_rules:,} rules", size))
            if held + rules > room:
                raise Infeasible(_too_many(f"{held:,} conjunctions of {size} conditions do not fit into memory", size))
            run.report(f"count {size} condition{'s' if size > 1 else ''}", done, total)
        if size == max_attributes or not held:
            return found
        total, batches = grown(np.concatenate(kept), conditions.column)


def _too_many(what: str, size: int) -> str:
    fewer = f", allow fewer conditions per rule (at most {size - 1})" if size > 1 else ""
    return f"{what}: raise the minimum expectation{fewer}, name fewer quasi columns, or none with so many values"


def _in_canonical_order(sensitive: Column, conditions: Conditions, found: list[_Found]) -> NegativeRules:
    sizes = np.concatenate([np.full(len(part.excluded), part.sets.shape[1]) for part in found])
    # The conjunctions of one size were found in their order, and the sizes one after the other.
    items = np.concatenate([part.sets.ravel() for part in found])
    excluded, counts, exceptions = (
        np.concatenate([getattr(part, name) for part in found]) for name in ("excluded", "counts", "exceptions")
    )
    offsets = np.append(0, np.cumsum(sizes))
    with np.errstate(divide="ignore"):
        # The logarithm of the probability not to see the value distinguishes expectations that are 1 up to rounding.
        unseen = counts * np.log1p(-sensitive.counts / len(sensitive))[excluded]
    order = np.lexsort((np.arange(len(sizes)), unseen))
    cells = np.repeat(offsets[order], sizes[order]) + steps(sizes[order])
    return NegativeRules(
        sensitive,
        conditions,
        np.append(0, np.cumsum(sizes[order])),
        items[cells],
        excluded[order].astype(np.int32),
        counts[order],
        exceptions[order],
    )
