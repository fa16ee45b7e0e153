"""Which methods a study runs: the named ones, or all that can run with the given parameters."""

from __future__ import annotations

from collections.abc import Container, Iterable

from shoal.errors import InputError
from shoal.methods import METHODS, Method, commands, methods_about, takers
from shoal.parameters import PARAMETERS
from shoal.quoting import shown
from shoal.study.original import About
from shoal.suggestions import did_you_mean


def chosen(names: str | Iterable[str], about: About, given: Container[str] = ()) -> list[Method]:
    """The methods of these names, or all for this kind of data that can run with the given parameters.

    Raises:
        InputError: there is no such method, or it is for the other kind of data, or none is named.

    Example:
        >>> [method.name for method in chosen("mask,fakes", "baskets")]
        ['mask', 'fakes']
    """
    if names == "all":
        return [method for method in methods_about(about) if not method.needs or method.needs in given]
    parts = names.split(",") if isinstance(names, str) else names
    wanted = list(dict.fromkeys(_by_command(name.strip()) for name in parts if name.strip()))
    known = [method.name for method in methods_about(about)]
    if not wanted:
        raise InputError(f"no method is named: give 'all', or some of {', '.join(known)}")
    for name in wanted:
        if name in METHODS and name not in known:
            kind, hint = ("a table", "name its quasi columns") if about == "baskets" else ("baskets", "remove it")
            raise InputError(
                f"{name} publishes {kind}, and these are {'baskets' if about == 'baskets' else 'a table'}: {hint}, or "
                f"choose among {', '.join(known)}"
            )
        if name not in known:
            meant = did_you_mean(name, known)
            raise InputError(f"there is no method {shown(name)}{meant} (methods: {', '.join(known)})")
    return [METHODS[name] for name in wanted]


def require_taken(given: Iterable[str], methods: Iterable[Method]) -> None:
    """Refuse given parameters that none of the methods takes: they would have no effect.

    Raises:
        InputError: names the first of them.
    """
    for name in given:
        if name not in PARAMETERS:
            raise InputError(f"there is no parameter {shown(name)}{did_you_mean(name, PARAMETERS)}")
    taken = {name for method in methods for name in method.parameters}
    for name in given:
        if name not in taken:
            others = ", ".join(method.name for method in takers(name))
            raise InputError(f"{name} is only used by {others}, none of which is run here: remove it")


def _by_command(name: str) -> str:
    """The name of a method; for a command that publishes by several methods, that of its default."""
    return commands()[name].name if name not in METHODS and name in commands() else name
