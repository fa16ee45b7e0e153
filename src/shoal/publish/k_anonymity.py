"""k-anonymity: generalize quasi-identifiers until every combination occurs in k rows; optionally hide associations.

L. Sweeney: k-anonymity, 2002; the paper on hidden Q-S associations. One of two strategies generalizes. Then what groups
reveal about the sensitive columns can be hidden by generalizing cells of these columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypedDict, Unpack

import numpy as np

from shoal.data import hierarchy_builders
from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.kinds import require_table
from shoal.data.node_tree import NodeTree
from shoal.data.table import Column, Role, Table
from shoal.errors import Infeasible, InputError
from shoal.keywords import taken
from shoal.limits import require_number, require_whole
from shoal.mining.support import as_written
from shoal.promises import HiddenAssociations, KAnonymity
from shoal.publish import bottom_up
from shoal.publish.bottom_up import LOSSES, Evaluation, Weights
from shoal.publish.kept_trees import of_kept_rows
from shoal.publish.recoding import Recoding, renumbered
from shoal.quoting import named, shown
from shoal.release.generalized import Generalized, GeneralizedColumn, GeneralizedMethod
from shoal.run import DEFAULT_RUN, Run
from shoal.suggestions import did_you_mean

Hiding = Literal["greedy", "iga", "resistant"]

STRATEGIES = ("bottom-up", "mondrian")
HIDING = ("greedy", "iga", "resistant")


class BottomUp(TypedDict, total=False):
    """The fields of :class:`Steps`, as keywords."""

    loss: str
    weights: tuple[float, float, float]
    evaluate_from: float | None
    take_back: bool


@dataclass(frozen=True)
class Steps:
    """How bottom-up recoding chooses its steps; :func:`k_anonymity` says what each field means."""

    loss: str = "entropy"
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    evaluate_from: float | None = None
    take_back: bool = True


def k_anonymity(
    table: Table,
    k: int,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    strategy: GeneralizedMethod = "bottom-up",
    max_suppressed: float = 0.0,
    hide: Hiding | None = None,
    min_support: float = 0.1,
    min_confidence: float = 0.5,
    publish_hierarchies: bool = False,
    run: Run = DEFAULT_RUN,
    **options: Unpack[BottomUp],
) -> Generalized:
    """Generalize the quasi-identifiers of a table until every published combination occurs in k rows.

    Args:
        table: rows with quasi-identifiers, and any number of sensitive columns; all other columns are left out.
        k: the least number of rows that agree on all quasi-identifiers; at least 2.
        hierarchies: by column. A quasi-identifier without one gets intervals if it holds numbers; other values are
            published unchanged, or not at all. A hierarchy made from the data is made again from the rows that are
            kept, so that no label is a value of fewer than k of them (``shoal.publish.kept_trees``); a given one stays.
        strategy: ``bottom-up``: global recoding, a value is generalized in all rows; ``mondrian``: local recoding,
            groups are split as long as the parts have k rows.
        max_suppressed: the share of rows that may be left out; from 0 to below 1.
        loss: bottom-up: the loss of a step: ``entropy``, ``taxonomy`` or ``ncp`` (see ``shoal.publish.bottom_up``).
        weights: bottom-up: the weights of anonymity, loss and associations in the score of a step.
        evaluate_from: bottom-up: once the smallest group has this size, prefer steps that weaken associations: a whole
            number of rows, or a float c for c * k. By default never.
        take_back: bottom-up: at the end, undo steps that later ones made unnecessary.
        hide: generalize sensitive cells until no group has associations, and how: ``greedy``, ``iga`` or
            ``resistant`` (see :class:`shoal.promises.HiddenAssociations`).
        min_support: the least share of a group's rows that an association needs to count.
        min_confidence: the confidence that no association may reach.
        publish_hierarchies: publish given trees whole, with all values below the nodes that rows hold; of trees made
            from the data, publish the nodes that have at least k rows at or below them.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The release; ``release.write(folder)`` verifies and publishes it.

    Raises:
        InputError: a number is out of range, an option does not go with the strategy, no column is a quasi-identifier,
            a hierarchy does not fit.
        Infeasible: there are fewer than k rows.

    Reference:
        The paper on hidden Q-S associations, sections 4 and 5.

    Deviations:
        Confidences of merged groups are counted, not bounded; equation 3 is not printed in the paper, and the score is
        that of ``shoal.publish.bottom_up.generalize``; steps that turn out to be unnecessary are undone.

    Example:
        >>> import pyarrow as pa, shoal
        >>> people = pa.table({"age": [21, 22, 23, 41, 42, 43], "ill": ["flu", "flu", "cold", "flu", "cold", "cold"]})
        >>> release = shoal.k_anonymity(shoal.read_table(people, quasi="age", sensitive="ill"), k=3)
        >>> release
        Generalized(6 rows in 2 groups, 0 suppressed)
        >>> sorted(set(release.to_arrow()["rows"]["age"].to_pylist()))
        ['< 30', '>= 30']
    """
    require_table(table)
    quasi, sensitive = _roles(table)
    promise = KAnonymity(k, tuple(column.name for column in quasi))
    hidden = _hidden(hide, sensitive, min_support, min_confidence)
    steps = taken(Steps, options, "k_anonymity")
    _check_options(strategy, max_suppressed, steps, sensitive)
    if len(table) < k:
        raise Infeasible(f"the table has {len(table):,} rows, so no group of it has k = {k:,}: try a smaller k")
    made, trees, values = _trees(quasi, sensitive, hierarchies or {}, k)
    of_quasi, of_sensitive = slice(len(quasi)), slice(len(quasi), None)
    recode: Callable[..., Recoding]
    if strategy == "mondrian":
        from shoal.publish import mondrian

        recode = mondrian.generalize
    else:
        evaluation = None
        if steps.evaluate_from is not None:
            evaluation = _evaluation(
                steps.evaluate_from, k, values[of_sensitive], trees[of_sensitive], min_support, min_confidence
            )
        recode = partial(
            bottom_up.generalize,
            loss=steps.loss,
            weights=Weights(*steps.weights),
            evaluation=evaluation,
            take_back=steps.take_back,
        )
    nodes, suppressed = recode(
        values[of_quasi],
        trees[of_quasi],
        k,
        allowance=int(as_written(max_suppressed) * len(table)),
        run=run,
    )
    shown = [*nodes, *values[of_sensitive]]
    listed: list[Bools | None] = [None] * len(trees)
    for at, (column, hierarchy) in enumerate(zip([*quasi, *sensitive], made, strict=True)):
        if hierarchy.making is not None:
            # A tree made from the data keeps nothing of suppressed rows, and no value that few people hold.
            again = of_kept_rows(hierarchy, trees[at], column, ~suppressed, k)
            trees[at], shown[at], listed[at] = again.tree, again.place[shown[at]], again.disclosable(k)
    nodes, values = shown[of_quasi], shown
    kept = np.flatnonzero(~suppressed)
    group, offsets = _groups([column[kept] for column in nodes], trees[of_quasi])
    by_group = np.argsort(group, kind="stable")
    rows, group = kept[by_group], group[by_group]
    cells = before = [column[rows] for column in values[of_sensitive]]
    residual = None
    if hidden is not None:
        _require_choice(sensitive, trees[of_sensitive])
        from shoal.publish.hiding import hide as hide_associations
        from shoal.publish.hiding import residual_of

        assert hide is not None
        given = (before, trees[of_sensitive], offsets)
        cells = hide_associations(*given, hidden, method=hide, run=run)
        residual = residual_of(before, cells, trees[of_sensitive], offsets, hidden)
        if hidden.resists_filling:
            plainly = hide_associations(*given, replace(hidden, resists_filling=False))
            plain = residual_of(before, plainly, trees[of_sensitive], offsets, hidden).hidden_cells
            residual = replace(residual, hidden_cells_plain=plain)
    if sensitive:
        order = np.lexsort((renumbered(cells, trees[of_sensitive])[0], group))
        rows, cells = rows[order], [column[order] for column in cells]
    published = [*(column[rows] for column in nodes), *cells]
    return Generalized(
        method=strategy,
        promise=promise,
        columns=tuple(
            _published(column, hierarchy, tree, cells, also if publish_hierarchies else None, whole=publish_hierarchies)
            for column, hierarchy, tree, cells, also in zip(
                [*quasi, *sensitive], made, trees, published, listed, strict=True
            )
        ),
        group_offsets=offsets,
        suppressed=int(suppressed.sum()),
        hidden=hidden,
        discloses_hierarchies=publish_hierarchies,
        residual=residual,
    )


def _roles(table: Table) -> tuple[list[Column], list[Column]]:
    quasi = [column for column in table if column.role is Role.QUASI]
    if not quasi:
        raise InputError(f"no column is a quasi-identifier: name those that others may know (columns: {table.names})")
    return quasi, [column for column in table if column.role is Role.SENSITIVE]


def _require_choice(sensitive: Sequence[Column], trees: Sequence[NodeTree]) -> None:
    """Refuse to hide cells of a tree with one value: every hidden cell would have that value."""
    for column, tree in zip(sensitive, trees, strict=True):
        if tree.leaves[0] == 1:
            raise Infeasible(
                f"{column.name} has one value in all rows that are published, so everyone knows the value of a hidden "
                "cell: leave the column out, or give it a hierarchy that also has other values"
            )


def _hidden(
    hide: str | None, sensitive: list[Column], min_support: float, min_confidence: float
) -> HiddenAssociations | None:
    if hide is None:
        return None
    if hide not in HIDING:
        raise InputError(f"hide is {shown(hide)}: it must be one of {', '.join(HIDING)}")
    if not sensitive:
        raise InputError("there is nothing to hide: no column is sensitive; name the columns that must be protected")
    names = tuple(column.name for column in sensitive)
    return HiddenAssociations(names, min_support, min_confidence, resists_filling=hide == "resistant")


def _check_options(
    strategy: str,
    max_suppressed: float,
    steps: Steps,
    sensitive: list[Column],
) -> None:
    if strategy not in STRATEGIES:
        raise InputError(f"strategy is {shown(strategy)}: it must be one of {', '.join(STRATEGIES)}")
    require_number("max_suppressed", max_suppressed, least=0, most=1)
    if max_suppressed == 1:
        raise InputError("max_suppressed is 1: if every row may be left out, nothing remains to publish")
    if steps.loss not in LOSSES:
        raise InputError(f"loss is {shown(steps.loss)}: it must be one of {', '.join(LOSSES)}")
    if len(steps.weights) != 3:
        raise InputError(f"weights are {shown(steps.weights)}: give three, of anonymity, loss and associations")
    for name, weight in zip(("anonymity", "loss", "associations"), steps.weights, strict=True):
        require_number(f"the weight of {name}", weight, least=0, most=1_000)
    if strategy != "bottom-up":
        for name, value in vars(Steps()).items():
            if getattr(steps, name) != value:
                raise InputError(f"{name} applies to bottom-up generalization only: leave it out for {strategy}")
    if steps.evaluate_from is not None and not sensitive:
        raise InputError("evaluate_from needs associations of sensitive columns: name such columns, or leave it out")


def _evaluation(
    evaluate_from: float,
    k: int,
    values: list[Int32],
    trees: list[NodeTree],
    min_support: float,
    min_confidence: float,
) -> Evaluation:
    """Evaluation that starts at a number of rows, or at a share of k."""
    from shoal.publish.association_scores import AssociationScores

    if isinstance(evaluate_from, float):
        require_number("evaluate_from", evaluate_from, least=0, most=1, most_name="1.0 is k itself")
        smallest = int(np.ceil(evaluate_from * k))
    else:
        require_whole("evaluate_from", evaluate_from, least=1)
        smallest = evaluate_from
    HiddenAssociations(("any",), min_support, min_confidence)  # refuses thresholds out of range
    return Evaluation(smallest, lambda group: AssociationScores(values, trees, group, min_support, min_confidence))


def _trees(
    quasi: list[Column], sensitive: list[Column], hierarchies: Mapping[str, Hierarchy], k: int
) -> tuple[list[Hierarchy], list[NodeTree], list[Int32]]:
    """The hierarchy of each column, its tree, and the node of each row."""
    names = [column.name for column in (*quasi, *sensitive)]
    strange = [name for name in hierarchies if name not in names]
    if strange:
        meant = did_you_mean(strange[0], names)
        raise InputError(f"a hierarchy is given for {named(strange[0])}{meant}, which is neither quasi nor sensitive")
    found, trees, values = [], [], []
    for column in (*quasi, *sensitive):
        hierarchy = hierarchies.get(column.name) or hierarchy_builders.usual(column, k=k)
        tree = NodeTree.from_hierarchy(hierarchy)
        found.append(hierarchy)
        trees.append(tree)
        values.append(tree.places(column, hierarchy)[column.codes])
    return found, trees, values


def _groups(nodes: list[Int32], trees: list[NodeTree]) -> tuple[Int64, Int64]:
    """The group of each row, in the order of their nodes, and where each begins."""
    group, firsts = renumbered(nodes, trees)
    sizes = np.bincount(group, minlength=len(firsts))
    return group, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _published(
    column: Column, hierarchy: Hierarchy, tree: NodeTree, nodes: Int32, also: Bools | None, *, whole: bool
) -> GeneralizedColumn:
    """A column for publication: with a tree down to the nodes that rows hold, or a given tree whole if requested.

    ``also``: other nodes of a tree made from the data that may be listed.
    """
    if whole and hierarchy.making is None:
        return GeneralizedColumn(column.name, column.role, tree, nodes)
    used = np.bincount(nodes, minlength=len(tree)) > 0
    tree, place = tree.cut(used if also is None else used | also)
    return GeneralizedColumn(column.name, column.role, tree, place[nodes], hierarchy.making)
