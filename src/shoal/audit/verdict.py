"""The result of an audit: one entry for each check, with a witness for each that does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.audit.emptiness import Emptiness
from shoal.audit.not_tried import LeftOut
from shoal.audit.residual import Residual
from shoal.run import Run


@dataclass(frozen=True)
class InFact:
    """Whether a promise that could not be shown, because a sufficient but not necessary condition fails, is broken."""

    outcome: Literal["broken", "kept", "undecided"]
    words: str
    """What shows it, by name."""

    def as_dict(self) -> dict[str, str]:
        """The entry as plain values."""
        return {"outcome": self.outcome, "words": self.words}

    def __str__(self) -> str:
        said = {"broken": "in fact broken", "kept": "in fact kept", "undecided": "unknown whether it is broken"}
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
    """The number of things (clusters, chunks, items, ...) that the condition was checked on."""
    holds: bool
    """Whether it holds. Also False if it could not be checked: the witness then begins with 'not checked'."""
    witness: str | None = None
    """Where it fails, by name; None if it holds."""
    in_fact: InFact | None = None
    """For a failed condition without which the promise may hold: whether the promise is broken. It fails either way."""

    @property
    def refused(self) -> bool:
        """Whether it could not be checked, and so was not found wrong."""
        return not self.holds and (self.witness or "").startswith("not checked")

    @property
    def said(self) -> str | None:
        """The witness, and whether the promise is in fact broken if the condition is not the promise itself."""
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
    """A number that is reported with the checks and does not affect the verdict.

    Example:
        >>> print(Figure("t-closeness", "income", 0.25, "the largest distance"))
        figure  t-closeness of income: 0.25 (the largest distance)
    """

    name: str
    column: str
    """The column that it describes."""
    value: int | float
    what: str
    """Its meaning."""

    def as_dict(self) -> dict[str, object]:
        """The entry as plain values."""
        return {"name": self.name, "column": self.column, "value": self.value, "what": self.what}

    def __str__(self) -> str:
        value = f"{self.value:,}" if isinstance(self.value, int) else f"{self.value:,.4g}"
        return f"figure  {self.name} of {self.column}: {value} ({self.what})"


@dataclass(frozen=True)
class Verdict:
    """All checks of a release, and the parts of the promise that were not checked.

    Example:
        >>> verdict = Verdict((Check("cluster size", "every cluster has at least 5 records", 0, True),))
        >>> verdict.holds, verdict.failures
        (True, ())
        >>> print(Verdict(verdict.checks, (LeftOut("valid values", "it needs the rules"),)).head)
        the only check that was made holds, but 1 was left out, so the promise is not confirmed: valid values
    """

    checks: tuple[Check, ...]
    left_out: tuple[LeftOut, ...] = ()
    """Parts of the promise that could not be checked with the given evidence."""
    figures: tuple[Figure, ...] = ()
    """Figures reported with the checks; they do not affect the verdict."""
    residuals: tuple[Residual, ...] = ()
    """Risks that the promise does not cover and that the files show, the largest first; they do not affect the
    verdict."""

    empty: tuple[Emptiness, ...] = ()
    """Why the release is worthless although the checks hold; printed first, does not affect the verdict."""

    promised: tuple[str, ...] = ()
    """The promises in words, printed between the outcome and the risks that they do not cover."""

    @classmethod
    def of_stages(
        cls,
        stages: Iterable[tuple[str, Iterable[Check | LeftOut | Figure]]],
        names: Sequence[str],
        run: Run,
    ) -> Verdict:
        """The verdict of an audit, stage by stage.

        Args:
            stages: the name of each stage, and its result; they run as they are read.
            names: the names of all stages, in their order; not every audit needs all of them.
            run: threads, progress and chance (:class:`shoal.Run`).
        """
        found: list[Check | LeftOut | Figure] = []
        for stage, outcomes in stages:
            found.extend(outcomes)
            run.report(stage, names.index(stage) + 1, len(names))
        return cls(
            tuple(outcome for outcome in found if isinstance(outcome, Check)),
            tuple(outcome for outcome in found if isinstance(outcome, LeftOut)),
            tuple(outcome for outcome in found if isinstance(outcome, Figure)),
        )

    @property
    def holds(self) -> bool:
        """Whether every check that was made holds; False without any checks."""
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
        """Whether every check holds and no part of the promise was left out."""
        return self.holds and not self.left_out

    @property
    def head(self) -> str:
        """The outcome in one line; it always names what was left out."""
        number, left = len(self.checks), len(self.left_out)
        names = ", ".join(entry.name for entry in self.left_out)
        if not self.holds:
            failed = f"{len(self.failures)} of {number} checks fail{self._in_fact}"
            return failed + (f"; left out: {names}" if left else "")
        if not left:
            return f"all {number} checks hold"
        made = "the only check that was made holds" if number == 1 else f"all {number} checks that were made hold"
        return f"{made}, but {left} {_were(left)} left out, so the promise is not confirmed: {names}"

    @property
    def _in_fact(self) -> str:
        """The actual outcome, if the only failure is that the promise could not be shown."""
        outcomes = {check.in_fact.outcome if check.in_fact else None for check in self.failures}
        if "broken" in outcomes:
            return ": the promise is broken"
        if None in outcomes:
            return ""
        if outcomes == {"kept"}:
            return ": the promise could not be shown, but is kept"
        return ": the promise could not be shown, and it is unknown whether it is broken"

    def __str__(self) -> str:
        # Names of columns come from outside: none of them begins a line.
        promised = (f"promised: {' '.join(words.split())}" for words in self.promised)
        residuals = (f"not covered: {one}" for one in self.residuals)
        entries = (*self.checks, *self.left_out, *self.figures)
        return "\n".join([*map(str, self.empty), self.head, *promised, *residuals, *map(str, entries)])


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def decided(name: str, what: str, checked: int, witness: str | None) -> Check:
    """A check that was made; it holds if there is no witness against it."""
    return Check(name, what, checked, witness is None, witness)


def not_checked(name: str, what: str, why: str) -> Check:
    """A check that was not made. It does not hold, and says why."""
    return Check(name, what, 0, False, f"not checked: {why}")
