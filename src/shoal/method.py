"""The entry of a publishing method in the list of methods: what it takes, promises and serves.

An entry is plain data. Functions are named as text (``module:attribute``) and loaded on use, so that the list costs
nothing to read and can be sent to another process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from shoal.loading import loaded
from shoal.parameters import PARAMETERS, Parameter
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.study.original import About, Original

Settings = Mapping[str, Any]
"""Parameters by name, as plain values."""

NEEDS = {
    "identity": "someone who knows a little about a person finds several possible records, or none for certain",
    "attributes": "someone who finds a person's record, or their group, does not learn for certain what they have",
    "membership": "nobody learns whether a person is in the data",
    "exact values": "items and values are published as they are: none is replaced by a group of them",
    "nothing invented": "what is published about records is true: nothing is flipped, fake or noisy",
}
"""The possible needs of a publisher, each in words."""


@dataclass(frozen=True)
class Risk:
    """A risk that follows from a promise: less is safer."""

    need: str
    """Which of :data:`NEEDS` it is about."""
    parameters: tuple[str, ...]
    """The parameters that determine it; others may be swept, too, and give separate curves."""
    words: str
    """The event whose probability it is."""
    number: str
    """``number(original, settings)``: the probability, for data and all parameters of the method."""

    def of(self, original: Original, settings: Settings) -> float:
        """The number, for data and all parameters of the method."""
        found: float = loaded(self.number)(original, settings)
        return found


@dataclass(frozen=True)
class Method:
    """A publishing method, with everything that other code needs to know about it."""

    name: str
    shape: str
    """The shape of its releases, which determines the kind of data."""
    makes: str
    """The method name in manifests of its releases."""
    publish: str
    """``publish(data, *, progress, **parameters)``: the release, in memory."""
    parameters: tuple[str, ...]
    """The names of the parameters that it takes."""
    promised: str
    """Its promise, in a few words, with placeholders for its parameters."""
    serves: frozenset[str]
    """Which of :data:`NEEDS` it serves."""
    risks: tuple[Risk, ...]
    """The risks that follow from its promise, the usual one first."""
    summary: str
    """A summary in one line."""
    command: str = ""
    """The command that publishes by it, if it has another name."""
    words: tuple[str, ...] = ()
    """The words by which that command selects this method."""
    options: str = ""
    """``options(file, ...)``: the command, if it has more options than parameters; otherwise it is built from these."""
    fixed: Settings = field(default_factory=dict)
    """Arguments of its function, in addition to its parameters."""
    keywords: Mapping[str, str] = field(default_factory=dict)
    """The name of a parameter in its function, if it has another name there."""
    helps: Mapping[str, str] = field(default_factory=dict)
    """The meaning of a parameter in this method, if it can be more specific."""
    hierarchy: Literal["", "given", "any"] = ""
    """Whether it generalizes by hierarchies: only given ones, or also those built by studies."""
    needs: str = ""
    """A parameter without a default, if there is one: when all methods run, this one runs only if it is given."""
    advised: Settings = field(default_factory=dict)
    """Parameters with which it is recommended, if with its defaults it would serve a need in name only."""
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
        """Whether it uses hierarchies."""
        return bool(self.hierarchy)

    def help(self, name: str) -> str:
        """The meaning of a parameter in this method."""
        return self.helps.get(name, PARAMETERS[name].help)

    def settings(self, given: Settings) -> dict[str, Any]:
        """Its parameters: the given ones, and defaults for the others; parameters that it does not take are left out.

        Raises:
            InputError: a value is out of range.
        """
        found = {name: given.get(name, PARAMETERS[name].default) for name in self.parameters}
        for name, value in found.items():
            PARAMETERS[name].check(value)
        return found

    def promise(self, settings: Settings) -> str:
        """Its promise with these settings, in a few words; the full promise is that of the release."""
        return self.promised.format(**settings)

    def risk_of(self, swept: Sequence[str]) -> Risk:
        """The risk in a sweep of these parameters: the first risk that one of them affects."""
        return next((risk for risk in self.risks if set(risk.parameters) & set(swept)), self.risks[0])

    def risk_for(self, needs: Sequence[str]) -> Risk:
        """The risk for these needs: the first that is about one of them, or else the usual one."""
        return next((risk for risk in self.risks if risk.need in needs), self.risks[0])

    def make(self, original: Original, settings: Settings, run: Run = DEFAULT_RUN) -> Release:
        """Publish in memory, from all of its parameters.

        Raises:
            InputError: the data do not have what the method needs.
            Infeasible: no release of these data can keep the promise.
        """
        assert original.about == self.about
        given = {self.keywords.get(name, name): value for name, value in settings.items() if name != "seed"}
        trees = original.trees(made=self.hierarchy == "any") if self.hierarchy else {}
        release: Release = loaded(self.publish)(
            original.data, **self.fixed, **given, **trees, run=run.drawing(settings.get("seed", run.chance))
        )
        return release

    def schema(self) -> dict[str, Any]:
        """A JSON Schema of its parameters, for the form of a page, or the body of a request.

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
        """The entry, with its parameters as plain values, for another process."""
        parameters = [PARAMETERS[name].as_dict() for name in self.parameters]
        return {**asdict(self), "serves": sorted(self.serves), "parameters": parameters}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Method:
        """Read what :meth:`as_dict` wrote, also after a round trip through JSON; registers its own parameters."""
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
