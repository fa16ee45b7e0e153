"""Promises of releases of tables."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import InputError
from shoal.limits import require_share, require_text, require_whole
from shoal.quoting import given, shown


@dataclass(frozen=True)
class FrequencyDiversity:
    """In every group of rows at most one row in ``l`` has the same sensitive value (Anatomy)."""

    l: int  # noqa: E741  (the literature's name)
    """A sensitive value belongs to at most one in ``l`` rows of a group; at least 2."""
    sensitive: str
    """The sensitive column."""

    def __post_init__(self) -> None:
        require_whole("l", self.l, least=2)
        require_text("the sensitive column", self.sensitive)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"In every group of rows, each value of {self.sensitive} belongs to at most one in {self.l} rows: an "
            "adversary who knows only which group a person is in guesses the person's value with a probability of at "
            f"most 1/{self.l}."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            "nothing against an adversary who knows that some people cannot have some of the values (a man and a "
            "disease of women): fewer values of a group may then remain possible, or only one",
            *_BUCKETIZED_NOT_PROMISED,
        )


@dataclass(frozen=True)
class MatchingDiversity:
    """At least ``l`` sensitive values remain possible for each row, even for an adversary who knows the negative rules.

    This is the promise of Injector. Formally (Li and Li 2008, definition 1): an assignment gives each value of a group
    to one of its rows, and gives no row a value that a rule excludes for it. For every row, there are at least l values
    that the row has in some assignment.
    """

    l: int  # noqa: E741  (the literature's name)
    """How many values must remain for every row; at least 2."""
    sensitive: str
    """The sensitive column."""
    min_expectation: float | None
    """Rules of at least this expectation are assumed to be known; above 0, below 1. None: the rules were given, and the
    attributes below do not apply."""
    min_confidence: float = 1.0
    """The share of rows that a rule must hold for; above 0, at most 1."""
    max_attributes: int = 1
    """How many columns the condition of a rule may have."""
    generalized: tuple[str, ...] = ()
    """The columns in which rules may also name nodes of a hierarchy; sorted."""
    membership: str = "crisp"
    """How numbers belong to a node: crisp, or by degrees; degrees of several columns combine by product or minimum."""
    crisp: tuple[str, ...] = ()
    """With degrees of membership, the columns of numbers that remain crisp; sorted."""

    def __post_init__(self) -> None:
        require_whole("l", self.l, least=2)
        require_text("the sensitive column", self.sensitive)
        if self.min_expectation is not None:
            require_share("min_expectation", self.min_expectation, one=False)
        require_share("min_confidence", self.min_confidence)
        require_whole("max_attributes", self.max_attributes, least=1)
        if self.membership not in MEMBERSHIPS:
            raise InputError(f"membership is {shown(self.membership)}: it must be one of {', '.join(MEMBERSHIPS)}")
        for name in ("generalized", "crisp"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"For every row, at least {self.l} values of {self.sensitive} remain possible, each in some assignment of "
            "its group's values to its group's rows, even for an adversary who knows which values are excluded for "
            f"which rows by {self._rules}."
        )

    @property
    def _rules(self) -> str:
        if self.min_expectation is None:
            return "a list of negative rules that the publisher gave"
        columns = "one column" if self.max_attributes == 1 else f"up to {self.max_attributes} columns"
        nodes = f", nodes of the hierarchies of {', '.join(self.generalized)}" if self.generalized else ""
        but = f" except those of {', '.join(self.crisp)}" if self.crisp else ""
        fuzzy = (
            "" if self.membership == "crisp" else f", numbers{but} belonging to nodes by degrees ({self.membership})"
        )
        return (
            f"the negative rules of these data (expectation at least {self.min_expectation:g}, confidence at least "
            f"{self.min_confidence:g}, values of {columns}{nodes}{fuzzy})"
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            f"values are counted, not weighted: one of them may have a probability far above 1/{self.l}",
            "nothing against an adversary who knows other things than these rules",
            "the rules are part of the promise, but the release has them only if rules.parquet is among its files: "
            "without them, only the number of different values in a group can be checked",
            *_BUCKETIZED_NOT_PROMISED,
        )


MEMBERSHIPS = ("crisp", "product", "minimum")
BucketPromise = FrequencyDiversity | MatchingDiversity
"""The promise of a bucketized release."""


@dataclass(frozen=True)
class KAnonymity:
    """Every published combination of quasi-identifiers occurs in at least ``k`` rows (Sweeney 2002)."""

    k: int
    """The least number of rows that agree on all quasi-identifiers; at least 2."""
    quasi: tuple[str, ...]
    """The quasi-identifiers."""

    def __post_init__(self) -> None:
        require_whole("k", self.k, least=2)
        _require_columns("a quasi-identifier", self.quasi)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"Every published combination of {', '.join(self.quasi)} occurs in at least {self.k} rows, and nothing of "
            "a suppressed row is published. In a hierarchy made from the data, no interval ends at a value of fewer "
            f"than {self.k} rows, and no label names such a value, except sensitive values that rows show."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            "nothing about sensitive values: if most rows of a group have the same one, an adversary can infer it for "
            "all of them (shoal verify reports how diverse groups are, shoal attack what they reveal)",
            f"nothing against an adversary who knows more of a person than {', '.join(self.quasi)}",
            "nothing about labels that the publisher gave: all labels of a hierarchy that made_from_data does not "
            "list, and in a completed hierarchy all labels except the values directly below the root",
            "nothing against an adversary who knows the values of other people of the group",
            "nothing against an adversary who runs the public algorithm backwards and discards originals that it would "
            "have generalized less, or holds a second release about the same people",
        )


@dataclass(frozen=True)
class HiddenAssociations:
    """No group shows a frequent sensitive value, or a confident rule between sensitive columns.

    For each cell, a node of a hierarchy is published: the value itself, or a node above it. In the second case the cell
    is hidden: it may be any value below the node, independently of other cells. A row *surely* holds a node if its cell
    is that node or below it, and *may* also hold it if its cell is above it. The *least possible confidence* of a rule
    is the least over all values that hidden cells may have, such that the rule applies to some row. No group of N rows
    has

    * a node that at least ``min_confidence`` N rows surely hold;
    * a rule A => B with a least possible confidence of at least ``min_confidence``, such that at least ``min_support``
      N rows surely hold A and B;
    * a rule not A => B with a least possible confidence of at least ``min_confidence``, such that A and B are each
      surely held by at least ``min_support`` N rows, and together by fewer.

    A and B are sets of nodes of different sensitive columns, without roots. The least possible confidence of A => B is
    the number of rows that surely hold A and B, divided by the number of rows that surely hold A, or may hold A and
    need not hold B. A row that may but need not hold A and surely holds B is not counted: with A it supports the rule,
    without A the rule does not apply. The same holds with not A for A. If no row is counted, and the rule applies to
    some row at all, the confidence is 1.
    """

    sensitive: tuple[str, ...]
    """The sensitive columns."""
    min_support: float
    """The least share of a group's rows that a rule needs to count; above 0, at most 1."""
    min_confidence: float
    """The confidence that no association reaches; above 0, at most 1."""
    resists_filling: bool = False
    """Whether the same holds after each hidden cell was filled with the value below it that most rows of its group
    show (of several, the first in the order of the tree; if none is shown, the cell stays). The share of rows that may
    hold A is then the share of rows that surely do."""

    def __post_init__(self) -> None:
        _require_columns("a sensitive column", self.sensitive)
        require_share("min_support", self.min_support)
        require_share("min_confidence", self.min_confidence)
        if not isinstance(self.resists_filling, bool):
            raise InputError(f"resists_filling is {given(self.resists_filling)}: it must be true or false")

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        filled = (
            " The same holds after every hidden cell is filled with the value that most rows of its group show."
            if self.resists_filling
            else ""
        )
        return (
            f"In no group does a share of {self.min_confidence:g} or more of the rows show the same value of "
            f"{', '.join(self.sensitive)}, and no rule from some of these columns to others, or from an absent value "
            f"to a present one, has a support of at least {self.min_support:g} and a least possible confidence of at "
            f"least {self.min_confidence:g}: the least over all values that hidden cells may have.{filled}"
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        filling = (
            "an adversary who guesses better than by the most frequent value of the group (from other groups, or from "
            "other columns of the row) may still recover rules"
            if self.resists_filling
            else "the least possible confidence is bounded, not the likely one: hidden cells are those of frequent "
            "values, and an adversary who fills them with the most frequent value of the group gets most of them "
            "right, and recovers most rules"
        )
        return (
            f"{filling} (shoal attack --fill measures it)",
            "nothing about rules with a smaller support in a group, nor about what is frequent in all the data",
        )


def _require_columns(what: str, names: tuple[str, ...]) -> None:
    if not names or len(set(names)) < len(names):
        raise InputError(f"{what} must be named, and each only once; got {', '.join(names) or 'none'}")
    for name in names:
        require_text(what, name)


_BUCKETIZED_NOT_PROMISED = (
    "who is in the data is not hidden: every combination of quasi-identifiers is published unchanged",
    "nothing against an adversary who learns across groups how the sensitive value depends on the quasi-identifiers "
    "(shoal attack measures how well a simple learner does)",
    "nothing against an adversary who knows the values of other people of the group",
    "nothing against an adversary who runs the public algorithm backwards, or holds a second release about the same "
    "people",
)
