"""What an audit found: one entry for each thing that was checked, with a witness for each that does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.audit.emptiness import Emptiness
from shoal.audit.not_tried import LeftOut
from shoal.audit.residual import Residual

Progress = Callable[[str, int, int], None]
"""Called with the stage, how many steps are done, and how many there are."""


@dataclass(frozen=True)
class InFact:
    """Whether a promise is broken that could not be shown, because a condition fails that is enough and not needed."""

    outcome: Literal["broken", "kept", "undecided"]
    words: str
    """What shows it, by name."""

    def as_dict(self) -> dict[str, str]:
        """The entry as plain values."""
        return {"outcome": self.outcome, "words": self.words}

    def __str__(self) -> str:
        said = {"broken": "in fact broken", "kept": "kept all the same", "undecided": "not known whether it is broken"}
        return f"{said[self.outcome]}: {self.words}"


@dataclass(frozen=True)
class Check:
    """One condition, and whether it holds.

    Example:
        >>> print(Check("cluster size", "every cluster has at least 5 records", 12, True))
        holds   cluster size: every cluster has at least 5 records (12 checked)
    """

    name: str
    """A short name, the same in every verdict of one kind."""
    what: str
    """The condition that was checked, in words."""
    checked: int
    """How many things (clusters, chunks, items, ...) the condition was checked on."""
    holds: bool
    """Whether it holds. False also when it could not be checked: the witness then begins with 'not checked'."""
    witness: str | None = None
    """Where it fails, by name; None when it holds."""
    in_fact: InFact | None = None
    """Where a condition fails that the promise may hold without: whether the promise is broken. It fails either way."""

    @property
    def refused(self) -> bool:
        """Whether it was not found wrong, but could not be checked."""
        return not self.holds and (self.witness or "").startswith("not checked")

    @property
    def said(self) -> str | None:
        """The witness, and what is so in fact, where the condition is not the promise itself."""
        if self.in_fact is None:
            return self.witness
        return f"the promise could not be shown: {self.witness}; {self.in_fact}"

    def as_dict(self) -> dict[str, object]:
        """The entry as plain values."""
        return {
            "name": self.name,
            "what": self.what,
            "checked": self.checked,
            "holds": self.holds,
            "witness": self.witness,
            **({} if self.in_fact is None else {"in_fact": self.in_fact.as_dict()}),
        }

    def __str__(self) -> str:
        line = f"{'holds ' if self.holds else 'FAILS '}  {self.name}: {self.what} ({self.checked:,} checked)"
        if self.witness is None or self.in_fact is None:
            return line if self.witness is None else f"{line}\n          {self.witness}"
        return f"{line}\n          could not be shown: {self.witness}\n          {self.in_fact}"


@dataclass(frozen=True)
class Figure:
    """A number that is reported beside the checks, and decides nothing.

    Example:
        >>> print(Figure("t-closeness", "income", 0.25, "the largest distance"))
        figure  t-closeness of income: 0.25 (the largest distance)
    """

    name: str
    column: str
    """The column that it is about."""
    value: int | float
    what: str
    """What it says."""

    def as_dict(self) -> dict[str, object]:
        """The entry as plain values."""
        return {"name": self.name, "column": self.column, "value": self.value, "what": self.what}

    def __str__(self) -> str:
        value = f"{self.value:,}" if isinstance(self.value, int) else f"{self.value:,.4g}"
        return f"figure  {self.name} of {self.column}: {value} ({self.what})"


@dataclass(frozen=True)
class Verdict:
    """Everything that was checked on a release, and what the promise asks for that was not.

    Example:
        >>> verdict = Verdict((Check("cluster size", "every cluster has at least 5 records", 0, True),))
        >>> verdict.holds, verdict.failures
        (True, ())
        >>> print(Verdict(verdict.checks, (LeftOut("valid values", "it needs the rules"),)).head)
        the only check that was made holds, but 1 was left out, without which the promise is not confirmed: valid values
    """

    checks: tuple[Check, ...]
    left_out: tuple[LeftOut, ...] = ()
    """What the promise asks for and cannot be checked with what was at hand."""
    figures: tuple[Figure, ...] = ()
    """What is reported beside; it decides nothing."""
    residuals: tuple[Residual, ...] = ()
    """Risks that the promise does not cover and that the files show, the largest first; they decide nothing."""

    empty: tuple[Emptiness, ...] = ()
    """Why the release is worth nothing although the checks hold; said before everything else, and decides nothing."""

    promised: tuple[str, ...] = ()
    """What the checks are about: the promises in words, which stand between the outcome and what they do not cover."""

    @classmethod
    def of_stages(
        cls,
        stages: Iterable[tuple[str, Iterable[Check | LeftOut | Figure]]],
        names: Sequence[str],
        progress: Progress | None,
    ) -> Verdict:
        """The verdict of an audit, stage by stage.

        Args:
            stages: the name of each stage, and what came of it; they are carried out as they are asked for.
            names: those of all stages, in their order; not every audit needs all of them.
            progress: called after each stage with its name, the stages done, and their number.
        """
        found: list[Check | LeftOut | Figure] = []
        for stage, outcomes in stages:
            found.extend(outcomes)
            if progress is not None:
                progress(stage, names.index(stage) + 1, len(names))
        return cls(
            tuple(outcome for outcome in found if isinstance(outcome, Check)),
            tuple(outcome for outcome in found if isinstance(outcome, LeftOut)),
            tuple(outcome for outcome in found if isinstance(outcome, Figure)),
        )

    @property
    def holds(self) -> bool:
        """Whether every check that was made holds; a verdict without checks says nothing, and so does not hold."""
        return bool(self.checks) and all(check.holds for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def __getitem__(self, name: str) -> Check:
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    def as_dict(self) -> dict[str, object]:
        """The verdict as plain values, ready for JSON."""
        return {
            **({"empty": [one.as_dict() for one in self.empty]} if self.empty else {}),
            "holds": self.holds,
            "confirmed": self.confirmed,
            **({"promised": list(self.promised)} if self.promised else {}),
            "checks": [check.as_dict() for check in self.checks],
            "not_checked": [entry.as_dict() for entry in self.left_out],
            **({"not_covered": [one.as_dict() for one in self.residuals]} if self.residuals else {}),
            **({"figures": [figure.as_dict() for figure in self.figures]} if self.figures else {}),
        }

    @property
    def confirmed(self) -> bool:
        """Whether every check holds and nothing that the promise asks for was left out."""
        return self.holds and not self.left_out

    @property
    def head(self) -> str:
        """The outcome in one line, which never passes over what was left out."""
        number, left = len(self.checks), len(self.left_out)
        names = ", ".join(entry.name for entry in self.left_out)
        if not self.holds:
            failed = f"{len(self.failures)} of {number} checks fail{self._in_fact}"
            return failed + (f"; left out: {names}" if left else "")
        if not left:
            return f"all {number} checks hold"
        made = "the only check that was made holds" if number == 1 else f"all {number} checks that were made hold"
        return f"{made}, but {left} {_were(left)} left out, without which the promise is not confirmed: {names}"

    @property
    def _in_fact(self) -> str:
        """What is so in fact, where no more is wrong than that the promise could not be shown."""
        outcomes = {check.in_fact.outcome if check.in_fact else None for check in self.failures}
        if "broken" in outcomes:
            return ": the promise is broken"
        if None in outcomes:
            return ""
        if outcomes == {"kept"}:
            return ": the promise could not be shown, and is kept all the same"
        return ": the promise could not be shown, and whether it is broken is not known"

    def __str__(self) -> str:
        # Names of columns are anybody's: none of them begins a line.
        promised = (f"promised: {' '.join(words.split())}" for words in self.promised)
        residuals = (f"not covered: {one}" for one in self.residuals)
        entries = (*self.checks, *self.left_out, *self.figures)
        return "\n".join([*map(str, self.empty), self.head, *promised, *residuals, *map(str, entries)])


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def decided(name: str, what: str, checked: int, witness: str | None) -> Check:
    """A check that was carried out; it holds when there is no witness against it."""
    return Check(name, what, checked, witness is None, witness)


def not_checked(name: str, what: str, why: str) -> Check:
    """A check that was not carried out. It does not hold, and says why."""
    return Check(name, what, 0, False, f"not checked: {why}")
