"""Background knowledge of an adversary: which sensitive values some people cannot have, as negative rules.

T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization, 2008, section IV. A rule says that rows
whose values meet all its conditions do not have one sensitive value. Its conditions list the values themselves, so a
rule can be applied without the hierarchy of its nodes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Condition:
    """A column has one of some values.

    Example:
        >>> print(Condition("workclass", "Government", ("Federal-gov", "Local-gov", "State-gov")))
        workclass = Government
    """

    column: str
    label: str
    """The common name of the values: the value itself, or the node above them."""
    values: tuple[str, ...]
    """The values as texts (see ``Column.texts``), in the order of the column."""

    def __str__(self) -> str:
        return f"{self.column} = {self.label}"


@dataclass(frozen=True)
class NegativeRule:
    """Rows that meet all conditions do not have the excluded value.

    Example:
        >>> print(NegativeRule((Condition("sex", "M", ("M",)),), "ovarian cancer"))
        sex = M => not ovarian cancer
    """

    conditions: tuple[Condition, ...]
    """The conditions, each on a different column."""
    excluded: str
    """The sensitive value as a text."""

    def __str__(self) -> str:
        return f"{' and '.join(map(str, self.conditions))} => not {self.excluded}"


@dataclass(frozen=True)
class Background:
    """All rules about one sensitive column that an adversary is assumed to know."""

    sensitive: str
    """The column whose values the rules exclude."""
    rules: tuple[NegativeRule, ...]

    def __len__(self) -> int:
        return len(self.rules)
