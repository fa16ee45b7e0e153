"""How many rows meet some conditions, from a generalized release alone: certain bounds, mean and standard deviation.

A cell may be any value below its node. A row surely meets a query if all values of its cells do, and may meet it if
some do. The mean is that of a model: every value below a node is as likely (``node_conditions``), and cells are
independent of each other. It is a sum over rows of products over columns, its variance one of p (1 - p).

Of suppressed rows nothing is published, so that they may be any rows: they count in the upper bound, and only where
every row would meet the query in the lower bound and in the mean.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from shoal.analyse.tables.conditions import Clause, parse
from shoal.analyse.tables.node_conditions import Meets, Nodes
from shoal.data.table import unknown_columns
from shoal.release.generalized import Generalized


class AskedRows:
    """A generalized release that is asked: what its trees say is found once, however many queries there are."""

    def __init__(self, release: Generalized) -> None:
        self.release = release

    @cached_property
    def _nodes(self) -> dict[str, Nodes]:
        return {column.name: Nodes(column) for column in self.release.columns}

    def count(self, text: str) -> tuple[int, float, float, int]:
        """The fewest rows that meet a query, the mean and the standard deviation (nan: not known), and the most.

        Raises:
            InputError: the query cannot be read, or asks for what the release does not have.
        """
        met = self._met(text)
        release = self.release
        surely, may = np.ones((2, release.n_rows), bool)
        chance = np.ones(release.n_rows)
        for name, nodes in met.items():
            held = release.column(name).nodes
            surely &= nodes.surely[held]
            may &= nodes.may[held]
            chance *= nodes.share[held]
        chance = chance[may]  # where a column says no, it does not matter that another one is not known
        least, most = int(np.count_nonzero(surely)), int(np.count_nonzero(may))
        expected, variance = float(chance.sum()), float((chance * (1 - chance)).sum())
        # A suppressed row is one with the root in every cell.
        if all(nodes.surely[0] for nodes in met.values()):
            least, expected = least + release.suppressed, expected + release.suppressed
        if all(nodes.may[0] for nodes in met.values()):
            most += release.suppressed
        return least, expected, math.sqrt(variance), most

    def _met(self, text: str) -> dict[str, Meets]:
        """For each column that a query speaks of, which nodes meet what it says."""
        query = parse(text)
        clauses: dict[str, list[Clause]] = {}
        for clause in query.clauses:
            name = clause.column.text
            if name not in self._nodes:
                query.refuse(clause.column.at, unknown_columns([name], list(self._nodes)))
            clauses.setdefault(name, []).append(clause)
        return {name: self._nodes[name].meeting(about, query) for name, about in clauses.items()}
