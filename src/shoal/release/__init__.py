"""Releases as plain data."""

from __future__ import annotations

from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

BasketRelease = Disassociated | Randomized | GeneralizedBaskets | NoisyBaskets
"""A release of baskets of any shape."""
TableRelease = Bucketized | Generalized
"""A release of a table of any shape."""
Release = BasketRelease | TableRelease
"""Any release of any shape."""
