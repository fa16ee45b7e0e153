"""Randomization: flip items of rows at random (MASK), add fake transactions, or both (the hybrid).

S. Rizvi, J. Haritsa, VLDB 2002; J.-L. Lin, J. Liu, SAC 2007; A. Mohaisen, N.-S. Jho, D. Hong, D. Nyang: Privacy
Preserving Association Rule Mining Revisited, IEICE Trans. Inf. & Syst. E93-D(2), 2010, sections 3, 4 and 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.data.kinds import require_baskets
from shoal.data.transactions import Transactions, codes_of, vocabulary_order
from shoal.errors import Infeasible, InputError
from shoal.kernels.compiling import announced
from shoal.limits import require_whole
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.promises.randomized import epsilon_of, require_fakes, require_keep_prob
from shoal.publish.randomization.fake_rows import FakeLength, draw_rows, lengths_of, subsets
from shoal.publish.randomization.flips import flip
from shoal.randomness import Numbers
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run

MOST_ONES = 250_000_000
"""The largest expected number of items in the rows of a release: larger releases could not be read."""


def mask(
    data: Transactions,
    keep_prob: float,
    *,
    max_basket: int | None = None,
    items: Iterable[str] | None = None,
    run: Run = DEFAULT_RUN,
) -> Randomized:
    """Flip every item of every record, present or absent, with probability ``1 - keep_prob`` (MASK).

    Args:
        data: the baskets.
        keep_prob: the probability that an item is not flipped; at least .51, and below 1.
        max_basket: cut longer records at random to this number of items: then the flips give differential privacy.
        items: the list of items, if it is known from elsewhere; by default, the items of the data. The promise says
            which.
        run: threads, progress and chance (:class:`shoal.Run`). With a fixed chance the release is for experiments only:
            anyone who has that number can undo the randomization.

    Returns:
        The release. Nothing is checked here: ``write`` verifies what it has written.

    Raises:
        InputError: an argument is out of range, or an item is not in the list.
        Infeasible: there are no records, or the release would be too large.

    Example:
        >>> import shoal
        >>> release = mask(shoal.read([{"tea", "milk"}] * 50 + [{"tea"}] * 50), 0.9, run=shoal.Run(chance=1))
        >>> release
        Randomized(100 rows of 2 items, 0 of them fake)
    """
    if keep_prob == 1:
        raise InputError("keep_prob is 1: then nothing is flipped")
    return randomize(
        data,
        keep_prob=keep_prob,
        max_basket=max_basket,
        items=items,
        run=run,
    )


def fakes(
    data: Transactions,
    fakes: float,
    *,
    fake_length: FakeLength = None,
    items: Iterable[str] | None = None,
    run: Run = DEFAULT_RUN,
) -> Randomized:
    """Add fake transactions to the real records, which are published unchanged.

    Args:
        data: the baskets.
        fakes: how many fake transactions are added for each real record; need not be whole.
        fake_length: their lengths: all equal (a number), uniform from one length to another (two numbers), each length
            with its share (a mapping), or as in the data (``"data"``, which publishes the lengths of the data). By
            default uniform from 1 to 2 l - 1, where l is the mean length of the records, rounded.
        items: the list of items, if it is known from elsewhere; by default, the items of the data. The promise says
            which.
        run: threads, progress and chance (:class:`shoal.Run`). With a fixed chance the release is for experiments only:
            anyone who has that number can undo the randomization.

    Returns:
        The release. Nothing is checked here: ``write`` verifies what it has written.

    Raises:
        InputError: an argument is out of range, or an item is not in the list.
        Infeasible: there are no records, or the release would be too large.

    Example:
        >>> import shoal
        >>> release = fakes(shoal.read([{"tea", "milk"}] * 50 + [{"tea"}] * 50), 1.5, run=shoal.Run(chance=1))
        >>> release
        Randomized(250 rows of 2 items, 150 of them fake)
    """
    require_fakes(fakes)
    if fakes == 0:
        raise InputError("fakes is 0: then no fake transactions are added")
    return randomize(
        data,
        fakes=fakes,
        fake_length=fake_length,
        items=items,
        run=run,
    )


def hybrid(
    data: Transactions,
    keep_prob: float,
    fakes: float,
    *,
    fake_length: FakeLength = None,
    max_basket: int | None = None,
    items: Iterable[str] | None = None,
    run: Run = DEFAULT_RUN,
) -> Randomized:
    """Add fake transactions to the real records, then flip items of all of them.

    Args:
        data: the baskets.
        keep_prob: as for :func:`mask`.
        fakes: as for :func:`fakes`.
        fake_length: as for :func:`fakes`; with ``max_basket``, it must be given, and not from the data.
        max_basket: as for :func:`mask`.
        items: the list of items, if it is known from elsewhere; by default, the items of the data. The promise says
            which.
        run: threads, progress and chance (:class:`shoal.Run`). With a fixed chance the release is for experiments only:
            anyone who has that number can undo the randomization.

    Returns:
        The release. Nothing is checked here: ``write`` verifies what it has written.

    Raises:
        InputError: an argument is out of range, or an item is not in the list.
        Infeasible: there are no records, or the release would be too large.

    Example:
        >>> import shoal
        >>> release = hybrid(shoal.read([{"tea", "milk"}] * 50 + [{"tea"}] * 50), 0.9, 2, run=shoal.Run(chance=1))
        >>> release
        Randomized(300 rows of 2 items, 200 of them fake)
    """
    require_fakes(fakes)
    if keep_prob == 1 or fakes == 0:
        raise InputError("a hybrid flips items and adds fake transactions: keep_prob must be below 1, fakes above 0")
    return randomize(
        data,
        keep_prob=keep_prob,
        fakes=fakes,
        fake_length=fake_length,
        max_basket=max_basket,
        items=items,
        run=run,
    )


class Settings(TypedDict, total=False):
    """The options of randomizing; see :func:`randomize_and_trace`."""

    keep_prob: float
    fakes: float
    fake_length: FakeLength
    max_basket: int | None
    items: Iterable[str] | None
    run: Run


def randomize(data: Transactions, **settings: Unpack[Settings]) -> Randomized:
    """The common part of :func:`mask`, :func:`fakes` and :func:`hybrid`."""
    return randomize_and_trace(data, **settings)[0]


def randomize_again(
    release: Randomized,
    data: Transactions,
    *,
    run: Run = DEFAULT_RUN,
) -> tuple[Randomized, Int64]:
    """Another release of the same data with the parameters of this one, and the sources of its rows."""
    promise, privacy = release.promise, release.privacy
    again, sources = randomize_and_trace(
        data,
        keep_prob=promise.keep_prob,
        fakes=promise.fakes,
        fake_length=dict(promise.fake_lengths),
        max_basket=None if privacy is None else privacy.max_basket,
        items=release.vocabulary.to_pylist(),
        run=run,
    )
    return replace(again, promise=promise, privacy=privacy), sources


def randomize_and_trace(
    data: Transactions,
    *,
    keep_prob: float = 1.0,
    fakes: float = 0.0,
    fake_length: FakeLength = None,
    max_basket: int | None = None,
    items: Iterable[str] | None = None,
    run: Run = DEFAULT_RUN,
) -> tuple[Randomized, Int64]:
    """A release, and for each of its rows the record of the data it comes from, or -1: for measuring only."""
    require_baskets(data)
    require_keep_prob(keep_prob)
    require_fakes(fakes)
    if max_basket is not None:
        require_whole("max_basket", max_basket, least=1)
    if not len(data):
        raise Infeasible("there are no records to publish")
    vocabulary, codes = _listed(data, items)
    n_items = len(vocabulary)
    lengths = lengths_of(fake_length, data, n_items) if fakes else ()
    promise = Randomization(float(keep_prob), float(fakes), lengths, "data" if items is None else "given")
    privacy = _privacy(promise, max_basket, fake_length, n_items)
    _require_room(data, promise, n_items, max_basket)
    with announced(lambda: run.report("compile", 0, 1)):
        from shoal.kernels.laid_rows import lay_in_order

        offsets, members = data.offsets, codes
        if max_basket is not None:
            offsets, members = _cut(offsets, members, max_basket, run.chance)
        sources = np.arange(len(data))
        if fakes:
            run.report("draw fake transactions", 0, 1)
            drawn, their_items = draw_rows(promise.fakes_for(len(data)), promise, n_items, run.chance)
            sources = np.concatenate([sources, np.full(len(drawn) - 1, -1)])
            offsets = np.concatenate([offsets, drawn[1:] + offsets[-1]])
            members = np.concatenate([members, their_items])
            run.report("draw fake transactions", 1, 1)
        parts = [(offsets, members)]
        if keep_prob < 1:
            parts = flip(offsets, members, n_items, keep_prob, run=run)
        run.report("sort rows", 0, 1)
        offsets, members, order = lay_in_order(parts)
        run.report("sort rows", 1, 1)
    release = Randomized(promise, vocabulary, offsets, members, len(data), privacy, run.chance is not None)
    return release, sources[order]


def _listed(data: Transactions, items: Iterable[str] | None) -> tuple[pa.Array, Int32]:
    """The list of items, and the items of the data as numbers in it."""
    if items is None:
        return data.vocabulary, data.items
    names = pa.array(list(dict.fromkeys(items)), pa.string())
    vocabulary = names.take(pa.array(vocabulary_order(names)))
    codes = codes_of(vocabulary, data.words, "the list of items")
    if (np.diff(codes) > 0).all():
        return vocabulary, codes[data.items]
    # If the list has a word, numbers are sorted as texts: so must be the items of each record.
    rows = np.repeat(np.arange(len(data)), data.lengths) * len(vocabulary)
    keys = np.sort(rows + codes[data.items])
    return vocabulary, (keys - rows).astype(np.int32)


def _privacy(
    promise: Randomization, max_basket: int | None, fake_length: FakeLength, n_items: int
) -> DifferentialPrivacy | None:
    """The differential privacy of the flips for whole records, if these are cut to a length."""
    if max_basket is None:
        return None
    if promise.keep_prob == 1:
        raise InputError("max_basket needs flips, and nothing is flipped: records are published unchanged")
    if promise.fakes and (fake_length is None or fake_length == "data"):
        raise InputError(
            "max_basket promises differential privacy, but the lengths of fake transactions would come from the data: "
            "give them, as in --fake-length 1-9"
        )
    return DifferentialPrivacy(epsilon_of(promise.keep_prob, max_basket, n_items), max_basket, promise.item_list)


def _require_room(data: Transactions, promise: Randomization, n_items: int, max_basket: int | None) -> None:
    """Refuse a release that would be too large to write or read.

    If differential privacy is promised, the lengths of records must not decide this, cut or not: a refusal would reveal
    them without noise. Instead the maximum that ``max_basket`` allows decides, which follows from public numbers.
    """
    n_fakes = promise.fakes_for(len(data))
    held = len(data.items) if max_basket is None else len(data) * min(max_basket, n_items)
    ones = held + n_fakes * sum(length * share for length, share in promise.fake_lengths)
    cells = (len(data) + n_fakes) * n_items
    expected = promise.keep_prob * ones + promise.flip_prob * (cells - ones)
    if expected > MOST_ONES:
        if max_basket is None:
            about, advice = f"about {expected:,.0f} items would be published", "Raise --keep-prob"
        else:
            about = f"up to {expected:,.0f} items would be published if all records had {max_basket:,} items"
            advice = "Lower --max-basket, raise --keep-prob"
        raise Infeasible(
            f"{about}, more than {MOST_ONES:,}: flipping fills rows, since each of the {n_items:,} items that a row "
            f"lacks is added with probability {promise.flip_prob:g}. {advice}, lower --fakes, or publish fewer "
            "items (categories rather than articles)"
        )


def _cut(offsets: Int64, items: Int32, most: int, seed: int | None) -> tuple[Int64, Int32]:
    """The same records, longer ones cut to a number of random items."""
    lengths = np.diff(offsets)
    kept = np.minimum(lengths, most)
    ends, members = subsets(kept, lengths, Numbers(seed, purpose="cut"))
    return ends, items[np.repeat(offsets[:-1], kept) + members]
