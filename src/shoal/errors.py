"""The errors that Shoal raises, each with the exit code of the command line."""

from __future__ import annotations

from typing import Literal

from shoal.quoting import escaped
from shoal.speaking import spoken

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
        """Take a message: in Python options become arguments; characters that could control a terminal are escaped."""
        super().__init__(*(escaped(spoken(one), keep="\n\t") if isinstance(one, str) else one for one in args))


class InputError(ShoalError, ValueError):
    """Something given to Shoal is wrong: a file, a line, a column, an option. The message says what to do."""

    exit_code = 2


class DamagedRelease(InputError):  # noqa: N818  (the message says what is wrong; the name says what it is)
    """A folder that is not a release, or was changed after it was written: a check of the folder fails."""

    exit_code = 1


class NotARelease(DamagedRelease):
    """A file, or a folder with other contents: probably a misspelt name rather than a damaged release."""

    exit_code = 2


class OutOfResources(InputError):  # noqa: N818  (as above)
    """Too little memory, or too few processes or open files, on this machine or under a limit; says what to raise."""


class Infeasible(ShoalError, ValueError):  # noqa: N818  (as above)
    """The request is well formed, but no release of these data can satisfy it."""

    exit_code = 3


EmptyKind = Literal["total loss", "empty promise"]
"""Total loss: nothing is left of the data. Empty promise: nothing is protected."""


class EmptyRelease(Infeasible):
    """The release would keep its promise, but would be worth nothing; ``even_if_empty`` publishes it anyway."""

    def __init__(self, kind: EmptyKind, words: str, advice: str) -> None:
        """Build the message: what is empty, and what to change.

        Args:
            kind: what is empty.
            words: what was found, with the numbers of the release.
            advice: what to change.
        """
        self.kind: EmptyKind = kind
        self.reason = f"{words}. {advice}"
        super().__init__(
            f"{kind}: {self.reason} Nothing was published; --even-if-empty publishes such a release anyway, and every "
            "report about it begins with this warning."
        )


class InternalError(ShoalError, AssertionError):
    """A bug in Shoal. Nothing was published."""

    exit_code = 4
