"""What can be promised, as values that the publisher and the auditor share.

A promise is valid from birth, says itself in words, and says what it does *not* cover: both go into the manifest of
every release that makes it.
"""

from __future__ import annotations

from shoal.promises.baskets import KmAnonymity, KmGeneralized, KmPromise, LDiversity, NoCertainLinks, SuppressedKm
from shoal.promises.differential_privacy import DifferentialPrivacy, UnboundedDifferentialPrivacy
from shoal.promises.randomized import Randomization
from shoal.promises.tables import (
    MEMBERSHIPS,
    BucketPromise,
    FrequencyDiversity,
    HiddenAssociations,
    KAnonymity,
    MatchingDiversity,
)

__all__ = [
    "MEMBERSHIPS",
    "BucketPromise",
    "DifferentialPrivacy",
    "FrequencyDiversity",
    "HiddenAssociations",
    "KAnonymity",
    "KmAnonymity",
    "KmGeneralized",
    "KmPromise",
    "LDiversity",
    "MatchingDiversity",
    "NoCertainLinks",
    "Randomization",
    "SuppressedKm",
    "UnboundedDifferentialPrivacy",
]
