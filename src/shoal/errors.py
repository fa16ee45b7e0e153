"""The three ways in which Shoal fails, each with the exit code of the command line."""

from __future__ import annotations

from typing import Literal

from shoal.quoting import escaped

__all__ = [
    "DamagedRelease",
    "EmptyRelease",
    "Infeasible",
    "InputError",
    "InternalError",
    "OutOfResources",
    "ShoalError",
]


class ShoalError(Exception):
    """Anything that Shoal raises on purpose."""

    exit_code = 4

    def __init__(self, *args: object) -> None:
        """Take a message; whatever in it could steer a terminal becomes an escape."""
        super().__init__(*(escaped(one, keep="\n\t") if isinstance(one, str) else one for one in args))


class InputError(ShoalError, ValueError):
    """Something given to Shoal is wrong: a file, a line, a column, an option. The message says what to do."""

    exit_code = 2


class DamagedRelease(InputError):  # noqa: N818  (the message says what is wrong; the name says what it is)
    """A folder that is not a release, or no longer the one that was written: a check of the folder says no."""

    exit_code = 1


class NotARelease(DamagedRelease):
    """A file, or a folder of something else: a name was mistyped, rather than a release damaged."""

    exit_code = 2


class OutOfResources(InputError):  # noqa: N818  (as above)
    """The machine, or a limit, gave too little memory, or too few processes or open files. It says what to raise."""


class Infeasible(ShoalError, ValueError):  # noqa: N818  (as above)
    """The request is well formed, but no release of these data can satisfy it."""

    exit_code = 3


EmptyKind = Literal["total loss", "empty promise"]
"""Nothing is left of the data; or nothing is protected."""


class EmptyRelease(Infeasible):
    """A release would keep every condition of its promise and be worth nothing; ``even_if_empty`` publishes it."""

    def __init__(self, kind: EmptyKind, words: str, advice: str) -> None:
        """Say what is so, and what to do about it.

        Args:
            kind: what is empty.
            words: what is so, with the numbers of the release.
            advice: what to change.
        """
        self.kind: EmptyKind = kind
        self.reason = f"{words}. {advice}"
        super().__init__(
            f"{kind}: {self.reason} Nothing was published; --even-if-empty publishes such a release all the same, and "
            "everything that is said of it begins with this."
        )


class InternalError(ShoalError, AssertionError):
    """A mistake of ours. Nothing was published."""

    exit_code = 4
