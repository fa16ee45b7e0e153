"""Publish personal data under a stated promise, and check the promise from the published folder alone.

Each command has its name here. Promises, results and errors are in ``shoal.promises``, ``shoal.results`` and
``shoal.errors``.

Example:
    >>> import shoal
    >>> baskets = shoal.read([{"bread", "milk"}, {"bread", "milk"}, {"bread", "milk", "caviar"}])
    >>> release = shoal.disassociate(baskets, k=2, m=2)
    >>> release
    Disassociated(3 records in 1 clusters, KmAnonymity(k=2, m=2))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal import errors as errors
    from shoal import promises as promises
    from shoal import results as results
    from shoal.audit.attack.adversary import Adversary
    from shoal.data.background import Background
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.engine.threads import Threads
    from shoal.generate.people import people
    from shoal.generate.quest import quest
    from shoal.io.background import read_background
    from shoal.io.baskets import read_baskets as read
    from shoal.io.hierarchies import read_hierarchy
    from shoal.io.release_folder import open_release, read_release
    from shoal.io.tables import read_table
    from shoal.mining.group_associations import group_associations
    from shoal.mining.negative_rules import negative_rules
    from shoal.pipeline.asking import mine, query
    from shoal.pipeline.attacking import attack
    from shoal.pipeline.measuring import measure
    from shoal.pipeline.privacy import privacy
    from shoal.pipeline.risk import risk
    from shoal.pipeline.verifying import verify
    from shoal.publish.anatomy import anatomy
    from shoal.publish.diffpart import diffpart
    from shoal.publish.disassociation import disassociate
    from shoal.publish.injector import injector
    from shoal.publish.k_anonymity import k_anonymity
    from shoal.publish.km_generalization import km_generalization
    from shoal.publish.randomization import fakes, hybrid, mask
    from shoal.quoting import discreet
    from shoal.release.bucketized import Bucketized
    from shoal.release.disassociated import Disassociated
    from shoal.release.evidence import Evidence
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized
    from shoal.reporting.any_report import report
    from shoal.run import Run
    from shoal.study.advise import advise
    from shoal.study.choice import Needs
    from shoal.study.compare import compare
    from shoal.study.sweep import sweep

# Where each name lives. It is loaded when it is first used: most uses of Shoal need few of them.
_HOMES = {
    "Adversary": "shoal.audit.attack.adversary",
    "Background": "shoal.data.background",
    "Bucketized": "shoal.release.bucketized",
    "Disassociated": "shoal.release.disassociated",
    "Evidence": "shoal.release.evidence",
    "Generalized": "shoal.release.generalized",
    "GeneralizedBaskets": "shoal.release.generalized_baskets",
    "Hierarchy": "shoal.data.hierarchy",
    "Needs": "shoal.study.choice",
    "NoisyBaskets": "shoal.release.noisy_baskets",
    "Randomized": "shoal.release.randomized",
    "Run": "shoal.run",
    "Table": "shoal.data.table",
    "Threads": "shoal.engine.threads",
    "Transactions": "shoal.data.transactions",
    "advise": "shoal.study.advise",
    "anatomy": "shoal.publish.anatomy",
    "attack": "shoal.pipeline.attacking",
    "compare": "shoal.study.compare",
    "diffpart": "shoal.publish.diffpart",
    "disassociate": "shoal.publish.disassociation",
    "discreet": "shoal.quoting",
    "fakes": "shoal.publish.randomization",
    "group_associations": "shoal.mining.group_associations",
    "hybrid": "shoal.publish.randomization",
    "injector": "shoal.publish.injector",
    "k_anonymity": "shoal.publish.k_anonymity",
    "km_generalization": "shoal.publish.km_generalization",
    "mask": "shoal.publish.randomization",
    "measure": "shoal.pipeline.measuring",
    "mine": "shoal.pipeline.asking",
    "negative_rules": "shoal.mining.negative_rules",
    "open_release": "shoal.io.release_folder",
    "people": "shoal.generate.people",
    "privacy": "shoal.pipeline.privacy",
    "query": "shoal.pipeline.asking",
    "quest": "shoal.generate.quest",
    "read": "shoal.io.baskets:read_baskets",
    "read_background": "shoal.io.background",
    "read_hierarchy": "shoal.io.hierarchies",
    "read_release": "shoal.io.release_folder",
    "read_table": "shoal.io.tables",
    "report": "shoal.reporting.any_report",
    "risk": "shoal.pipeline.risk",
    "sweep": "shoal.study.sweep",
    "verify": "shoal.pipeline.verifying",
}
_MODULES = ("errors", "promises", "results")

__all__ = [
    "Adversary",
    "Background",
    "Bucketized",
    "Disassociated",
    "Evidence",
    "Generalized",
    "GeneralizedBaskets",
    "Hierarchy",
    "Needs",
    "NoisyBaskets",
    "Randomized",
    "Run",
    "Table",
    "Threads",
    "Transactions",
    "advise",
    "anatomy",
    "attack",
    "compare",
    "diffpart",
    "disassociate",
    "discreet",
    "fakes",
    "group_associations",
    "hybrid",
    "injector",
    "k_anonymity",
    "km_generalization",
    "mask",
    "measure",
    "mine",
    "negative_rules",
    "open_release",
    "people",
    "privacy",
    "query",
    "quest",
    "read",
    "read_background",
    "read_hierarchy",
    "read_release",
    "read_table",
    "report",
    "risk",
    "sweep",
    "verify",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"shoal.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(importlib.import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
