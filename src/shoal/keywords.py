"""Options that functions take as typed keywords: the value that holds them, with its defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from shoal.suggestions import did_you_mean

Value = TypeVar("Value")


def taken(value: type[Value], options: Mapping[str, Any], called: str) -> Value:
    """The value of the options that were given to a function; one that it does not have is refused by its name.

    Raises:
        TypeError: the function has no such option.
    """
    require_known(options, [field.name for field in fields(value)], called)  # type: ignore[arg-type]
    return value(**options)


def require_known(options: Iterable[str], known: Iterable[str], called: str) -> None:
    """Refuse options that a function does not have.

    Example:
        >>> require_known(["vertcal"], ["vertical"], "disassociate")
        Traceback (most recent call last):
        ...
        TypeError: disassociate() got an unexpected keyword argument 'vertcal' (did you mean 'vertical'?)
    """
    names = list(known)
    for name in sorted(set(options) - set(names)):
        raise TypeError(f"{called}() got an unexpected keyword argument '{name}'{did_you_mean(name, names)}")
