"""What a generalized release reveals inside its groups: the strongest associations, in words.

Anyone who knows the quasi-identifiers of a person knows the group. What most of its rows have can then be inferred for
the person; rules allow more inferences if something else about the person is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.limits import require_whole
from shoal.measuring.risk.share import percent
from shoal.mining.group_associations import KINDS, Association, Kind, group_associations
from shoal.release.generalized import Generalized
from shoal.run import DEFAULT_RUN, Run


@dataclass(frozen=True)
class Inference:
    """One association, with its group; printed, it is a sentence."""

    group: int
    """Its number in the release."""
    quasi: Mapping[str, str]
    """The common values of the group's rows; roots, which carry no information, are left out."""
    rows: int
    """The number of rows of the group."""
    kind: Kind
    antecedent: Mapping[str, str]
    """What is known; for the kind absence, what is known not to be the case."""
    consequent: Mapping[str, str]
    supporting: int
    applicable: int
    confidence: float
    support: float

    def as_dict(self) -> dict[str, Any]:
        """The inference as plain values, ready for JSON."""
        return {"words": str(self), **vars(self)}

    def __str__(self) -> str:
        about = ", ".join(f"{name} {label}" for name, label in self.quasi.items()) or "everybody"
        known, inferred = (
            " and ".join(f"{name} {label}" for name, label in side.items())
            for side in (self.antecedent, self.consequent)
        )
        knowing = {"value": "", "rule": f" knowing {known},", "absence": f" knowing that it is not {known},"}[self.kind]
        return (
            f"in group {self.group} ({about}),{knowing} an adversary infers {inferred} with {percent(self.confidence)}"
        )


@dataclass(frozen=True)
class GroupRisk:
    """What the groups of a generalized release reveal; printed, it is a paragraph."""

    rows: int
    groups: int
    sensitive: tuple[str, ...]
    min_support: float
    min_confidence: float
    telling_groups: int
    """Groups with an association."""
    rows_in_telling_groups: int
    kinds: Mapping[Kind, int]
    """The number of associations, by kind."""
    strongest: tuple[Inference, ...]
    """Those with the highest confidence; ties by higher support, then by less required knowledge."""

    @property
    def associations(self) -> int:
        """How many associations there are."""
        return sum(self.kinds.values())

    def as_dict(self) -> dict[str, Any]:
        """The risk as plain values, ready for JSON."""
        return {
            "words": str(self),
            **vars(self),
            "sensitive": list(self.sensitive),
            "associations": self.associations,
            "kinds": dict(self.kinds),
            "strongest": [one.as_dict() for one in self.strongest],
        }

    def __str__(self) -> str:
        """The risk as a paragraph."""
        names = ", ".join(self.sensitive)
        if not self.associations:
            return (
                f"In none of {self.groups:,} groups do the visible cells reveal a value of {names} with a confidence "
                f"of at least {percent(self.min_confidence)}, or a rule that also has a support of at least "
                f"{percent(self.min_support)}. Hidden cells may be guessed: shoal attack --fill measures how well."
            )
        return (
            f"Anyone who knows the group of a person infers something about {names} with a confidence of at least "
            f"{percent(self.min_confidence)} in {self.telling_groups:,} of {self.groups:,} groups, which hold "
            f"{percent(self.rows_in_telling_groups / self.rows)} of the rows: {self._how_many('value', 'value')}, "
            f"{self._how_many('rule', 'rule')} and {self._how_many('absence', 'rule')} from absence (with a support of "
            f"{percent(self.min_support)} or more)."
        )

    def _how_many(self, kind: Kind, noun: str) -> str:
        number = self.kinds[kind]
        return f"{number:,} {noun}" + ("" if number == 1 else "s")


def group_risk(
    release: Generalized,
    min_support: float = 0.1,
    min_confidence: float = 0.5,
    *,
    limit: int = 10,
    run: Run = DEFAULT_RUN,
) -> GroupRisk:
    """Measure what the groups of a generalized release reveal about their sensitive columns.

    Args:
        release: a generalized release.
        min_support: the least share of a group's rows at which a rule counts.
        min_confidence: the least confidence at which an association counts.
        limit: how many of the strongest associations to list.
        run: threads, progress and chance (:class:`shoal.Run`).

    Raises:
        InputError: an argument is out of range.
        Infeasible: there are too many sets of values to count.
    """
    require_whole("limit", limit, least=0)
    found = group_associations(release, min_support, min_confidence, run=run)
    items = np.count_nonzero(found.antecedents, axis=1) + np.count_nonzero(found.consequents, axis=1)
    strongest = np.lexsort((items, -found.support, -found.confidence))[:limit]
    telling = np.unique(found.groups)
    return GroupRisk(
        release.n_rows,
        release.n_groups,
        found.columns,
        float(min_support),
        float(min_confidence),
        len(telling),
        int(found.group_sizes[telling].sum()),
        dict(zip(KINDS, np.bincount(found.kinds, minlength=len(KINDS)).tolist(), strict=True)),
        tuple(_inference(release, found[at]) for at in strongest.tolist()),
    )


def _inference(release: Generalized, one: Association) -> Inference:
    first = int(release.group_offsets[one.group])
    places = {column: int(column.nodes[first]) for column in release.quasi}
    quasi = {column.name: column.tree.labels[node] for column, node in places.items() if node}
    return Inference(one.group, quasi, int(release.group_sizes[one.group]), *one[1:])
