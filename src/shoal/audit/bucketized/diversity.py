"""How many different sensitive values a group has, and the share of its rows with the most frequent one.

X. Xiao, Y. Tao: Anatomy, VLDB 2006, definition 2. A release shows both; neither covers an adversary who knows that some
values are impossible for some rows (see ``matching.py``).
"""

from __future__ import annotations

import numpy as np

from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, value_name
from shoal.release.bucketized import Bucketized


def check_distinct(release: Bucketized) -> Check:
    """Every group has at least l different values."""
    wanted = release.promise.l
    numbers = np.diff(release.bucket_offsets)
    few = np.flatnonzero(numbers < min(wanted, len(release.values) + 1))
    witness = None
    if len(few):
        values = "1 value" if numbers[few[0]] == 1 else f"{int(numbers[few[0]]):,} different values"
        witness = f"group {int(few[0])} has {values} of {release.sensitive}" + and_more(len(few) - 1, "groups")
    what = f"every group has at least {wanted:,} different values of {release.sensitive}"
    return decided("different values", what, release.n_groups, witness)


def check_share(release: Bucketized) -> Check:
    """No value is in more than one in l rows of a group."""
    wanted = release.promise.l
    groups = release.bucket_groups
    # No group has more rows than the table, so any larger l requires the same.
    allowed = release.group_sizes // min(wanted, release.n_rows + 1)
    over = np.flatnonzero(release.bucket_counts > allowed[groups])
    witness = None
    if len(over):
        entry, group = int(over[0]), int(groups[over[0]])
        value = value_name(release.values, int(release.bucket_values[entry]))
        witness = (
            f"group {group} has {value} in {int(release.bucket_counts[entry]):,} of its "
            f"{int(release.group_sizes[group]):,} rows" + and_more(len(over) - 1, "values")
        )
    what = f"in every group each value of {release.sensitive} is in at most one in {wanted:,} rows"
    return decided("share of a value", what, len(groups), witness)
