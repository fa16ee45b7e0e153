"""Sensitive values that only one published row shows: an exact value may identify its person, whatever the group."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.attack.finding import Finding, Row
from shoal.audit.generalized.emptiness import nearly_unique_columns, own_values
from shoal.audit.residual import Residual
from shoal.quoting import called
from shoal.release.generalized import Generalized

NAME = "values of one row"


def attack_own_values(release: Generalized) -> Iterator[Finding]:
    """Count them, for the column with the most rows that show one; k-anonymity does not cover sensitive values."""
    found = nearly_unique_columns(release)
    if not found:
        return
    counts = {column.name: own_values(column) for column in found}
    worst = max(counts, key=lambda name: counts[name])
    rows: list[Row] = [{"column": name, "rows": alone} for name, alone in counts.items()]
    sentence = (
        f"{counts[worst]:,} of {release.n_rows:,} rows show a value of {called(worst)} that no other row shows. "
        "Anyone who knows such a value of a person finds their row. The promise does not cover this."
    )
    words = f"show a value of {called(worst)} that no other row shows"
    residual = Residual(counts[worst] / release.n_rows, "rows", words)
    yield Finding(NAME, sentence, {"columns": rows}, residual=residual)
