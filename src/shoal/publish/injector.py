"""Injector: groups in which every row has l possible values, even for an adversary who knows what is impossible.

T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization, 2008, section V. Negative rules are mined
from the table itself; then rows are grouped with rows whose values they may have. The few remaining rows join groups,
and groups are merged if this needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.background import Background
from shoal.data.frozen import frozen
from shoal.data.table import Column, Table, names_in
from shoal.errors import Infeasible, InputError
from shoal.kernels.compiling import announced
from shoal.keywords import taken
from shoal.mining.exclusions import Exclusions, exclusions
from shoal.mining.negative_rules import Asked, RuleOptions, negative_rules
from shoal.promises import MatchingDiversity
from shoal.publish.groups import as_release, deal, in_canonical_order, keyed_stream, require_one_source, roles_of
from shoal.quoting import bare, called, listed, named, shown
from shoal.randomness import Chance
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Progress, Run
from shoal.secret import Secret

Strategy = Literal["balanced", "printed"]
# Comparisons of classes between two progress reports.
_WORK_A_STEP = 200_000_000


def injector(
    table: Table,
    l: int,  # noqa: E741  (the literature's name)
    *,
    min_expectation: float = 0.9,
    background: Background | None = None,
    disclose_rules: bool = False,
    strategy: Strategy = "balanced",
    secret: Secret | None = None,
    run: Run = DEFAULT_RUN,
    **options: Unpack[RuleOptions],
) -> Bucketized:
    """Publish two tables in which every row has ``l`` possible values that the rules of the data allow.

    Args:
        table: the rows. Columns that are neither quasi-identifiers nor sensitive are left out.
        l: how many values must remain for every row.
        min_expectation: rules of at least this expectation are assumed to be known; see :func:`shoal.negative_rules`.
        min_confidence: the share of rows that a rule must hold for.
        max_attributes: how many columns the condition of a rule may have.
        hierarchies: by column; rules may then also name their nodes.
        membership: how numbers belong to nodes.
        crisp: with degrees of membership, columns of numbers that remain crisp.
        background: known rules to use instead of those of the data, which are then not mined.
        disclose_rules: publish the rules with the release, so that anyone can check it, and read them.
        strategy: how a group is filled. ``balanced``: by the most frequent value first; ``printed``: as in the paper,
            so that most rows stay compatible, which uses rare values first and leaves many rows over.
        secret: makes the release a function of the data: the same table gives the same groups again, so a second
            release reveals nothing new. At least 32 bytes that no one else knows, or the file that holds them, which is
            created if it does not exist. Anyone who has it and guesses the table can undo the grouping.
        run: threads, progress and chance (:class:`shoal.Run`). With a fixed chance the release is for experiments only:
            anyone who has that number can undo the randomization.

    Returns:
        The release, with the rules.

    Raises:
        InputError: an argument is out of range, or the table has no quasi-identifier, or not exactly one sensitive
            column, or the rules are about other columns.
        Infeasible: some row has fewer than ``l`` possible values in every grouping.

    Reference:
        Li, Li 2008, sections IV and V.

    Deviations:
        The check is exact (figure 1 omits that the row itself must be able to take the value). The seed row of a group
        that cannot be filled is set aside permanently (figure 2, lines 8-11). A row whose own value is excluded for it
        (``min_confidence`` below 1) joins a group last.

    Example:
        >>> import pyarrow as pa
        >>> from shoal.data.background import Condition, NegativeRule
        >>> people = pa.table({"sex": [*"ffmm"], "illness": ["mumps", "flu", "flu", "gout"]})
        >>> known = Background("illness", (NegativeRule((Condition("sex", "f", ("f",)),), "gout"),))
        >>> release = injector(Table.from_arrow(people, quasi="sex", sensitive="illness"), 2, background=known)
        >>> release.group_sizes.tolist()
        [2, 2]
    """
    quasi, sensitive = roles_of(table)
    if strategy not in ("balanced", "printed"):
        raise InputError(f"strategy is {shown(strategy)}: it must be 'balanced' or 'printed'")
    require_one_source(run.chance, secret)
    if secret is not None:
        table = in_canonical_order(table)
        sensitive = table.column(sensitive.name)
    asked = taken(Asked, options, "injector")
    if background is not None:
        asked = Asked()  # nothing is said of how rules were found that were given
    promise = MatchingDiversity(
        l,
        sensitive.name,
        min_expectation if background is None else None,
        asked.min_confidence,
        asked.max_attributes,
        tuple(asked.hierarchies or ()),
        asked.membership,
        tuple(names_in(asked.crisp)),
    )
    report = run.report
    if background is not None:
        _require_about(background, quasi, sensitive.name)
    with announced(lambda: report("compile", 0, 1)):
        if background is None:
            background = negative_rules(table, min_expectation, run=run, **options).background()
        excluded = exclusions(table.with_roles(quasi=quasi), background)
        classes = _Classes.of(excluded, sensitive)
        _require_feasible(table, quasi, excluded, sensitive, l)
        places, groups = _grouped(classes, l, strategy, report)
    chance: Chance = run.chance
    if secret is not None:
        chance = keyed_stream(table, secret, "injector", f"l={l}", strategy, *_written(background))
    group = groups[deal(classes.rows, places, chance)]
    return as_release(
        table,
        np.unique(group, return_inverse=True)[1].astype(np.int64),
        method="injector",
        promise=promise,
        background=background,
        discloses_background=disclose_rules,
        chance=chance,
    )


def _require_about(background: Background, quasi: list[str], sensitive: str) -> None:
    """Refuse rules about another sensitive column, or with a condition on a column that is no quasi-identifier."""
    if background.sensitive != sensitive:
        raise InputError(
            f"the rules are about {named(background.sensitive)}, but the sensitive column is {named(sensitive)}"
        )
    for rule in background.rules:
        for condition in rule.conditions:
            if condition.column not in quasi:
                raise InputError(
                    f"a rule has a condition on {named(condition.column)}, which is no quasi-identifier; those are "
                    f"{listed(quasi)}"
                )


def _written(background: Background) -> list[str]:
    """What the rules exclude, in canonical order: the same rules under other names give the same groups."""
    rules = {
        (tuple(sorted((one.column, tuple(sorted(one.values))) for one in rule.conditions)), rule.excluded)
        for rule in background.rules
    }
    return [repr(rule) for rule in sorted(rules)]


@dataclass(frozen=True, eq=False)
class _Classes:
    """Rows with the same value for which the same values are excluded."""

    excluded: Exclusions
    value: Int64
    kind: Int64
    counts: Int64
    rows: Int64
    """The class of each row."""

    @classmethod
    def of(cls, excluded: Exclusions, sensitive: Column) -> _Classes:
        keys, rows, counts = np.unique(
            sensitive.codes * len(excluded.sets) + excluded.rows, return_inverse=True, return_counts=True
        )
        value, kind = np.divmod(keys, len(excluded.sets))
        return cls(excluded, value, kind, counts.astype(np.int64), rows.astype(np.int64))

    @property
    def unlike(self) -> np.ndarray:
        """Whether the value of a class is excluded for its own rows."""
        return self.excluded.sets[self.kind, self.value]


def _require_feasible(table: Table, quasi: list[str], excluded: Exclusions, sensitive: Column, l: int) -> None:  # noqa: E741
    """Check that every row can have l values if all rows form one group, which allows the most values."""
    from shoal.kernels.valid_values import valid_values

    n_kinds, n_values = excluded.sets.shape
    held = np.bincount(excluded.rows * n_values + sensitive.codes, minlength=n_kinds * n_values).astype(np.int64)
    valid = valid_values(held, excluded.sets.ravel().view(np.uint8), n_kinds, n_values).reshape(n_kinds, n_values)
    counts = valid.sum(axis=1)
    largest = int(counts.min())
    if largest >= l:
        return
    if largest == 0:
        raise Infeasible(
            "the rules contradict the data as a whole: no assignment of the values to the rows keeps all rules; raise "
            "the minimum confidence or expectation"
        )
    row = int(np.flatnonzero(excluded.rows == int(counts.argmin()))[0])
    who = ", ".join(
        f"{called(name)} = {bare(table.column(name).texts[int(table.column(name).codes[row])])}" for name in quasi
    )
    advice = f"the largest l that works is {largest}" if largest >= 2 else "no l works"
    raise Infeasible(
        f"l is {l}, but the rules leave only {largest:,} of {n_values:,} values of {sensitive.name} for {who}, however "
        f"rows are grouped: {advice}; a higher minimum expectation assumes fewer rules to be known"
    )


def _grouped(classes: _Classes, l: int, strategy: Strategy, report: Progress) -> tuple[Int64, Int64]:  # noqa: E741
    """Places for the rows of each class, and the group of each place."""
    from shoal.kernels.compatible_groups import DONE, LEFT, PICKED, STATE, Classes, Rows, form_groups
    from shoal.kernels.leftover_rows import place_leftovers

    sets = classes.excluded.sets
    excluded = sets.ravel().view(np.uint8)
    n_classes, n_values = len(classes.value), sets.shape[1]
    left = np.where(classes.unlike, 0, classes.counts)
    barring = np.zeros((n_values, n_values), np.int64)
    np.add.at(barring, classes.value, sets[classes.kind] * left[:, None])
    order = np.lexsort((-left, classes.value))
    rows = Rows(
        left,
        np.bincount(classes.value, left, minlength=n_values).astype(np.int64),
        barring.ravel(),
        order,
        np.argsort(order),
    )
    offsets = np.searchsorted(classes.value, np.arange(n_values + 1))
    stranded = np.where(classes.unlike, classes.counts, 0)
    ranking = np.empty(n_classes, np.int64)
    picks = np.empty(int(left.sum()), np.int64)
    state = np.zeros(STATE, np.int64)
    state[LEFT] = len(picks)
    printed = int(strategy == "printed")
    limit = max(1, _WORK_A_STEP // (l * n_classes * (n_classes if printed else n_values)))
    while not state[DONE]:
        report("group", int(state[PICKED]), len(picks))
        form_groups(
            Classes(*map(frozen, (classes.value, classes.kind, offsets, excluded))),
            *(rows, l, printed, limit, ranking, stranded, picks, state),
        )
    report("group", len(picks), len(picks))
    picks = picks[: int(state[PICKED])]
    leftovers = np.repeat(np.arange(n_classes), left + stranded)
    places = np.concatenate([picks, leftovers])
    if not len(picks):
        return places, np.zeros(len(places), np.int64)
    return places, place_leftovers(classes.value, classes.kind, picks, excluded, n_values, l, leftovers)
