"""The parameters of methods. Checks, options, grids, tables and schemas are made from one entry each.

An entry defines a parameter once: its range, its default, its help, and which direction is more private. The command
line, the studies, plans, completion and the reference read it. A promise checks its own numbers again when it is made,
because the auditor must not depend on this registry; a test compares the two.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.errors import InputError
from shoal.limits import (
    LEAST_KEEP_PROB,
    MOST,
    MOST_EPSILON,
    MOST_FAKES,
    MOST_SEED,
    require_number,
    require_share,
    require_text,
    require_whole,
)
from shoal.loading import loaded
from shoal.quoting import shown
from shoal.suggestions import did_you_mean

Kind = Literal["whole", "number", "word", "items"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of methods: a number, a word, or a list of items.

    Example:
        >>> PARAMETERS["k"].flags, PARAMETERS["k"].range
        (('-k', '--k'), '2 or more')
        >>> PARAMETERS["k"].check(1)
        Traceback (most recent call last):
        ...
        shoal.errors.InputError: k is 1: it must be a whole number from 2 on
    """

    name: str
    kind: Kind
    default: Any
    """The value that studies use if none is given."""
    help: str
    """One sentence."""
    unit: str = ""
    """The unit, such as records."""
    least: float | None = None
    most: float | None = None
    above_least: bool = False
    """Whether the least value itself is excluded."""
    below_most: bool = False
    """Whether the greatest value itself is excluded."""
    at_limit: str = ""
    """The message for a value at an excluded limit."""
    rule: str = ""
    """``check(value)``: a check that is more precise than the range."""
    choices: tuple[str, ...] = ()
    """The allowed words."""
    absent: str = ""
    """What None means, if None is allowed."""
    required: bool = False
    """Whether the publisher must choose it: privacy parameters have no silent default."""
    stronger: Literal["more", "less", ""] = ""
    """Which direction promises more; empty if it changes no promise."""
    grid: tuple[Any, ...] = ()
    """The values that a sweep tries if none are given."""
    letter: str = ""
    """Its short option, without the dash."""
    metavar: str = ""
    missing: str = ""
    """Why a method that needs it did not run."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Its names on the command line."""
        long = f"--{self.name.replace('_', '-')}"
        return (f"-{self.letter}", long) if self.letter else (long,)

    @property
    def type(self) -> type:
        """The Python type of a value."""
        return {"whole": int, "number": float, "word": str, "items": list}[self.kind]

    @property
    def is_setting(self) -> bool:
        """Whether a study varies it: not items, which are data, and not the seed."""
        return self.kind != "items" and self.name != "seed"

    @property
    def range(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.kind == "items":
            return "items"
        if self.least is None:
            return ""
        low = f"above {self.least:g}" if self.above_least else f"{self.least:g}"
        if self.most is None:
            return low if self.above_least else f"{low} or more"
        most = f"{self.most:,}" if isinstance(self.most, int) else f"{self.most:,.15g}"
        return f"{low} to {'below ' if self.below_most else ''}{most}"

    @property
    def default_text(self) -> str:
        """The default, in words."""
        if self.default is None:
            return self.absent
        return self.text_of(self.default) or "none"

    def text_of(self, value: Any) -> str:
        """A value, in words."""
        if self.kind == "items":
            return ", ".join(value)
        return str(value) if self.kind == "word" else f"{value:g}"

    def check(self, value: Any) -> None:
        """Refuse a value that makes no sense for any data.

        Raises:
            InputError: the message lists the allowed values.
        """
        if value is None and self.absent:
            return
        if self.rule:
            loaded(self.rule)(value)
        elif self.kind == "whole":
            require_whole(
                self.name, value, least=int(self.least or 0), most=None if self.most is None else int(self.most)
            )
        elif self.kind == "number":
            self._check_number(value)
        elif self.kind == "word":
            if value not in self.choices:
                meant = did_you_mean(str(value), self.choices)
                raise InputError(f"{self.name} is {shown(value)}{meant}: it must be one of {', '.join(self.choices)}")
        else:
            if not isinstance(value, list | tuple) or not value:
                raise InputError(self.at_limit or f"{self.name} names nothing: give a list of items")
            for name in value:
                require_text(f"a {self.name} item", name)

    def _check_number(self, value: Any) -> None:
        if self.above_least and (self.least, self.most) == (0, 1) and not self.at_limit:
            require_share(self.name, value, one=not self.below_most)
            return
        least, most = (-MOST if self.least is None else self.least), (MOST if self.most is None else self.most)
        require_number(self.name, value, least=least, most=most)
        if (self.above_least and value == self.least) or (self.below_most and value == self.most):
            raise InputError(f"{self.name} is {value:g}: {self.at_limit or f'it must be a number {self.range}'}")

    def in_order(self, values: list[Any]) -> list[Any]:
        """Sort values; those that promise more come last."""
        return sorted(values, reverse=self.stronger == "less")

    def schema(self) -> dict[str, Any]:
        """A JSON Schema of the value.

        Example:
            >>> PARAMETERS["k"].schema()["minimum"], PARAMETERS["epsilon"].schema()["exclusiveMinimum"]
            (2, 0)
        """
        kinds: dict[Kind, dict[str, Any]] = {
            "whole": {"type": "integer"},
            "number": {"type": "number"},
            "word": {"type": "string"},
            "items": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        }
        schema = {"title": self.name.replace("_", " "), "description": self.help, **kinds[self.kind]}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.least is not None:
            schema["exclusiveMinimum" if self.above_least else "minimum"] = _plain(self.least)
        if self.most is not None:
            schema["exclusiveMaximum" if self.below_most else "maximum"] = _plain(self.most)
        if self.absent:
            schema["type"] = [schema["type"], "null"]
            schema["description"] += f" Default: {self.absent}."
        if self.kind != "items":
            schema["default"] = self.default
        return schema

    def as_dict(self) -> dict[str, Any]:
        """The entry as plain values, for another process."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: dict[str, Any]) -> Parameter:
        """Read what :meth:`as_dict` wrote, also after a round trip through JSON."""
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()
        }
        return cls(**plain)


def _plain(number: float) -> float:
    return int(number) if number == int(number) else number


_ENTRIES = (
    Parameter(
        "k",
        "whole",
        5,
        "How many records or rows one must be hidden among.",
        unit="records",
        least=2,
        required=True,
        stronger="more",
        grid=(2, 5, 10, 25),
        letter="k",
    ),
    Parameter(
        "m",
        "whole",
        2,
        "How many items of a record an adversary may know.",
        unit="items",
        least=1,
        required=True,
        stronger="more",
        letter="m",
    ),
    Parameter(
        "l",
        "whole",
        3,
        "How many sensitive values must remain possible.",
        unit="values",
        least=2,
        required=True,
        stronger="more",
        grid=(2, 3, 4, 6),
        letter="l",
    ),
    Parameter(
        "sensitive",
        "items",
        (),
        "An item that must not be linked to any record; may be repeated.",
        at_limit="no sensitive item is given: name the items that must not be linked to any record (--sensitive ITEM)",
        metavar="ITEM",
        missing="needs sensitive items, and none is given (--sensitive ITEM)",
    ),
    Parameter(
        "epsilon",
        "number",
        1.0,
        "The whole privacy budget: adding or removing one record makes no release more than exp(E) times as likely.",
        least=0,
        above_least=True,
        most=MOST_EPSILON,
        at_limit="then nothing of the data may be published; give a number above 0",
        required=True,
        stronger="less",
        grid=(4.0, 2.0, 1.0, 0.5),
        metavar="E",
    ),
    Parameter(
        "keep_prob",
        "number",
        0.9,
        "The probability that an item of a record, present or absent, is kept; from .51 to 1. The others are flipped: "
        "present becomes absent, absent becomes present.",
        least=LEAST_KEEP_PROB,
        most=1,
        rule="shoal.promises.randomized:require_keep_prob",
        required=True,
        stronger="less",
        grid=(0.95, 0.9, 0.8, 0.7),
        metavar="SHARE",
    ),
    Parameter(
        "fakes",
        "number",
        1.0,
        "Fake transactions per real one; need not be a whole number.",
        unit="fake transactions per real one",
        least=0,
        most=MOST_FAKES,
        rule="shoal.promises.randomized:require_fakes",
        required=True,
        stronger="more",
        grid=(0.5, 1.0, 3.0, 9.0),
        metavar="W",
    ),
    Parameter(
        "max_cluster_size",
        "whole",
        None,
        "Maximum number of records in a cluster.",
        unit="records",
        least=3,
        absent="4 times max(k, l)",
        metavar="N",
    ),
    Parameter(
        "min_expectation",
        "number",
        0.9,
        "A rule is assumed to be known if its excluded value, were it as frequent in this group as overall, would "
        "occur there with at least this probability.",
        least=0,
        above_least=True,
        most=1,
        below_most=True,
        stronger="less",
        metavar="SHARE",
    ),
    Parameter(
        "max_suppressed",
        "number",
        0.0,
        "The share of rows that may be suppressed.",
        least=0,
        most=1,
        below_most=True,
        at_limit="if all rows may be suppressed, nothing is left to publish",
        metavar="SHARE",
    ),
    Parameter("hide", "word", "greedy", "How associations are hidden.", choices=("greedy", "iga", "resistant")),
    Parameter(
        "support",
        "number",
        0.1,
        "The least share of a group at which a rule counts.",
        least=0,
        above_least=True,
        most=1,
        stronger="less",
        metavar="SHARE",
    ),
    Parameter(
        "confidence",
        "number",
        0.5,
        "The confidence that no association may reach.",
        least=0,
        above_least=True,
        most=1,
        stronger="less",
        grid=(0.9, 0.7, 0.5, 0.3),
        metavar="SHARE",
    ),
    Parameter(
        "seed",
        "whole",
        None,
        "For experiments: make the random choices reproducible. Such a release must not be published.",
        least=0,
        most=MOST_SEED,
        absent="the random numbers of the operating system",
        metavar="N",
    ),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _ENTRIES}
"""Every parameter that a study can pass to a method, by its name in Python."""
