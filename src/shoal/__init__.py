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
    from shoal.analyse.estimated_itemsets import EstimatedItemsets, estimated_itemsets
    from shoal.analyse.estimated_rules import EstimatedRules, estimated_rules
    from shoal.analyse.estimated_supports import estimated_supports
    from shoal.analyse.estimates import Estimate, Estimates
    from shoal.analyse.fake_thresholds import FakeThreshold, fake_thresholds
    from shoal.analyse.mine import ExpectedItemsets, expected_itemsets
    from shoal.analyse.node_supports import NoisyCount
    from shoal.analyse.reconstruct import reconstruct
    from shoal.analyse.supports import supports
    from shoal.analyse.table_aggregates import Aggregate, aggregate_rows
    from shoal.analyse.table_counts import count_rows
    from shoal.assess import randomized_utility, risk, utility
    from shoal.data.background import Background
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.errors import DamagedRelease, Infeasible, InputError, InternalError, ShoalError
    from shoal.generate.people import people
    from shoal.generate.quest import quest
    from shoal.io.background import read_background
    from shoal.io.baskets import read_baskets as read
    from shoal.io.hierarchies import read_hierarchy
    from shoal.io.release_folder import read_release
    from shoal.io.tables import read_table
    from shoal.measure.basket_utility import BasketUtility, basket_utility
    from shoal.measure.generalization import Generalization, generalization
    from shoal.measure.group_risk import GroupRisk, group_risk
    from shoal.measure.kept_itemsets import KeptItemset, kept_itemsets
    from shoal.measure.metric import Metric
    from shoal.measure.mining_error import MiningError, mining_error
    from shoal.measure.privacy import RandomizationPrivacy, randomization_privacy, release_privacy
    from shoal.measure.privacy_frontier import PrivacySettings, privacy_frontier, privacy_settings
    from shoal.measure.randomized_utility import RandomizedUtility
    from shoal.measure.risk import BasketRisk
    from shoal.measure.table_risk import TableRisk
    from shoal.measure.table_utility import TableUtility, table_utility
    from shoal.measure.utility import Utility
    from shoal.mining.counting import count_itemsets
    from shoal.mining.group_associations import GroupAssociations, group_associations
    from shoal.mining.itemsets import Itemsets, closed_itemsets, frequent_itemsets, maximal_itemsets
    from shoal.mining.negative_rules import NegativeRules, negative_rules
    from shoal.mining.rules import Rules, association_rules
    from shoal.mining.top import top_itemsets
    from shoal.pipeline import attack, verify
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
    from shoal.release.bucketized import Bucketized
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized
    from shoal.study.advise import Advice, advise
    from shoal.study.compare import Comparison, compare
    from shoal.study.sweep import Sweep, sweep

