"""Range checks of numbers given by a caller, with uniform messages."""

from __future__ import annotations

from shoal.errors import InputError
from shoal.quoting import given

MOST = 10**12
"""The largest number that any option accepts: such numbers are multiplied by each other in 64 bits."""
MOST_SEED = 2**64 - 1
LEAST_KEEP_PROB = 0.51
"""The least keep_prob for which supports can be estimated: at .5 the rows say nothing, and the matrix is singular."""
MOST_FAKES = 1_000_000
"""The largest number of fake transactions for each real one."""
MOST_EPSILON = 1_000
"""The largest epsilon: a larger budget promises nothing."""


def require_whole(name: str, value: object, *, least: int, most: int | None = None) -> None:
    """Refuse anything but a whole number in its range, by name; without ``most`` the range ends at ``MOST``.

    Example:
        >>> require_whole("k", 1, least=2)
        Traceback (most recent call last):
        ...
        shoal.errors.InputError: k is 1: it must be a whole number from 2 on
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        allowed = f"from {least:,} on" if most is None else f"from {least:,} to {most:,}"
        raise InputError(f"{name} is {given(value)}: it must be a whole number {allowed}")
    if value > (MOST if most is None else most):
        raise InputError(
            f"{name} is {given(value)}: it must be a whole number from {least:,} to {MOST if most is None else most:,}"
        )


def require_number(name: str, value: object, *, least: float, most: float, most_name: str = "") -> None:
    """Refuse anything but a number in its range, by name; not-a-number is out of every range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        called = f" ({most_name})" if most_name else ""
        raise InputError(f"{name} is {given(value)}: it must be a number from {least:,} to {most:,}{called}")


def require_share(name: str, value: object, *, one: bool = True) -> None:
    """Refuse anything but a number above 0 and up to 1 (or below 1), by name."""
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or not 0 < value <= 1 or (value == 1 and not one):  # type: ignore[operator]
        raise InputError(f"{name} is {given(value)}: it must be a number above 0 and {'up to' if one else 'below'} 1")


def require_text(name: str, value: object) -> None:
    """Refuse anything but a non-empty text, by name."""
    if not isinstance(value, str) or not value:
        raise InputError(f"{name} is {given(value)}: it must be a name")
