"""Nothing added, nothing lost: comparisons with the original that need not know which record went where.

Terrovitis et al., VLDB 2012, section 3: each original record gives every chunk one projection, and each of its items is
published exactly once - in a record chunk, in a shared chunk, or by name in a term chunk. These conditions follow and
are necessary. They are not sufficient: a release that satisfies them may still be of other data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.values import records_of_items
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, item_name, records
from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.transactions import Transactions
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated


@dataclass(frozen=True, eq=False)
class Matched:
    """The original in the codes of the release."""

    offsets: Int64
    items: Int32
    """Codes of the release's vocabulary; -1 for an item that the release does not hold."""
    supports: Int64
    """In how many original records each item of the release's vocabulary occurs."""
    missing: Int32
    """Codes, in the original's vocabulary, of items that the release does not hold."""


def match(release: Disassociated, original: Transactions) -> Matched:
    """Translate the original, by name, into the codes of the release."""
    used = np.zeros(len(release.vocabulary), bool)
    used[release.items] = True
    used[release.term_items] = True
    found = pc.index_in(original.vocabulary.cast(pa.string()), release.vocabulary.cast(pa.string()))
    code = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int32)
    code[code >= 0] = np.where(used[code[code >= 0]], code[code >= 0], -1)
    items = code[original.items]
    supports = np.bincount(items[items >= 0], minlength=len(release.vocabulary)).astype(np.int64)
    return Matched(original.offsets, items, supports, np.flatnonzero(code < 0).astype(np.int32))


def check_records(release: Disassociated, original: Transactions, matched: Matched, sensitive: Bools) -> Check:
    """Every original record is in the release, except those with only dropped or suppressed items."""
    dropped = release.dropped
    empty = _records_without(matched, matched.items >= 0)
    # A record may also be empty because its sensitive items were suppressed.
    plain = _records_without(matched, (matched.items >= 0) & ~np.append(sensitive, False)[matched.items])
    most = empty + min(plain - empty, dropped.sensitive_instances)
    what = (
        f"the release has the {len(original):,} records of the original, except the {dropped.emptied_records:,} that "
        "it states were left empty when items were dropped, and so many hold nothing else"
    )
    witness = None
    if release.n_records + dropped.emptied_records != len(original):
        witness = (
            f"the release has {records(release.n_records)} and states that {dropped.emptied_records:,} were dropped; "
            f"the original has {len(original):,}"
        )
    elif dropped.emptied_records > most:
        witness = (
            f"{records(dropped.emptied_records)} {_are(dropped.emptied_records)} stated to have been left empty, but "
            f"{most:,} have no published item"
        )
    elif dropped.emptied_records < empty:
        witness = (
            f"{records(empty)} of the original {'has' if empty == 1 else 'have'} no published item, but "
            f"{dropped.emptied_records:,} {_are(dropped.emptied_records)} stated to have been left empty"
        )
    return decided("records of the original", what, len(original), witness)


def _records_without(matched: Matched, flags: Bools) -> int:
    """How many original records hold no item with the flag."""
    return int(np.count_nonzero(np.diff(np.concatenate([[0], np.cumsum(flags)])[matched.offsets]) == 0))


def check_items(release: Disassociated, original: Transactions, matched: Matched) -> Check:
    """The release names the items of the original, except dropped ones, and no others."""
    dropped = release.dropped
    k = release.promise.k
    what = (
        f"the release names the items of the original and no others, except the {dropped.rare_items:,} that it states "
        f"were dropped because fewer than k = {k} records hold them"
        + (" and sensitive items suppressed everywhere" if dropped.sensitive_instances else "")
    )
    witness = _items_witness(release, original, matched)
    return decided("items of the original", what, original.n_items, witness)


