"""The original of a randomized release in its codes: whether the release is of it, and whether its rows include it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.equal_rows import kinds_of_rows
from shoal.audit.listed_items import check_list
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, itemset, records
from shoal.data.arrays import Float64, Int32, Int64
from shoal.data.transactions import Transactions
from shoal.release.randomized import Randomized

REAL_ROWS = "real rows"


@dataclass(frozen=True, eq=False)
class Baskets:
    """The records of an original, as far as a release can contain them."""

    offsets: Int64
    items: Int32
    """Codes of the release, ascending in each record; -1, first, for items that it does not list."""
    max_basket: int | None
    """The number of items to which records were cut first."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int64:
        """How many items each record kept when it was cut."""
        lengths = np.diff(self.offsets)
        return lengths if self.max_basket is None else np.minimum(lengths, self.max_basket)

    def supports(self, n_items: int) -> Int64:
        """How many records hold each item."""
        return np.bincount(self.items, minlength=n_items).astype(np.int64)

    def expected_supports(self, n_items: int) -> Float64:
        """The mean number of records that hold each item after cutting."""
        whole = np.diff(self.offsets)
        shares = np.repeat(self.lengths / np.maximum(whole, 1), whole)
        return np.bincount(self.items, weights=shares, minlength=n_items).astype(np.float64)


def match_baskets(release: Randomized, original: Transactions) -> Baskets:
    """Translate the original, by name, into the codes of the release."""
    names = original.vocabulary.cast(pa.string())
    found = pc.fill_null(pc.index_in(names, release.vocabulary.cast(pa.string())), -1)
    codes = found.to_numpy(zero_copy_only=False).astype(np.int32)
    items = codes[original.items]
    if np.any(np.diff(codes) <= 0):
        # Numbers sort as text if the list of items has words, too.
        records_of = np.repeat(np.arange(len(original)), original.lengths)
        items = items[np.lexsort((items, records_of))]
    return Baskets(original.offsets, items, None if release.privacy is None else release.privacy.max_basket)


def check_baskets(release: Randomized, baskets: Baskets, original: Transactions) -> Iterator[Check]:
    """The release is of so many records, and lists their items."""
    what = "the release is of as many records as the original has"
    witness = None
    if len(baskets) != release.n_records:
        witness = f"it states {records(release.n_records)}, and the original has {len(baskets):,}"
    yield decided("records of the original", what, release.n_records, witness)
    yield check_list(release.vocabulary, release.promise.item_list, original, "the list of items")


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows and records that hold the same items have the same number."""

    of_rows: Int64
    of_records: Int64
    rows: Int64
    """How many rows are of each kind."""
    real: Int64
    """How many records are of each kind."""


def kinds_of(release: Randomized, baskets: Baskets) -> Kinds:
    """Find the records of the original among the rows."""
    offsets = np.concatenate([release.offsets, baskets.offsets[1:] + release.offsets[-1]])
    kinds = kinds_of_rows(offsets, np.concatenate([release.items, baskets.items]), release.n_items)
    of_rows, of_records = kinds[: release.n_rows], kinds[release.n_rows :]
    n = int(kinds.max(initial=-1)) + 1
    return Kinds(of_rows, of_records, np.bincount(of_rows, minlength=n), np.bincount(of_records, minlength=n))


def check_real_rows(release: Randomized, baskets: Baskets) -> Check:
    """If nothing was flipped, each record of the original is among the rows, as often as it occurs."""
    kinds = kinds_of(release, baskets)
    lacking = np.flatnonzero(kinds.rows < kinds.real)
    witness = None
    if len(lacking):
        record = int(np.flatnonzero(kinds.of_records == lacking[0])[0])
        held = baskets.items[baskets.offsets[record] : baskets.offsets[record + 1]].tolist()
        witness = (
            f"{itemset(release.vocabulary, held)} is a record of the original {kinds.real[lacking[0]]:,} times, and "
            f"is in {kinds.rows[lacking[0]]:,} rows" + and_more(len(lacking) - 1, "different records")
        )
    what = "every record of the original is one of the rows, as often as it occurs; the others are fake"
    return decided(REAL_ROWS, what, len(baskets), witness)
