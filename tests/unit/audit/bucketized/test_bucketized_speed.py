"""Large releases of tables are audited in a moment, and hostile ones are refused in bounded time and memory."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.audit.attack.bucketized import attack
from shoal.audit.bucketized import audit
from shoal.audit.verdict import Verdict
from shoal.data.background import Background
from shoal.data.table import Table
from shoal.promises import BucketPromise
from shoal.release.bucketized import Bucketized
from tests.making.bucketized_releases import anatomized, injected, rules

N_GROUPS, SIZE, VALUES = 50_000, 6, 14


def columns(**given: Any) -> Table:
    return Table.from_arrow(pa.table(given), quasi=list(given))


def made(promise: BucketPromise) -> tuple[Bucketized, Table]:
    """300,000 rows in groups of six different values, in the order that is asked for, and the table they are of."""
    chance = np.random.default_rng(3)
    rows = N_GROUPS * SIZE
    # The first column alone puts the rows in order.
    number = np.arange(rows)
    kind = chance.integers(0, 20, rows)
    values = np.sort(np.argsort(chance.random((N_GROUPS, VALUES)), axis=1)[:, :SIZE], axis=1)
    names = pa.array([f"v{value:02}" for value in range(VALUES)])
    labels = pa.array([f"k{value:02}" for value in range(20)])
    quasi = columns(number=number, kind=labels.take(pa.array(kind)))
    release = Bucketized(
        method="anatomy",
        promise=promise,
        quasi=quasi,
        group_offsets=np.arange(0, rows + 1, SIZE),
        values=names,
        bucket_offsets=np.arange(0, rows + 1, SIZE),
        bucket_values=values.reshape(-1).astype(np.int32),
        bucket_counts=np.ones(rows, np.int64),
    )
    secret = chance.permuted(values, axis=1).reshape(-1)
    data = pa.table({"number": number, "kind": labels.take(pa.array(kind)), "disease": names.take(pa.array(secret))})
    return release, Table.from_arrow(data, quasi=["number", "kind"], sensitive="disease")


KNOWN = rules(*(({"kind": f"k{number:02}"}, f"v{number % VALUES:02}") for number in range(20)))


def bounded(release: Bucketized, seconds: float, megabytes: float, **options: Any) -> Verdict:
    """Audit within bounds of processor time, and of memory beyond the release itself."""
    start = time.process_time()
    verdict = audit(release, **options)
    assert time.process_time() - start < seconds
    tracemalloc.start()
    try:
        audit(release, **options)
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()
    return verdict


def test_300_000_rows_and_20_rules() -> None:
    release, table = made(injected(2))
    verdict = bounded(release, 3, 200, background=KNOWN)
    # Chance grouped some rows with nearly nobody who may have their value.
    assert [check.name for check in verdict.failures] == ["valid values"]
    assert "has 1 valid value" in (verdict["valid values"].witness or "")
    verdict = bounded(replace(release, promise=anatomized(6)), 6, 200, original=table)
    assert verdict.confirmed, str(verdict)


def test_an_attack_on_300_000_rows() -> None:
    release, table = made(anatomized(6))
    start = time.process_time()
    found = attack(release, original=table, min_expectation=0.5)
    assert time.process_time() - start < 40
    assert {finding.name for finding in found.findings} == {"most frequent value", "background knowledge", "deFinetti"}


def one_group(n: int, promise: BucketPromise) -> tuple[Bucketized, Background]:
    """One group of n rows and n values, each row excluded from a value of its own."""
    names = [f"v{number:06}" for number in range(n)]
    release = Bucketized(
        method="injector",
        promise=promise,
        quasi=columns(x=names),
        group_offsets=np.array([0, n]),
        values=pa.array(names),
        bucket_offsets=np.array([0, n]),
        bucket_values=np.arange(n, dtype=np.int32),
        bucket_counts=np.ones(n, np.int64),
    )
    return release, rules(*(({"x": name}, name) for name in names))


def test_a_thousand_kinds_of_rows_and_values_in_one_group_are_decided() -> None:
    release, background = one_group(1_000, injected(999))
    verdict = bounded(release, 10, 300, background=background)
    assert verdict.confirmed, str(verdict)
    assert not audit(replace(release, promise=injected(1_000)), background=background).holds


@pytest.mark.parametrize("n", [8_000, 20_000])
def test_too_many_are_refused(n: int) -> None:
    release, background = one_group(n, injected(2))
    verdict = bounded(release, 20, 600, background=background)
    assert (verdict["valid values"].witness or "").startswith("not checked: so many rules")
    assert verdict["valid values"].refused
    found = attack(release, background=background)
    assert "too much work" in {entry.name: entry.why for entry in found.left_out}["background knowledge"]


def test_a_group_in_which_paths_are_long_is_decided_in_time() -> None:
    """Row i can take values i and i + 1 only: a matching is one long path, and each kind excludes nearly all."""
    n = 600
    release, _ = one_group(n, injected(2))
    names = release.values.to_pylist()
    texts = np.array(names)
    place = np.arange(n)
    background = rules(
        *(({"x": tuple(texts[(place != number) & (place != number - 1)])}, names[number]) for number in range(n))
    )
    verdict = bounded(release, 10, 300, background=background)
    # The last row can take its own value only, so that all others must take theirs.
    assert "has 1 valid value" in (verdict["valid values"].witness or "")
    assert "(and 599 more rows)" in (verdict["valid values"].witness or "")


def test_values_by_values_of_an_original_are_refused() -> None:
    """Rows and values of one large group, each with each, would be four hundred million pairs."""
    n = 20_000
    release, _ = one_group(n, anatomized(2))
    table = Table.from_arrow(pa.table({"x": release.values, "disease": release.values}), quasi="x", sensitive="disease")
    verdict = bounded(release, 20, 600, original=table)
    assert verdict["rows and values of the original"].refused