def _items_witness(release: Disassociated, original: Transactions, matched: Matched) -> str | None:
    dropped, k = release.dropped, release.promise.k
    published = np.zeros(len(release.vocabulary), bool)
    published[release.items] = True
    published[release.term_items] = True
    invented = np.flatnonzero(published & (matched.supports == 0))
    if len(invented):
        name = item_name(release.vocabulary, int(invented[0]))
        return f"{name} is not in the original" + and_more(len(invented) - 1, "items")
    supports = records_of_items(original)[matched.missing]
    names = original.vocabulary.take(pa.array(matched.missing)).cast(pa.string())
    hidden = np.zeros(len(names), bool)
    if release.diversity is not None and dropped.sensitive_instances:
        listed = pa.array(release.diversity.sensitive, pa.string())
        hidden = pc.is_in(names, listed).to_numpy(zero_copy_only=False)
    must_be_rare = np.flatnonzero(~hidden & (supports >= k))
    if len(must_be_rare):
        at = int(must_be_rare[0])
        return f"{shown(names[at].as_py())} is in {records(int(supports[at]))} of the original and was lost" + and_more(
            len(must_be_rare) - 1, "items"
        )
    plain = int(np.count_nonzero(~hidden))
    if not plain <= dropped.rare_items <= len(names):
        example = f", such as {shown(names[0].as_py())}" if len(names) else ""
        count = f"{len(names):,} item{' is' if len(names) == 1 else 's are'} missing{example}"
        return f"{count}; {dropped.rare_items:,} {_are(dropped.rare_items)} stated to be dropped as rare"
    # Missing items beyond the rare ones were suppressed in every record: at least those with the fewest records.
    suppressed = np.sort(supports[hidden & (supports < k)])
    frequent = supports[hidden & (supports >= k)]
    others = max(len(names) - dropped.rare_items - len(frequent), 0)
    least = int(frequent.sum()) + int(suppressed[:others].sum())
    if least > dropped.sensitive_instances:
        return (
            f"sensitive items are missing that occur at least {least:,} times; "
            f"{dropped.sensitive_instances:,} occurrences are stated to be suppressed"
        )
    return None


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def check_supports(release: Disassociated, matched: Matched, sensitive: Bools) -> Check:
    """Each item's number of records is between the bounds that the release leaves."""
    n_items = len(release.vocabulary)
    certain = np.bincount(release.items, minlength=n_items).astype(np.int64)
    lower = certain + np.bincount(release.term_items, minlength=n_items)
    size = np.repeat(release.cluster_size, np.diff(release.term_offsets))
    room = np.zeros(n_items, np.int64)
    np.add.at(room, release.term_items, size)
    upper = certain + room
    suppressed, plain = release.dropped.sensitive_instances, release.dropped.plain_instances
    what = (
        "for every item, the number of original records with it is at least its occurrences in chunks plus one for "
        "each term chunk that names it, and at most these occurrences plus the records of those clusters"
    )
    if suppressed:
        what += f" (sensitive items: at most {suppressed:,} more in total, which the release states were suppressed)"
    if plain:
        what += f" (other items: {plain:,} more in total, suppressed according to the release)"
    over = np.maximum(matched.supports - upper, 0)
    witness = None
    invented = np.flatnonzero(matched.supports < lower)
    allowed = plain >= int(over[~sensitive].sum())
    lost = np.flatnonzero((over > 0) & ~(sensitive & (suppressed > 0)) & ~(~sensitive & allowed))
    if len(invented):
        at = int(invented[0])
        witness = (
            f"{item_name(release.vocabulary, at)} occurs at least {int(lower[at]):,} times in the release, but only "
            f"{int(matched.supports[at]):,} times in the original" + and_more(len(invented) - 1, "items")
        )
    elif len(lost):
        at = int(lost[0])
        witness = (
            f"{item_name(release.vocabulary, at)} occurs {int(matched.supports[at]):,} times in the original, but at "
            f"most {int(upper[at]):,} times in the release" + and_more(len(lost) - 1, "items")
        )
    elif int(over[sensitive].sum()) > suppressed:
        witness = (
            f"{int(over[sensitive].sum()):,} occurrences of sensitive items are lost; {suppressed:,} are stated to be "
            "suppressed"
        )
    elif plain > (short := int((matched.supports - lower)[~sensitive].sum())):
        witness = (
            f"{plain:,} occurrences of items are stated to be suppressed in records, but the original has only "
            f"{short:,} more than the release shows"
        )
    return decided("supports in the original", what, n_items, witness)
