"""What remains for an adversary who knows which values are impossible for which people.

T. Li, N. Li: Injector, 2008, sections II, V and VI.A (figure 4): rows with fewer than l valid values are vulnerable.
The remaining values are also weighed; matching l-diversity promises nothing about that.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from shoal.audit.attack.bucketized.assignments import count_chances
from shoal.audit.attack.finding import Finding, LeftOut, Row
from shoal.audit.bucketized.exclusions import exclude
from shoal.audit.bucketized.matching import allowance
from shoal.audit.bucketized.valid_values import find_valid
from shoal.audit.budget import OutOfBudget
from shoal.audit.residual import Residual
from shoal.audit.wording import row_name, value_names
from shoal.data.background import Background
from shoal.promises import FrequencyDiversity
from shoal.release.bucketized import Bucketized

NAME = "background knowledge"


def attack_background(release: Bucketized, background: Background, source: str, *, promised: bool) -> Finding | LeftOut:
    """Exclude for every row what the rules exclude, and count what remains.

    Args:
        release: A release whose structure was found valid.
        background: The rules.
        source: Where they come from, in words.
        promised: Whether the promise of the release covers these rules.
    """
    wanted = release.promise.l
    budget = allowance(release)
    try:
        exclusions = exclude(background, release.quasi, release.values, budget)
        valid = find_valid(release, exclusions, budget)
    except OutOfBudget:
        return LeftOut(NAME, "so many rules, kinds of rows and values would take too much work")
    kinds = valid.kinds
    chances = count_chances(release, valid)
    rows = kinds.size.tolist()
    few = valid.number < min(wanted, len(release.values) + 1)
    vulnerable = int(kinds.size[few].sum())
    stuck = int(release.group_sizes[valid.unassignable].sum())
    weighed = [(chance, size) for chance, size in zip(chances.largest, rows, strict=True) if chance is not None]
    above = sum(size for chance, size in weighed if chance > Fraction(1, wanted))
    numbers: Counter[int] = Counter()
    for number, size in zip(valid.number.tolist(), rows, strict=True):
        numbers[number] += size
    distribution: list[Row] = [{"valid_values": number, "rows": numbers[number]} for number in sorted(numbers)]
    breaks = promised and vulnerable > 0
    counted = {
        "rules": len(background),
        "rows": release.n_rows,
        "rows_with_an_excluded_value": int(np.count_nonzero(exclusions.row_class)),
        "vulnerable_rows": vulnerable,
        "vulnerable_share": vulnerable / release.n_rows,
        "certain_rows": int(kinds.size[valid.number == 1].sum()),
        "rows_without_an_assignment": stuck,
        "largest_chance_share": float(max((chance for chance, _ in weighed), default=Fraction(0))),
        "rows_with_a_chance_above_one_in_l": above,
        "rows_not_weighed": int(release.group_sizes[chances.uncounted].sum()),
    }
    said = (
        f"{vulnerable:,} of {release.n_rows:,} rows have fewer than {wanted:,} values of {release.sensitive} left by "
        f"the {len(background):,} negative rule{'' if len(background) == 1 else 's'} {source}"
    )
    if vulnerable and not stuck:
        kind = int(np.argmin(np.where(few, valid.number, np.iinfo(np.int64).max)))
        entries = valid.entries(release, kind)
        if len(entries):
            named = value_names(release.values, release.bucket_values[entries].tolist())
            row = row_name(release.quasi, int(kinds.first_row[kind]))
            said += f", such as row {row} of group {int(kinds.group[kind])}, which must have "
            said += named if len(entries) == 1 else f"one of {named}"
    residual = Residual(
        vulnerable / release.n_rows, "rows", f"have fewer than {wanted:,} possible values by negative rules"
    )
    return Finding(
        NAME,
        said + _scope(promised=promised),
        {**counted, "distribution": distribution[:SHOWN]},
        breaks,
        None if promised else residual,
    )


SHOWN = 12
"""The finding lists so many different numbers of valid values, the smallest first."""


def _scope(*, promised: bool) -> str:
    if promised:
        return ". Values are counted, not weighed: the promise does not cover chances above 1/l."
    return ". The promise of this release does not cover this."


def attack_shares(release: Bucketized) -> Finding:
    """What an adversary learns who knows only a person's group: the most frequent value of the group."""
    wanted = release.promise.l
    most = np.maximum.reduceat(release.bucket_counts, release.bucket_offsets[:-1])
    sizes = release.group_sizes
    over = most > sizes // min(wanted, release.n_rows + 1)
    rows = int(sizes[over].sum())
    promised = isinstance(release.promise, FrequencyDiversity)
    largest = max(
        (Fraction(*pair) for pair in set(zip(most.tolist(), sizes.tolist(), strict=True))), default=Fraction(0)
    )
    said = (
        "An adversary who knows only a person's group guesses its most frequent value, and is right for "
        f"{float(most.sum() / release.n_rows):.1%} of the rows; for {rows:,} rows the chance is above 1/{wanted}"
    )
    said += "." if promised else ", which the promise of this release does not cover."
    numbers = {
        "groups": release.n_groups,
        "smallest_group": int(sizes.min()),
        "largest_chance_share": float(largest),
        "mean_chance_share": float(most.sum() / release.n_rows),
        "rows_with_a_chance_above_one_in_l": rows,
    }
    residual = Residual(
        rows / release.n_rows, "rows", f"have a value guessed by their group with a chance above 1/{wanted}"
    )
    return Finding("most frequent value", said, numbers, promised and rows > 0, None if promised else residual)
