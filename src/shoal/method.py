"""What a method of publishing is: an entry of the list of methods, with what it takes, promises and serves.

An entry is plain data. What computes is named as text (``module:attribute``) and loaded when it is asked for, so that
the list costs nothing to read and can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from shoal.loading import loaded
from shoal.parameters import PARAMETERS, Parameter
from shoal.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.study.original import About, Original

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
class Risk:
    """What follows from a promise: less is safer."""

    need: str
    """Which of :data:`NEEDS` it is about."""
    parameters: tuple[str, ...]
    """The parameters that it is made of; others may be swept, too, and give curves of their own."""
    words: str
    """What it is the chance of."""
    number: str
    """``number(original, settings)``: the chance, for data and all parameters of the method."""

    def of(self, original: Original, settings: Settings) -> float:
        """The number, for data and all parameters of the method."""
        found: float = loaded(self.number)(original, settings)
        return found


@dataclass(frozen=True)
class Method:
    """A method of publishing, with all that anything else needs to know of it."""

    name: str
    shape: str
    """The shape of its releases, which says what data it takes."""
    makes: str
    """What manifests name as the method of its releases."""
    publish: str
    """``publish(data, *, progress, **parameters)``: the release, in memory."""
    parameters: tuple[str, ...]
    """The names of the parameters that it takes."""
    promised: str
    """What it promises, in a few words, with places for its parameters."""
    serves: frozenset[str]
    """Which of :data:`NEEDS` it is made for."""
    risks: tuple[Risk, ...]
    """What follows from its promise, the usual one first."""
    summary: str
    """What it does, in a line."""
    command: str = ""
    """The command that publishes by it, where that has another name."""
    words: tuple[str, ...] = ()
    """The words by which that command takes this method."""
    options: str = ""
    """``options(file, ...)``: the command, where it has more options than parameters; else one is made of these."""
    fixed: Settings = field(default_factory=dict)
    """What its function is called with, beside its parameters."""
    keywords: Mapping[str, str] = field(default_factory=dict)
    """What its function calls a parameter, where that has another name."""
    helps: Mapping[str, str] = field(default_factory=dict)
    """What a parameter means here, where that can be said better."""
    hierarchy: Literal["", "given", "any"] = ""
    """Whether it generalizes by hierarchies: those that are given, or also those that studies made."""
    needs: str = ""
    """A parameter that has no default, if there is one: among all methods it runs only where that is given."""
    advised: Settings = field(default_factory=dict)
    """Parameters with which it is advised, where with its defaults it would serve a need in name only."""
    promises_less_than: str = ""
    """A method of the same kind with a stronger promise, if there is one."""

    @property
    def kind(self) -> Shape:
        """The shape of its releases."""
        return SHAPES[self.shape]

    @property
    def about(self) -> About:
        """The kind of data that it takes."""
        return "baskets" if self.kind.data == "baskets" else "tables"

    @property
    def published_by(self) -> str:
        """The name of the command that publishes by it."""
        return self.command or self.name

    @property
    def generalizes(self) -> bool:
        """Whether it goes by hierarchies."""
        return bool(self.hierarchy)

    def help(self, name: str) -> str:
        """What a parameter means here."""
        return self.helps.get(name, PARAMETERS[name].help)

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

    def risk_of(self, swept: Sequence[str]) -> Risk:
        """The risk that a sweep of these parameters is about: the first that one of them is part of."""
        return next((risk for risk in self.risks if set(risk.parameters) & set(swept)), self.risks[0])

    def risk_for(self, needs: Sequence[str]) -> Risk:
        """The risk that is about one of these needs: the first, or the usual one where none is."""
        return next((risk for risk in self.risks if risk.need in needs), self.risks[0])

    def make(self, original: Original, settings: Settings, progress: Progress | None = None) -> Release:
        """Publish in memory, from all of its parameters.

        Raises:
            InputError: the data do not have what the method needs.
            Infeasible: no release of these data can keep the promise.
        """
        assert original.about == self.about
        given = {self.keywords.get(name, name): value for name, value in settings.items()}
        trees = original.trees(made=self.hierarchy == "any") if self.hierarchy else {}
        release: Release = loaded(self.publish)(original.data, **self.fixed, **given, **trees, progress=progress)
        return release

    def schema(self) -> dict[str, Any]:
        """A JSON Schema of its parameters: the form of a page, or the body of a request.

        Example:
            >>> from shoal.methods import METHODS
            >>> METHODS["mask"].schema()["properties"].keys()
            dict_keys(['keep_prob', 'seed'])
        """
        properties = {name: {**PARAMETERS[name].schema(), "description": self.help(name)} for name in self.parameters}
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.name,
            "description": self.summary,
            "type": "object",
            "properties": properties,
            "required": [self.needs] if self.needs else [],
            "additionalProperties": False,
        }

    def as_dict(self) -> dict[str, Any]:
        """The entry with those of its parameters as plain values, for another process."""
        parameters = [PARAMETERS[name].as_dict() for name in self.parameters]
        return {**asdict(self), "serves": sorted(self.serves), "parameters": parameters}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Method:
        """What :meth:`as_dict` wrote, also by way of JSON; parameters of its own are known from now on."""
        parameters = [Parameter.from_dict(one) for one in entry["parameters"]]
        for one in parameters:
            PARAMETERS.setdefault(one.name, one)
        plain = {
            "parameters": tuple(one.name for one in parameters),
            "serves": frozenset(entry["serves"]),
            "risks": tuple(Risk(**{**one, "parameters": tuple(one["parameters"])}) for one in entry["risks"]),
            "words": tuple(entry["words"]),
        }
        return cls(**{**entry, **plain})
