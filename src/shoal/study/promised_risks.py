"""The risk that follows from a promise itself, as a number and in words, for every method.

Some promises bound a chance. Others count what is left to choose from: of these the risk is what the chance would be if
all of it were equally likely, and the words say so. Each is a chance, but not the same one: to pick a record, to tell
two data sets apart, to guess an item back. Numbers of different methods are not on one scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from shoal.measuring.randomization import reconstruction_chances as chances
from shoal.study.methods import Settings
from shoal.study.original import Original


@dataclass(frozen=True)
class Risk:
    """What follows from a promise: less is safer."""

    need: str
    """Which of the needs that methods serve it is about."""
    parameters: tuple[str, ...]
    """The parameters that it is made of; others may be swept, too, and give curves of their own."""
    words: str
    """What it is the chance of."""
    of: Callable[[Original, Settings], float]
    """The number, for data and all parameters of the method."""


def risk_of(method: str, swept: Sequence[str]) -> Risk:
    """The risk that a sweep of these parameters is about: the first that one of them is part of."""
    risks = RISKS[method]
    return next((risk for risk in risks if set(risk.parameters) & set(swept)), risks[0])


def risk_for(method: str, needs: Sequence[str]) -> Risk:
    """The risk of a method that is about one of these needs: the first, or the usual one where none is."""
    risks = RISKS[method]
    return next((risk for risk in risks if risk.need in needs), risks[0])


def stronger_last(name: str, values: Sequence[Any]) -> list[Any]:
    """The values of a parameter in order, those that promise more last."""
    return sorted(values, reverse=name in LESS_IS_STRONGER)


LESS_IS_STRONGER = frozenset({"epsilon", "keep_prob", "confidence", "support", "min_expectation"})
"""Parameters of which a smaller number promises more: budgets, chances that nothing is hidden, thresholds of rules."""


def _one_in(name: str, _original: Original, settings: Settings) -> float:
    return 1 / int(settings[name])


def _told_apart(_original: Original, settings: Settings) -> float:
    return 1 / (1 + math.exp(-settings["epsilon"]))


def _real(_original: Original, settings: Settings) -> float:
    return chances.chance_of_rows(settings["fakes"])


def _guessed_back(original: Original, settings: Settings) -> float:
    """R1, the mean over all ones of the data, and with made-up records the chance that a row is real."""
    supports = original.baskets.supports / len(original.baskets)
    ones = np.asarray(chances.chance_of_ones(supports, settings["keep_prob"]), np.float64)
    return chances.mean_over_ones(ones, supports) * chances.chance_of_rows(settings.get("fakes", 0.0))


def _confidence(_original: Original, settings: Settings) -> float:
    return float(settings["confidence"])


_CANDIDATES = Risk(
    "identity",
    ("k",),
    "1/k: to pick a person's record among the k that may be theirs, for one who knows up to m of its items, were they "
    "equally likely, which is not promised",
    partial(_one_in, "k"),
)
_ROWS = Risk(
    "identity",
    ("k",),
    "1/k: to pick a person's row among the k that agree on all quasi-identifiers",
    partial(_one_in, "k"),
)
_SHOWN = Risk(
    "attributes",
    ("confidence",),
    "the confidence that no association of a group reaches, as the group shows it; guesses may do better",
    _confidence,
)

RISKS: Mapping[str, tuple[Risk, ...]] = {
    "disassociate": (_CANDIDATES,),
    "dls": (
        replace(_CANDIDATES, words=_CANDIDATES.words.replace("of its items", "of its items that were not suppressed")),
    ),
    "disassociate-l": (
        Risk(
            "attributes",
            ("l",),
            "1/l: to pick the owner of a sensitive item among the records of its cluster",
            partial(_one_in, "l"),
        ),
        _CANDIDATES,
    ),
    "km-generalization": (_CANDIDATES,),
    "diffpart": (
        Risk(
            "membership",
            ("epsilon",),
            "exp(epsilon) / (1 + exp(epsilon)): to tell whether one record was among the data, for one who knows all "
            "others and held both for equally likely; a coin has .5",
            _told_apart,
        ),
    ),
    "mask": (
        Risk(
            "attributes",
            ("keep_prob",),
            "to guess an item that a record has back from its row, by Bayes and with supports known: the mean over all "
            "items of all records",
            _guessed_back,
        ),
    ),
    "fakes": (
        Risk(
            "identity",
            ("fakes",),
            "1 / (1 + fakes): that a row that somebody picks is real, if real and made-up rows look alike; they do "
            "not quite (shoal attack)",
            _real,
        ),
    ),
    "hybrid": (
        Risk(
            "attributes",
            ("keep_prob", "fakes"),
            "that a row that somebody picks is real, and an item that it has is guessed back, by Bayes: the mean over "
            "all items of all records",
            _guessed_back,
        ),
    ),
    "anatomy": (
        Risk(
            "attributes",
            ("l",),
            "1/l: that a row of a group has a certain sensitive value of it",
            partial(_one_in, "l"),
        ),
    ),
    "injector": (
        Risk(
            "attributes",
            ("l",),
            "1/l: to pick a person's sensitive value among those that rules leave, were they equally likely, which is "
            "not promised",
            partial(_one_in, "l"),
        ),
    ),
    "bottom-up": (_ROWS,),
    "bottom-up-hidden": (_ROWS, _SHOWN),
    "mondrian": (_ROWS,),
    "mondrian-hidden": (_ROWS, _SHOWN),
}
"""Of each method what follows from its promise, the usual one first."""
