"""What is frequent in a disassociated release: sets and rules that are certain, and those that a model expects."""

from __future__ import annotations

from shoal.analyse.disassociated.mine import expected_itemsets
from shoal.analyse.disassociated.term_chunks import ANSWERS, TermItems
from shoal.mining.rules import association_rules
from shoal.mining.task import Mined, Task
from shoal.plural import counted
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run


def mine(
    release: Disassociated,
    task: Task,
    *,
    term_items: TermItems = ANSWERS,
    run: Run = DEFAULT_RUN,
) -> Mined:
    """The itemsets by their expected supports, or the rules between them."""
    sets = expected_itemsets(
        release,
        task.support,
        top=task.top,
        max_length=task.max_length,
        term_items=term_items,
        run=run,
    )
    reach = f"at least {sets.least:,} of {release.n_records:,} records"
    said = {"records": release.n_records, "term_items": term_items, "expected_if": sets.model}
    if task.min_confidence is not None:
        rules = association_rules(sets, task.min_confidence)
        certain = int(sets.certain[rules.wholes].sum())
        summary = (
            f"in {reach}: the items of {counted(certain, 'rule')} for certain; those of {len(rules):,} are expected "
            f"there, with such a confidence, if {sets.model}"
        )
        return Mined(rules, rules.to_arrow(), summary, said)
    certain = int(sets.certain.sum())
    summary = (
        f"in {reach}: {counted(certain, 'itemset')} for certain; {len(sets):,} are expected there, if {sets.model}"
    )
    return Mined(sets, sets.to_arrow(), summary, said)
