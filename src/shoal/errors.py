"""The three ways in which Shoal fails, each with the exit code of the command line."""

from __future__ import annotations


class ShoalError(Exception):
    """Anything that Shoal raises on purpose."""

    exit_code = 4


class InputError(ShoalError, ValueError):
    """Something given to Shoal is wrong: a file, a line, a column, an option. The message says what to do."""

    exit_code = 2


class DamagedRelease(InputError):  # noqa: N818  (the message says what is wrong; the name says what it is)
    """A folder that is not a release, or no longer the one that was written."""


class Infeasible(ShoalError, ValueError):  # noqa: N818  (as above)
    """The request is well formed, but no release of these data can satisfy it."""

    exit_code = 3


class InternalError(ShoalError, AssertionError):
    """A mistake of ours. Nothing was published."""

    exit_code = 4
