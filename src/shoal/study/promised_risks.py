"""The risk that follows from the promise of each method, as a number and in words.

Some promises bound a probability. Others state how many candidates remain: their risk is the probability if all
candidates were equally likely, and the words say so. Each is a probability, but of a different event: to pick a record,
to distinguish two data sets, to reconstruct an item. Numbers of different methods are not on one scale.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.measuring.randomization import reconstruction_chances as chances
from shoal.method import Settings
from shoal.study.original import Original


def one_in_k(_original: Original, settings: Settings) -> float:
    """One in k."""
    return 1 / int(settings["k"])


def one_in_l(_original: Original, settings: Settings) -> float:
    """One in l."""
    return 1 / int(settings["l"])


def told_apart(_original: Original, settings: Settings) -> float:
    """Distinguishing two data sets that differ in one record, by the bound of differential privacy."""
    return 1 / (1 + math.exp(-settings["epsilon"]))


def real(_original: Original, settings: Settings) -> float:
    """The probability that a row is real."""
    return chances.chance_of_rows(settings["fakes"])


def guessed_back(original: Original, settings: Settings) -> float:
    """R1, the mean over all ones of the data; with fake transactions, times the probability that a row is real."""
    supports = original.baskets.supports / len(original.baskets)
    ones = np.asarray(chances.chance_of_ones(supports, settings["keep_prob"]), np.float64)
    return chances.mean_over_ones(ones, supports) * chances.chance_of_rows(settings.get("fakes", 0.0))


def confidence(_original: Original, settings: Settings) -> float:
    """The confidence of the strongest association that may be shown."""
    return float(settings["confidence"])
