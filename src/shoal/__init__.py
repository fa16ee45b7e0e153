"""Publish personal data under a stated promise, and check the promise from the published folder alone.

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
    from shoal.analyse.answers import Support, Supports
    from shoal.analyse.disassociated.mine import ExpectedItemsets, expected_itemsets
    from shoal.analyse.disassociated.reconstruct import reconstruct
    from shoal.analyse.disassociated.supports import supports
    from shoal.analyse.node_rows.supports import NoisyCount
    from shoal.analyse.randomized.estimates import Estimate, Estimates
    from shoal.analyse.randomized.fake_thresholds import FakeThreshold, fake_thresholds
    from shoal.analyse.randomized.itemsets import EstimatedItemsets, estimated_itemsets
    from shoal.analyse.randomized.rules import EstimatedRules, estimated_rules
    from shoal.analyse.randomized.supports import estimated_supports
    from shoal.analyse.tables.aggregates import Aggregate, aggregate_rows
    from shoal.analyse.tables.counts import count_rows
    from shoal.data.background import Background
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.errors import (
        DamagedRelease,
        EmptyRelease,
        Infeasible,
        InputError,
        InternalError,
        OutOfResources,
        ShoalError,
    )
    from shoal.generate.people import people
    from shoal.generate.quest import quest
    from shoal.io.background import read_background
    from shoal.io.baskets import read_baskets as read
    from shoal.io.hierarchies import read_hierarchy
    from shoal.io.release_folder import read_release
    from shoal.io.tables import read_table
    from shoal.measuring.baskets.common_utility import BasketUtility
    from shoal.measuring.baskets.kept_itemsets import KeptItemset, kept_itemsets
    from shoal.measuring.baskets.mining_error import MiningError, mining_error
    from shoal.measuring.baskets.randomized_utility import RandomizedUtility
    from shoal.measuring.baskets.utility import Utility
    from shoal.measuring.metric import Metric
    from shoal.measuring.randomization.frontier import PrivacySettings, privacy_frontier, privacy_settings
    from shoal.measuring.randomization.privacy import RandomizationPrivacy, randomization_privacy, release_privacy
    from shoal.measuring.risk.baskets import BasketRisk
    from shoal.measuring.risk.groups import GroupRisk, group_risk
    from shoal.measuring.risk.tables import TableRisk
    from shoal.measuring.tables.generalization import Generalization
    from shoal.measuring.tables.utility import TableUtility
    from shoal.mining.counting import count_itemsets
    from shoal.mining.group_associations import GroupAssociations, group_associations
    from shoal.mining.itemsets import Itemsets, closed_itemsets, frequent_itemsets, maximal_itemsets
    from shoal.mining.negative_rules import NegativeRules, negative_rules
    from shoal.mining.rules import Rules, association_rules
    from shoal.mining.top import top_itemsets
    from shoal.pipeline.attacking import attack
    from shoal.pipeline.measuring import measure
    from shoal.pipeline.risk import risk
    from shoal.pipeline.verifying import verify
    from shoal.promises import (
        DifferentialPrivacy,
        FrequencyDiversity,
        HiddenAssociations,
        KAnonymity,
        KmAnonymity,
        KmGeneralized,
        LDiversity,
        MatchingDiversity,
        NoCertainLinks,
        Randomization,
        SuppressedKm,
        UnboundedDifferentialPrivacy,
    )
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
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized
    from shoal.release.trace import Trace
    from shoal.report.page import Report
    from shoal.report.release_report import release_report
    from shoal.report.study_report import study_report
    from shoal.study.advise import Advice, advise
    from shoal.study.compare import Comparison, compare
    from shoal.study.sweep import Sweep, sweep

# Where each public name lives. It is loaded when it is first used: most uses of Shoal need few of them.
_HOMES = {
    "Advice": "shoal.study.advise",
    "Aggregate": "shoal.analyse.tables.aggregates",
    "Background": "shoal.data.background",
    "BasketRisk": "shoal.measuring.risk.baskets",
    "BasketUtility": "shoal.measuring.baskets.common_utility",
    "Bucketized": "shoal.release.bucketized",
    "Comparison": "shoal.study.compare",
    "DamagedRelease": "shoal.errors",
    "DifferentialPrivacy": "shoal.promises",
    "Disassociated": "shoal.release.disassociated",
    "Estimate": "shoal.analyse.randomized.estimates",
    "EstimatedItemsets": "shoal.analyse.randomized.itemsets",
    "EstimatedRules": "shoal.analyse.randomized.rules",
    "Estimates": "shoal.analyse.randomized.estimates",
    "EmptyRelease": "shoal.errors",
    "ExpectedItemsets": "shoal.analyse.disassociated.mine",
    "FakeThreshold": "shoal.analyse.randomized.fake_thresholds",
    "FrequencyDiversity": "shoal.promises",
    "Generalization": "shoal.measuring.tables.generalization",
    "Generalized": "shoal.release.generalized",
    "GeneralizedBaskets": "shoal.release.generalized_baskets",
    "GroupAssociations": "shoal.mining.group_associations",
    "GroupRisk": "shoal.measuring.risk.groups",
    "HiddenAssociations": "shoal.promises",
    "Hierarchy": "shoal.data.hierarchy",
    "Infeasible": "shoal.errors",
    "InputError": "shoal.errors",
    "InternalError": "shoal.errors",
    "Itemsets": "shoal.mining.itemsets",
    "KAnonymity": "shoal.promises",
    "KeptItemset": "shoal.measuring.baskets.kept_itemsets",
    "KmAnonymity": "shoal.promises",
    "KmGeneralized": "shoal.promises",
    "LDiversity": "shoal.promises",
    "MatchingDiversity": "shoal.promises",
    "Metric": "shoal.measuring.metric",
    "MiningError": "shoal.measuring.baskets.mining_error",
    "NegativeRules": "shoal.mining.negative_rules",
    "NoCertainLinks": "shoal.promises",
    "NoisyBaskets": "shoal.release.noisy_baskets",
    "NoisyCount": "shoal.analyse.node_rows.supports",
    "OutOfResources": "shoal.errors",
    "PrivacySettings": "shoal.measuring.randomization.frontier",
    "Randomization": "shoal.promises",
    "RandomizationPrivacy": "shoal.measuring.randomization.privacy",
    "Randomized": "shoal.release.randomized",
    "RandomizedUtility": "shoal.measuring.baskets.randomized_utility",
    "Report": "shoal.report.page",
    "Rules": "shoal.mining.rules",
    "ShoalError": "shoal.errors",
    "Support": "shoal.analyse.answers",
    "Supports": "shoal.analyse.answers",
    "SuppressedKm": "shoal.promises",
    "Sweep": "shoal.study.sweep",
    "Table": "shoal.data.table",
    "TableRisk": "shoal.measuring.risk.tables",
    "TableUtility": "shoal.measuring.tables.utility",
    "Trace": "shoal.release.trace",
    "Transactions": "shoal.data.transactions",
    "UnboundedDifferentialPrivacy": "shoal.promises",
    "Utility": "shoal.measuring.baskets.utility",
    "advise": "shoal.study.advise",
    "aggregate_rows": "shoal.analyse.tables.aggregates",
    "anatomy": "shoal.publish.anatomy",
    "association_rules": "shoal.mining.rules",
    "attack": "shoal.pipeline.attacking",
    "closed_itemsets": "shoal.mining.itemsets",
    "compare": "shoal.study.compare",
    "count_itemsets": "shoal.mining.counting",
    "count_rows": "shoal.analyse.tables.counts",
    "diffpart": "shoal.publish.diffpart",
    "disassociate": "shoal.publish.disassociation",
    "estimated_itemsets": "shoal.analyse.randomized.itemsets",
    "estimated_rules": "shoal.analyse.randomized.rules",
    "estimated_supports": "shoal.analyse.randomized.supports",
    "expected_itemsets": "shoal.analyse.disassociated.mine",
    "fake_thresholds": "shoal.analyse.randomized.fake_thresholds",
    "fakes": "shoal.publish.randomization",
    "frequent_itemsets": "shoal.mining.itemsets",
    "group_associations": "shoal.mining.group_associations",
    "group_risk": "shoal.measuring.risk.groups",
    "hybrid": "shoal.publish.randomization",
    "injector": "shoal.publish.injector",
    "k_anonymity": "shoal.publish.k_anonymity",
    "km_generalization": "shoal.publish.km_generalization",
    "kept_itemsets": "shoal.measuring.baskets.kept_itemsets",
    "mask": "shoal.publish.randomization",
    "maximal_itemsets": "shoal.mining.itemsets",
    "measure": "shoal.pipeline.measuring",
    "mining_error": "shoal.measuring.baskets.mining_error",
    "negative_rules": "shoal.mining.negative_rules",
    "people": "shoal.generate.people",
    "privacy_frontier": "shoal.measuring.randomization.frontier",
    "privacy_settings": "shoal.measuring.randomization.frontier",
    "quest": "shoal.generate.quest",
    "randomization_privacy": "shoal.measuring.randomization.privacy",
    "read": "shoal.io.baskets:read_baskets",
    "read_background": "shoal.io.background",
    "read_hierarchy": "shoal.io.hierarchies",
    "discreet": "shoal.quoting",
    "read_release": "shoal.io.release_folder",
    "read_table": "shoal.io.tables",
    "reconstruct": "shoal.analyse.disassociated.reconstruct",
    "release_privacy": "shoal.measuring.randomization.privacy",
    "release_report": "shoal.report.release_report",
    "risk": "shoal.pipeline.risk",
    "study_report": "shoal.report.study_report",
    "supports": "shoal.analyse.disassociated.supports",
    "sweep": "shoal.study.sweep",
    "top_itemsets": "shoal.mining.top",
    "verify": "shoal.pipeline.verifying",
}

__all__ = [
    "Advice",
    "Aggregate",
    "Background",
    "BasketRisk",
    "BasketUtility",
    "Bucketized",
    "Comparison",
    "DamagedRelease",
    "DifferentialPrivacy",
    "Disassociated",
    "EmptyRelease",
    "Estimate",
    "EstimatedItemsets",
    "EstimatedRules",
    "Estimates",
    "ExpectedItemsets",
    "FakeThreshold",
    "FrequencyDiversity",
    "Generalization",
    "Generalized",
    "GeneralizedBaskets",
    "GroupAssociations",
    "GroupRisk",
    "HiddenAssociations",
    "Hierarchy",
    "Infeasible",
    "InputError",
    "InternalError",
    "Itemsets",
    "KAnonymity",
    "KeptItemset",
    "KmAnonymity",
    "KmGeneralized",
    "LDiversity",
    "MatchingDiversity",
    "Metric",
    "MiningError",
    "NegativeRules",
    "NoCertainLinks",
    "NoisyBaskets",
    "NoisyCount",
    "OutOfResources",
    "PrivacySettings",
    "Randomization",
    "RandomizationPrivacy",
    "Randomized",
    "RandomizedUtility",
    "Report",
    "Rules",
    "ShoalError",
    "Support",
    "Supports",
    "SuppressedKm",
    "Sweep",
    "Table",
    "TableRisk",
    "TableUtility",
    "Trace",
    "Transactions",
    "UnboundedDifferentialPrivacy",
    "Utility",
    "advise",
    "aggregate_rows",
    "anatomy",
    "association_rules",
    "attack",
    "closed_itemsets",
    "compare",
    "count_itemsets",
    "count_rows",
    "diffpart",
    "disassociate",
    "discreet",
    "estimated_itemsets",
    "estimated_rules",
    "estimated_supports",
    "expected_itemsets",
    "fake_thresholds",
    "fakes",
    "frequent_itemsets",
    "group_associations",
    "group_risk",
    "hybrid",
    "injector",
    "k_anonymity",
    "kept_itemsets",
    "km_generalization",
    "mask",
    "maximal_itemsets",
    "measure",
    "mining_error",
    "negative_rules",
    "people",
    "privacy_frontier",
    "privacy_settings",
    "quest",
    "randomization_privacy",
    "read",
    "read_background",
    "read_hierarchy",
    "read_release",
    "read_table",
    "reconstruct",
    "release_privacy",
    "release_report",
    "risk",
    "study_report",
    "supports",
    "sweep",
    "top_itemsets",
    "verify",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    value = getattr(importlib.import_module(module), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
