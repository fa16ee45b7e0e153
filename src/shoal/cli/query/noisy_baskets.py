"""What ``shoal query`` prints of noisy counts: their sums, and the errors of these."""

from __future__ import annotations

from shoal.analyse.answers import Answers
from shoal.analyse.node_rows.supports import NoisyCount
from shoal.cli.terminal import item_text
from shoal.cli.told import Rows, Told
from shoal.release.noisy_baskets import NoisyBaskets


def told(release: NoisyBaskets, answers: Answers) -> Told:
    """Sums with their errors, and how many baskets they are of."""
    rows = []
    for row, one in zip(answers.rows, answers, strict=True):
        assert isinstance(one, NoisyCount)
        names = ", ".join(map(item_text, row["all_of"]))
        rows.append((names, f"{one.count:,}", f"{one.error:,.1f}", f"{one.baskets:,}"))
    words = (
        "Count is the sum of the noisy counts of the published baskets with all items. Noise takes it about the "
        "standard error from what these baskets had. Rare baskets are missing, so that the sum is low on "
        "average; and some of those published nobody has. Of records nothing is certain."
    )
    return Told(
        f"of {release.n_records:,} records, by noisy counts:",
        (Rows(("all of", "count", "error", "baskets"), tuple(rows)),),
        words,
    )
