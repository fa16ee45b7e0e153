"""Frequent itemset mining: itemsets (all, closed, maximal, top k), association rules, and counts of given sets."""

from __future__ import annotations

from shoal.mining.counting import count_itemsets
from shoal.mining.itemsets import Itemsets, closed_itemsets, frequent_itemsets, maximal_itemsets
from shoal.mining.rules import Rules, association_rules
from shoal.mining.support import least_count
from shoal.mining.top import top_itemsets

__all__ = [
    "Itemsets",
    "Rules",
    "association_rules",
    "closed_itemsets",
    "count_itemsets",
    "frequent_itemsets",
    "least_count",
    "maximal_itemsets",
    "top_itemsets",
]
