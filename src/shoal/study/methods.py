"""Every method of publishing by its name: what it takes, what it promises, whom it serves, and how it is called.

A registry as data, so that a comparison, a sweep over settings and an advice all speak of the same methods. Publishers
are loaded when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from shoal.errors import InputError
from shoal.limits import require_number, require_share, require_text, require_whole
from shoal.promises.randomized import require_fakes, require_keep_prob
from shoal.quoting import shown
from shoal.release import Release
from shoal.study.original import About, Original
from shoal.suggestions import did_you_mean

Progress = Callable[[str, int, int], None]
Settings = Mapping[str, Any]
"""Parameters by name, as plain values."""

NEEDS = {
    "identity": "whoever knows a little of a person finds several records that may be theirs, or none for certain",
    "attributes": "whoever finds a person's record, or their group, does not learn for certain what they have",
    "membership": "nobody learns whether a person is among the data at all",
    "exact values": "items and values are published as they are: none stands for a group of them",
    "nothing invented": "what is published of records is true of them: nothing is flipped, made up or noisy",
}
"""What a steward may need, each in words."""


@dataclass(frozen=True)
class Parameter:
    """A number or a word that methods take."""

    default: Any
    words: str
    """What it says."""
    check: Callable[[Any], None]
    """Refuses a value that no data could make sense of."""


def _maybe_whole(name: str, least: int) -> Callable[[Any], None]:
    return lambda value: None if value is None else require_whole(name, value, least=least)


def _above_zero(value: Any) -> None:
    require_number("epsilon", value, least=0, most=1_000)
    if value == 0:
        raise InputError("epsilon is 0: then nothing of the data may be seen; give a number above 0")


def _below_one(value: Any) -> None:
    require_number("max_suppressed", value, least=0, most=1)
    if value == 1:
        raise InputError("max_suppressed is 1: if every row may go, nothing is left to publish")


def _one_of(name: str, *known: str) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if value not in known:
            raise InputError(
                f"{name} is {shown(value)}{did_you_mean(str(value), known)}: it must be one of {', '.join(known)}"
            )

    return check


def _some_items(value: Any) -> None:
    if not isinstance(value, list | tuple) or not value:
        raise InputError("no sensitive item is named: name those that must stay linked to nothing (--sensitive ITEM)")
    for name in value:
        require_text("a sensitive item", name)


PARAMETERS: Mapping[str, Parameter] = {
    "k": Parameter(5, "how many records or rows one must be hidden among", partial(require_whole, "k", least=2)),
    "m": Parameter(2, "how many items of a record an adversary may know", partial(require_whole, "m", least=1)),
    "l": Parameter(3, "how many sensitive values must be reckoned with", partial(require_whole, "l", least=2)),
    "sensitive": Parameter((), "the items of baskets that must stay linked to nothing", _some_items),
    "epsilon": Parameter(1.0, "the budget of differential privacy", _above_zero),
    "keep_prob": Parameter(0.9, "the chance that an item stays as it is", require_keep_prob),
    "fakes": Parameter(1.0, "made-up records for each real one", require_fakes),
    "max_cluster_size": Parameter(None, "records a cluster may hold", _maybe_whole("max_cluster_size", 3)),
    "min_expectation": Parameter(
        0.9, "how surely a negative rule is no accident", lambda v: require_share("min_expectation", v, one=False)
    ),
    "max_suppressed": Parameter(0.0, "the share of rows that may be left out", _below_one),
    "hide": Parameter("greedy", "how associations are hidden", _one_of("hide", "greedy", "iga", "resistant")),
    "support": Parameter(0.1, "the share of a group from which on a rule counts", partial(require_share, "support")),
    "confidence": Parameter(0.5, "the confidence that no association may reach", partial(require_share, "confidence")),
    "seed": Parameter(None, "stands in for chance, for experiments", _maybe_whole("seed", 0)),
}


@dataclass(frozen=True)
class Method:
    """A method of publishing, with all that many runs of it need to know."""

    name: str
    about: About
    parameters: tuple[str, ...]
    """The names of the parameters that it takes."""
    promised: str
    """What it promises, in a few words, with places for its parameters."""
    serves: frozenset[str]
    """Which of :data:`NEEDS` it is made for."""
    call: Callable[[Original, Settings, Progress | None], Release]
    """Publishes in memory, from all of its parameters."""
    needs: str = ""
    """A parameter that has no default, if there is one: among all methods it runs only where that is given."""
    generalizes: bool = False
    """Whether it goes by the hierarchies of an original."""
    advised: Settings = field(default_factory=dict)
    """Parameters with which it is advised, where with its defaults it would serve a need in name only."""

    def settings(self, given: Settings) -> dict[str, Any]:
        """Its parameters: those that are given, and defaults for the others; one that it does not take is left out.

        Raises:
            InputError: a value is out of range.
        """
        found = {name: given.get(name, PARAMETERS[name].default) for name in self.parameters}
        for name, value in found.items():
            PARAMETERS[name].check(value)
        return found

    def promise(self, settings: Settings) -> str:
        """What it promises with these settings, in a few words; the whole promise is that of the release."""
        return self.promised.format(**settings)

    def publish(self, original: Original, settings: Settings, progress: Progress | None = None) -> Release:
        """Publish in memory.

        Raises:
            InputError: the data do not have what the method needs.
            Infeasible: no release of these data can keep the promise.
        """
        assert original.about == self.about
        return self.call(original, settings, progress)


def methods_about(about: About) -> list[Method]:
    """All methods for this kind of data, in the order in which they are shown."""
    return [method for method in METHODS.values() if method.about == about]


def chosen(names: str | Iterable[str], about: About, given: Container[str] = ()) -> list[Method]:
    """The methods of these names, or all for this kind of data that can do with the parameters that are given.

    Raises:
        InputError: there is no such method, or it is about the other kind of data, or none is named.

    Example:
        >>> [method.name for method in chosen("mask,fakes", "baskets")]
        ['mask', 'fakes']
    """
    if names == "all":
        return [method for method in methods_about(about) if not method.needs or method.needs in given]
    parts = names.split(",") if isinstance(names, str) else names
    wanted = list(dict.fromkeys(ALIASES.get(name.strip(), name.strip()) for name in parts if name.strip()))
    known = [method.name for method in methods_about(about)]
    if not wanted:
        raise InputError(f"no method is named: give 'all', or some of {', '.join(known)}")
    for name in wanted:
        if name in METHODS and name not in known:
            kind, hint = ("a table", "--quasi A,B reads a table") if about == "baskets" else ("baskets", "leave it out")
            raise InputError(
                f"{name} publishes {kind}, and these are {'baskets' if about == 'baskets' else 'a table'}: {hint}, or "
                f"choose among {', '.join(known)}"
            )
        if name not in known:
            meant = did_you_mean(name, known)
            raise InputError(f"there is no method {shown(name)}{meant} (methods: {', '.join(known)})")
    return [METHODS[name] for name in wanted]


def require_taken(given: Iterable[str], methods: Iterable[Method]) -> None:
    """Refuse parameters that are given and that none of the methods takes: they would change nothing.

    Raises:
        InputError: names the first of them.
    """
    taken = {name for method in methods for name in method.parameters}
    for name in given:
        if name not in taken:
            takers = [m.name for m in METHODS.values() if name in m.parameters and m.needs in ("", name)]
            raise InputError(f"{name} is about {', '.join(takers)}, none of which is run here: leave it out")


# --- baskets ---------------------------------------------------------------------------------------------------------


def _disassociate(original: Original, settings: Settings, progress: Progress | None, vertical: Any) -> Release:
    from shoal.publish.disassociation import disassociate

    return disassociate(original.baskets, **settings, vertical=vertical, progress=progress)


def _disassociate_sensitive(original: Original, settings: Settings, progress: Progress | None) -> Release:
    from shoal.publish.disassociation import disassociate

    return disassociate(original.baskets, **settings, progress=progress)


def _km_generalization(original: Original, settings: Settings, progress: Progress | None) -> Release:
    from shoal.publish.km_generalization import km_generalization

    return km_generalization(original.baskets, **settings, hierarchy=original.hierarchy, progress=progress)


def _diffpart(original: Original, settings: Settings, progress: Progress | None) -> Release:
    from shoal.publish.diffpart import diffpart

    # What nobody gave is made again there: its list of items is that of the data, and the promise says so.
    given = None if original.made else original.hierarchy
    return diffpart(original.baskets, **settings, hierarchy=given, progress=progress)


def _randomize(original: Original, settings: Settings, progress: Progress | None, name: str) -> Release:
    from shoal.publish import randomization

    release: Release = getattr(randomization, name)(original.baskets, **settings, progress=progress)
    return release


# --- tables ----------------------------------------------------------------------------------------------------------


def _anatomy(original: Original, settings: Settings, progress: Progress | None) -> Release:
    from shoal.publish.anatomy import anatomy

    return anatomy(original.table, **settings, progress=progress)


def _injector(original: Original, settings: Settings, progress: Progress | None) -> Release:
    # Rules are those of values: hierarchies that are given say how to generalize, not what an adversary knows.
    from shoal.publish.injector import injector

    return injector(original.table, **settings, progress=progress)


def _generalize(original: Original, settings: Settings, progress: Progress | None, strategy: Any) -> Release:
    from shoal.publish.k_anonymity import k_anonymity

    return k_anonymity(
        original.table,
        settings["k"],
        hierarchies=original.hierarchies,
        strategy=strategy,
        max_suppressed=settings["max_suppressed"],
        hide=settings.get("hide"),
        min_support=settings.get("support", PARAMETERS["support"].default),
        min_confidence=settings.get("confidence", PARAMETERS["confidence"].default),
        progress=progress,
    )


_TRUE = frozenset({"exact values", "nothing invented"})
_CLUSTERED = ("k", "m", "max_cluster_size")
_GENERALIZED = ("k", "max_suppressed")
_HIDDEN = (*_GENERALIZED, "hide", "support", "confidence")
_ALIKE = "at least k = {k} rows agree on all quasi-identifiers"
_SHOWS_NO = _ALIKE + "; groups show no association of confidence {confidence:g} (hiding: {hide})"
# Cells that the others hide are those of frequent values: whoever fills them by these gets most of them right.
_AGAINST_FILLING = {"hide": "resistant"}

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "disassociate",
            "baskets",
            _CLUSTERED,
            "k^m, k = {k}, m = {m}",
            _TRUE | {"identity"},
            partial(_disassociate, vertical="greedy"),
        ),
        Method(
            "dls",
            "baskets",
            _CLUSTERED,
            "k^m of what was not suppressed, k = {k}, m = {m}",
            _TRUE | {"identity"},
            partial(_disassociate, vertical="dls"),
        ),
        Method(
            "disassociate-l",
            "baskets",
            ("k", "m", "l", "sensitive", "max_cluster_size"),
            "k^m, k = {k}, m = {m}; a sensitive item belongs to at most one in l = {l} records of a cluster",
            _TRUE | {"identity", "attributes"},
            _disassociate_sensitive,
            needs="sensitive",
        ),
        Method(
            "km-generalization",
            "baskets",
            ("k", "m"),
            "k^m of generalized items, k = {k}, m = {m}",
            frozenset({"identity", "nothing invented"}),
            _km_generalization,
            generalizes=True,
        ),
        Method(
            "diffpart",
            "baskets",
            ("epsilon", "seed"),
            "epsilon = {epsilon:g}, one record added or removed",
            frozenset({"identity", "attributes", "membership", "exact values"}),
            _diffpart,
            generalizes=True,
        ),
        Method(
            "mask",
            "baskets",
            ("keep_prob", "seed"),
            "every item kept as it is with chance {keep_prob:g}, else flipped",
            frozenset({"attributes", "exact values"}),
            partial(_randomize, name="mask"),
        ),
        Method(
            "fakes",
            "baskets",
            ("fakes", "seed"),
            "made-up records are mixed in, {fakes:g} for each real one",
            frozenset({"exact values"}),
            partial(_randomize, name="fakes"),
        ),
        Method(
            "hybrid",
            "baskets",
            ("keep_prob", "fakes", "seed"),
            "made-up records are mixed in, {fakes:g} for each real one; then items kept with chance {keep_prob:g}",
            frozenset({"attributes", "exact values"}),
            partial(_randomize, name="hybrid"),
        ),
        Method(
            "anatomy",
            "tables",
            ("l", "seed"),
            "a sensitive value belongs to at most one in l = {l} rows of a group",
            _TRUE | {"attributes"},
            _anatomy,
        ),
        Method(
            "injector",
            "tables",
            ("l", "min_expectation", "seed"),
            "l = {l} sensitive values are left for every row by the negative rules of the data",
            _TRUE | {"attributes"},
            _injector,
        ),
        *(
            Method(
                f"{strategy}{'-hidden' if hidden else ''}",
                "tables",
                _HIDDEN if hidden else _GENERALIZED,
                _SHOWS_NO if hidden else _ALIKE,
                frozenset({"identity", "nothing invented", *(["attributes"] if hidden else [])}),
                partial(_generalize, strategy=strategy),
                generalizes=True,
                advised=_AGAINST_FILLING if hidden else {},
            )
            for strategy in ("bottom-up", "mondrian")
            for hidden in (False, True)
        ),
    )
}
"""All methods by name: those of baskets, then those of tables."""

ALIASES: Mapping[str, str] = {"k-anonymity": "bottom-up"}
"""Names of commands that publish, where a method is called otherwise: by what such a command does by default."""