# Where each public name lives. It is loaded when it is first used: most uses of Shoal need few of them.
_HOMES = {
    "Advice": "shoal.study.advise",
    "Aggregate": "shoal.analyse.table_aggregates",
    "Background": "shoal.data.background",
    "BasketRisk": "shoal.measure.risk",
    "BasketUtility": "shoal.measure.basket_utility",
    "Bucketized": "shoal.release.bucketized",
    "Comparison": "shoal.study.compare",
    "DamagedRelease": "shoal.errors",
    "DifferentialPrivacy": "shoal.promises",
    "Disassociated": "shoal.release.disassociated",
    "Estimate": "shoal.analyse.estimates",
    "EstimatedItemsets": "shoal.analyse.estimated_itemsets",
    "EstimatedRules": "shoal.analyse.estimated_rules",
    "Estimates": "shoal.analyse.estimates",
    "ExpectedItemsets": "shoal.analyse.mine",
    "FakeThreshold": "shoal.analyse.fake_thresholds",
    "FrequencyDiversity": "shoal.promises",
    "Generalization": "shoal.measure.generalization",
    "Generalized": "shoal.release.generalized",
    "GeneralizedBaskets": "shoal.release.generalized_baskets",
    "GroupAssociations": "shoal.mining.group_associations",
    "GroupRisk": "shoal.measure.group_risk",
    "HiddenAssociations": "shoal.promises",
    "Hierarchy": "shoal.data.hierarchy",
    "Infeasible": "shoal.errors",
    "InputError": "shoal.errors",
    "InternalError": "shoal.errors",
    "Itemsets": "shoal.mining.itemsets",
    "KAnonymity": "shoal.promises",
    "KeptItemset": "shoal.measure.kept_itemsets",
    "KmAnonymity": "shoal.promises",
    "KmGeneralized": "shoal.promises",
    "LDiversity": "shoal.promises",
    "MatchingDiversity": "shoal.promises",
    "Metric": "shoal.measure.metric",
    "MiningError": "shoal.measure.mining_error",
    "NegativeRules": "shoal.mining.negative_rules",
    "NoCertainLinks": "shoal.promises",
    "NoisyBaskets": "shoal.release.noisy_baskets",
    "NoisyCount": "shoal.analyse.node_supports",
    "PrivacySettings": "shoal.measure.privacy_frontier",
    "Randomization": "shoal.promises",
    "RandomizationPrivacy": "shoal.measure.privacy",
    "Randomized": "shoal.release.randomized",
    "RandomizedUtility": "shoal.measure.randomized_utility",
    "Rules": "shoal.mining.rules",
    "ShoalError": "shoal.errors",
    "Support": "shoal.analyse.answers",
    "Supports": "shoal.analyse.answers",
    "SuppressedKm": "shoal.promises",
    "Sweep": "shoal.study.sweep",
    "Table": "shoal.data.table",
    "TableRisk": "shoal.measure.table_risk",
    "TableUtility": "shoal.measure.table_utility",
    "Transactions": "shoal.data.transactions",
    "UnboundedDifferentialPrivacy": "shoal.promises",
    "Utility": "shoal.measure.utility",
    "advise": "shoal.study.advise",
    "aggregate_rows": "shoal.analyse.table_aggregates",
    "anatomy": "shoal.publish.anatomy",
    "association_rules": "shoal.mining.rules",
    "attack": "shoal.pipeline",
    "basket_utility": "shoal.measure.basket_utility",
    "closed_itemsets": "shoal.mining.itemsets",
    "compare": "shoal.study.compare",
    "count_itemsets": "shoal.mining.counting",
    "count_rows": "shoal.analyse.table_counts",
    "diffpart": "shoal.publish.diffpart",
    "disassociate": "shoal.publish.disassociation",
    "estimated_itemsets": "shoal.analyse.estimated_itemsets",
    "estimated_rules": "shoal.analyse.estimated_rules",
    "estimated_supports": "shoal.analyse.estimated_supports",
    "expected_itemsets": "shoal.analyse.mine",
    "fake_thresholds": "shoal.analyse.fake_thresholds",
    "fakes": "shoal.publish.randomization",
    "frequent_itemsets": "shoal.mining.itemsets",
    "generalization": "shoal.measure.generalization",
    "group_associations": "shoal.mining.group_associations",
    "group_risk": "shoal.measure.group_risk",
    "hybrid": "shoal.publish.randomization",
    "injector": "shoal.publish.injector",
    "k_anonymity": "shoal.publish.k_anonymity",
    "km_generalization": "shoal.publish.km_generalization",
    "kept_itemsets": "shoal.measure.kept_itemsets",
    "mask": "shoal.publish.randomization",
    "maximal_itemsets": "shoal.mining.itemsets",
    "mining_error": "shoal.measure.mining_error",
    "negative_rules": "shoal.mining.negative_rules",
    "people": "shoal.generate.people",
    "privacy_frontier": "shoal.measure.privacy_frontier",
    "privacy_settings": "shoal.measure.privacy_frontier",
    "quest": "shoal.generate.quest",
    "randomization_privacy": "shoal.measure.privacy",
    "randomized_utility": "shoal.assess",
    "read": "shoal.io.baskets:read_baskets",
    "read_background": "shoal.io.background",
    "read_hierarchy": "shoal.io.hierarchies",
    "read_release": "shoal.io.release_folder",
    "read_table": "shoal.io.tables",
    "reconstruct": "shoal.analyse.reconstruct",
    "release_privacy": "shoal.measure.privacy",
    "risk": "shoal.assess",
    "supports": "shoal.analyse.supports",
    "sweep": "shoal.study.sweep",
    "table_utility": "shoal.measure.table_utility",
    "top_itemsets": "shoal.mining.top",
    "utility": "shoal.assess",
    "verify": "shoal.pipeline",
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
    "PrivacySettings",
    "Randomization",
    "RandomizationPrivacy",
    "Randomized",
    "RandomizedUtility",
    "Rules",
    "ShoalError",
    "Support",
    "Supports",
    "SuppressedKm",
    "Sweep",
    "Table",
    "TableRisk",
    "TableUtility",
    "Transactions",
    "UnboundedDifferentialPrivacy",
    "Utility",
    "advise",
    "aggregate_rows",
    "anatomy",
    "association_rules",
    "attack",
    "basket_utility",
    "closed_itemsets",
    "compare",
    "count_itemsets",
    "count_rows",
    "diffpart",
    "disassociate",
    "estimated_itemsets",
    "estimated_rules",
    "estimated_supports",
    "expected_itemsets",
    "fake_thresholds",
    "fakes",
    "frequent_itemsets",
    "generalization",
    "group_associations",
    "group_risk",
    "hybrid",
    "injector",
    "k_anonymity",
    "kept_itemsets",
    "km_generalization",
    "mask",
    "maximal_itemsets",
    "mining_error",
    "negative_rules",
    "people",
    "privacy_frontier",
    "privacy_settings",
    "quest",
    "randomization_privacy",
    "randomized_utility",
    "read",
    "read_background",
    "read_hierarchy",
    "read_release",
    "read_table",
    "reconstruct",
    "release_privacy",
    "risk",
    "supports",
    "sweep",
    "table_utility",
    "top_itemsets",
    "utility",
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
