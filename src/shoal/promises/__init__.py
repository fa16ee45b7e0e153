"""Promises: values that the publisher and the auditor share.

A promise is validated when it is created. It states itself in words, and it states what it does *not* cover. Both texts
go into the manifest of every release that makes it.
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
