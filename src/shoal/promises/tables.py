"""What releases of tables can promise."""

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
            f"In every group of rows each value of {self.sensitive} belongs to at most one in {self.l} rows: who knows "
            f"which group a person is in, and nothing else, has a chance of at most 1/{self.l} to name the value."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            "nothing against an adversary who knows that some people cannot have some of the values (a man and a "
            "disease of women): what is left in a group may be fewer values, or one",
            *_BUCKETIZED_NOT_PROMISED,
        )


@dataclass(frozen=True)
class MatchingDiversity:
    """Whoever knows the negative rules of the data has to reckon with ``l`` sensitive values for every row (Injector).

    Formally (Li and Li 2008, definition 1): for every row there are at least l values each of which some assignment of
    the group's values to its rows gives it, such that no row is given a value that a rule excludes for it.
    """

    l: int  # noqa: E741  (the literature's name)
    """How many values must remain for every row; at least 2."""
    sensitive: str
    """The sensitive column."""
    min_expectation: float | None
    """The expectation from which on a rule is taken to be known; above 0, below 1. None: the rules were given, and what
    follows says nothing about them."""
    min_confidence: float = 1.0
    """The share of rows that a rule must hold for; above 0, at most 1."""
    max_attributes: int = 1
    """How many columns a rule may speak of."""
    generalized: tuple[str, ...] = ()
    """The columns in which rules may speak of nodes of a hierarchy, too; sorted."""
    membership: str = "crisp"
    """How numbers belong to a node: crisp, or by degrees, those of several columns combined by product or minimum."""
    crisp: tuple[str, ...] = ()
    """With degrees, the columns of numbers that are taken as they are; sorted."""

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
            f"For every row there are at least {self.l} values of {self.sensitive} that it has in some assignment of "
            "its group's values to its group's rows, even for one who knows which values are excluded for which rows "
            f"by {self._rules}."
        )

    @property
    def _rules(self) -> str:
        if self.min_expectation is None:
            return "a list of negative rules that the publisher gave"
        columns = "one column" if self.max_attributes == 1 else f"up to {self.max_attributes} columns"
        nodes = f", nodes of the hierarchies of {', '.join(self.generalized)}" if self.generalized else ""
        but = f" but those of {', '.join(self.crisp)}" if self.crisp else ""
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
            f"values are counted, not weighed: one of them may be far more likely than 1/{self.l}",
            "nothing against an adversary who knows other things than these rules",
            "the rules are part of the promise but, unless rules.parquet is among the files, not of the release: "
            "without them only the number of different values in a group can be checked",
            *_BUCKETIZED_NOT_PROMISED,
        )


MEMBERSHIPS = ("crisp", "product", "minimum")
BucketPromise = FrequencyDiversity | MatchingDiversity
"""What a bucketized release promises."""


@dataclass(frozen=True)
class KAnonymity:
    """Every combination of quasi-identifiers that is published is that of at least ``k`` rows (Sweeney 2002)."""

    k: int
    """How many rows agree on all quasi-identifiers; at least 2."""
    quasi: tuple[str, ...]
    """The quasi-identifiers."""

    def __post_init__(self) -> None:
        require_whole("k", self.k, least=2)
        _require_columns("a quasi-identifier", self.quasi)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        return (
            f"Every published combination of {', '.join(self.quasi)} is that of at least {self.k} rows, and nothing of "
            "a suppressed row is published. Where a hierarchy was made from the data, no interval ends at a value of "
            f"fewer than {self.k} rows, and no label names one, except sensitive values that rows show."
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        return (
            "nothing about sensitive values by itself: if most rows of a group have the same one, it is known of all "
            "of them (shoal verify reports how diverse groups are, shoal attack what they give away)",
            f"nothing against an adversary who knows more of a person than {', '.join(self.quasi)}",
            "nothing about labels that the steward gave: all labels of a hierarchy that is not under made_from_data, "
            "and in a completed one all but the values directly below the root",
            "nothing against an adversary who knows the values of other people of the group",
            "nothing against an adversary who runs the public algorithm backwards and discards originals that it would "
            "have generalized less, or holds a second release about the same people",
        )


@dataclass(frozen=True)
class HiddenAssociations:
    """In no group does the release show that a sensitive value, or a rule between several, holds for a large share.

    Of each cell a node of a hierarchy is published: the value itself, or a node above it (then the cell is hidden, and
    may be any value below, whatever other cells are). A row *surely* holds a node if its cell is that node or below it,
    and *may* hold it if its cell is above it, too. The *least possible confidence* of a rule is the least over all
    values that hidden cells may be, such that the rule applies to some row. In no group, of N rows, there is

    * a node that at least ``min_confidence`` N rows surely hold;
    * a rule A => B with a least possible confidence of at least ``min_confidence``, such that at least ``min_support``
      N rows surely hold A and B;
    * a rule not A => B with a least possible confidence of at least ``min_confidence``, such that A and B are each
      surely held by at least ``min_support`` N rows, and together by fewer.

    A and B are sets of nodes of different sensitive columns, no root among them. The least possible confidence of
    A => B is the number of rows that surely hold A and B, by the number of rows that surely hold A, or may hold A and
    need not hold B. A row that may but need not hold A and surely holds B is not counted: with A it supports the rule,
    without A the rule does not apply. The same holds with not A for A. Where no row is counted, and the rule applies to
    some row at all, it is 1.
    """

    sensitive: tuple[str, ...]
    """The sensitive columns."""
    min_support: float
    """The share of a group's rows from which on a rule counts; above 0, at most 1."""
    min_confidence: float
    """The confidence that no association reaches; above 0, at most 1."""
    resists_filling: bool = False
    """Whether the same holds after each hidden cell was filled with the value below it that most rows of its group
    show (the first of several in the order of the tree; where none is shown the cell stays), shares of rows that may
    hold A then being shares of rows that surely do."""

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
            " The same holds after every hidden cell has been filled with the value that most rows of its group show."
            if self.resists_filling
            else ""
        )
        return (
            f"In no group is a value of {', '.join(self.sensitive)} shown in a share of {self.min_confidence:g} of the "
            "rows or more, and no rule that leads from some of these columns to others, or from a value that is absent "
            f"to one that is there, has a support of at least {self.min_support:g} and a least possible confidence of "
            f"at least {self.min_confidence:g}: the least over all values that hidden cells may stand for.{filled}"
        )

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        filling = (
            "who guesses better than by the most frequent value of the group (from other groups, from other columns of "
            "the row) may still bring rules back"
            if self.resists_filling
            else "the least possible confidence is bounded, not the likely one: hidden cells are those of frequent "
            "values, and who fills them with the most frequent value of the group gets most of them right, and most "
            "rules back"
        )
        return (
            f"{filling} (shoal attack --fill measures it)",
            "nothing about rules of which a group shows a smaller support, nor about what is frequent in all the data",
        )


def _require_columns(what: str, names: tuple[str, ...]) -> None:
    if not names or len(set(names)) < len(names):
        raise InputError(f"{what} must be named, and each of them once; got {', '.join(names) or 'none'}")
    for name in names:
        require_text(what, name)


_BUCKETIZED_NOT_PROMISED = (
    "who is in the data is not hidden: every combination of quasi-identifiers is published as it is",
    "nothing against an adversary who learns across groups how the sensitive value goes with the quasi-identifiers "
    "(shoal attack measures how well a simple learner does)",
    "nothing against an adversary who knows the values of other people of the group",
    "nothing against an adversary who runs the public algorithm backwards, or holds a second release about the same "
    "people",
)
