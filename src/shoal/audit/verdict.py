"""What an audit found: one entry for each thing that was checked, with a witness for each that does not hold."""

from __future__ import annotations

from dataclasses import dataclass


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

    @property
    def refused(self) -> bool:
        """Whether it was not found wrong, but could not be checked."""
        return not self.holds and (self.witness or "").startswith("not checked")

    def as_dict(self) -> dict[str, str | int | bool | None]:
        """The entry as plain values."""
        return {
            "name": self.name,
            "what": self.what,
            "checked": self.checked,
            "holds": self.holds,
            "witness": self.witness,
        }

    def __str__(self) -> str:
        line = f"{'holds ' if self.holds else 'FAILS '}  {self.name}: {self.what} ({self.checked:,} checked)"
        return line if self.witness is None else f"{line}\n          {self.witness}"


@dataclass(frozen=True)
class Verdict:
    """Everything that was checked on a release.

    Example:
        >>> verdict = Verdict((Check("cluster size", "every cluster has at least 5 records", 0, True),))
        >>> verdict.holds, verdict.failures
        (True, ())
    """

    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether every check holds; a verdict without checks says nothing, and so does not hold."""
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
        return {"holds": self.holds, "checks": [check.as_dict() for check in self.checks]}

    def __str__(self) -> str:
        failures = len(self.failures)
        head = f"all {len(self.checks)} checks hold" if self.holds else f"{failures} of {len(self.checks)} checks fail"
        return "\n".join([head, *(str(check) for check in self.checks)])


def decided(name: str, what: str, checked: int, witness: str | None) -> Check:
    """A check that was carried out; it holds when there is no witness against it."""
    return Check(name, what, checked, witness is None, witness)


def not_checked(name: str, what: str, why: str) -> Check:
    """A check that was not carried out. It does not hold, and says why."""
    return Check(name, what, 0, False, f"not checked: {why}")
