"""What the functions of Shoal return, for annotations; each class is loaded when it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.analyse.answers import Answers, Support, Supports
    from shoal.analyse.disassociated.mine import ExpectedItemsets
    from shoal.analyse.node_rows.supports import NoisyCount
    from shoal.analyse.randomized.estimates import Estimate, Estimates
    from shoal.analyse.randomized.fake_thresholds import FakeThreshold
    from shoal.analyse.randomized.itemsets import EstimatedItemsets
    from shoal.analyse.randomized.rules import EstimatedRules
    from shoal.analyse.tables.aggregates import Aggregate
    from shoal.audit.attack.finding import Attacks
    from shoal.audit.verdict import Verdict
    from shoal.io.release_folder import Opened
    from shoal.measuring.baskets.common_utility import BasketUtility
    from shoal.measuring.baskets.kept_itemsets import KeptItemset
    from shoal.measuring.baskets.mining_error import MiningError
    from shoal.measuring.baskets.randomized_utility import RandomizedUtility
    from shoal.measuring.baskets.utility import Utility
    from shoal.measuring.metric import Metric
    from shoal.measuring.randomization.frontier import PrivacySettings
    from shoal.measuring.randomization.privacy import RandomizationPrivacy
    from shoal.measuring.risk.baskets import BasketRisk
    from shoal.measuring.risk.groups import GroupRisk
    from shoal.measuring.risk.tables import TableRisk
    from shoal.measuring.tables.generalization import Generalization
    from shoal.measuring.tables.utility import TableUtility
    from shoal.mining.group_associations import GroupAssociations
    from shoal.mining.itemsets import Itemsets
    from shoal.mining.negative_rules import NegativeRules
    from shoal.mining.rules import Rules
    from shoal.mining.task import Mined
    from shoal.release.trace import Trace
    from shoal.reporting.page import Report
    from shoal.study.advise import Advice
    from shoal.study.compare import Comparison
    from shoal.study.sweep import Sweep

# Where each name lives. It is loaded when it is first used: most uses of Shoal need few of them.
_HOMES = {
    "Advice": "shoal.study.advise",
    "Aggregate": "shoal.analyse.tables.aggregates",
    "Answers": "shoal.analyse.answers",
    "Attacks": "shoal.audit.attack.finding",
    "BasketRisk": "shoal.measuring.risk.baskets",
    "BasketUtility": "shoal.measuring.baskets.common_utility",
    "Comparison": "shoal.study.compare",
    "Estimate": "shoal.analyse.randomized.estimates",
    "EstimatedItemsets": "shoal.analyse.randomized.itemsets",
    "EstimatedRules": "shoal.analyse.randomized.rules",
    "Estimates": "shoal.analyse.randomized.estimates",
    "ExpectedItemsets": "shoal.analyse.disassociated.mine",
    "FakeThreshold": "shoal.analyse.randomized.fake_thresholds",
    "Generalization": "shoal.measuring.tables.generalization",
    "GroupAssociations": "shoal.mining.group_associations",
    "GroupRisk": "shoal.measuring.risk.groups",
    "Itemsets": "shoal.mining.itemsets",
    "KeptItemset": "shoal.measuring.baskets.kept_itemsets",
    "Metric": "shoal.measuring.metric",
    "Mined": "shoal.mining.task",
    "MiningError": "shoal.measuring.baskets.mining_error",
    "NegativeRules": "shoal.mining.negative_rules",
    "NoisyCount": "shoal.analyse.node_rows.supports",
    "Opened": "shoal.io.release_folder",
    "PrivacySettings": "shoal.measuring.randomization.frontier",
    "RandomizationPrivacy": "shoal.measuring.randomization.privacy",
    "RandomizedUtility": "shoal.measuring.baskets.randomized_utility",
    "Report": "shoal.reporting.page",
    "Rules": "shoal.mining.rules",
    "Support": "shoal.analyse.answers",
    "Supports": "shoal.analyse.answers",
    "Sweep": "shoal.study.sweep",
    "TableRisk": "shoal.measuring.risk.tables",
    "TableUtility": "shoal.measuring.tables.utility",
    "Trace": "shoal.release.trace",
    "Utility": "shoal.measuring.baskets.utility",
    "Verdict": "shoal.audit.verdict",
}

__all__ = [
    "Advice",
    "Aggregate",
    "Answers",
    "Attacks",
    "BasketRisk",
    "BasketUtility",
    "Comparison",
    "Estimate",
    "EstimatedItemsets",
    "EstimatedRules",
    "Estimates",
    "ExpectedItemsets",
    "FakeThreshold",
    "Generalization",
    "GroupAssociations",
    "GroupRisk",
    "Itemsets",
    "KeptItemset",
    "Metric",
    "Mined",
    "MiningError",
    "NegativeRules",
    "NoisyCount",
    "Opened",
    "PrivacySettings",
    "RandomizationPrivacy",
    "RandomizedUtility",
    "Report",
    "Rules",
    "Support",
    "Supports",
    "Sweep",
    "TableRisk",
    "TableUtility",
    "Trace",
    "Utility",
    "Verdict",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal.results' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
