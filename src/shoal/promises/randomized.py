"""Promises of releases of randomized baskets: the stated random changes, and what follows from them.

S. Rizvi, J. Haritsa: Maintaining Data Privacy in Association Rule Mining, VLDB 2002 (MASK); J.-L. Lin, J. Liu, SAC 2007
(fake transactions); A. Mohaisen et al., IEICE Trans. E93-D, 2010 (the hybrid).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.errors import InputError
from shoal.limits import LEAST_KEEP_PROB, MOST_FAKES, require_number, require_whole
from shoal.promises.item_lists import ItemList, require_item_list, where_the_list_ends

_SHARES_ADD_UP = 1e-9


@dataclass(frozen=True)
class Randomization:
    """Items of rows were flipped at random, fake transactions were added, or both.

    Each item of each row, present or absent, was kept with probability ``keep_prob``, independently of all others.
    Before that, ``fakes`` fake transactions were added for each real one: their lengths were drawn from
    ``fake_lengths``, their items uniformly from the list of items.
    """

    keep_prob: float
    """The probability that an item is not flipped; 1 if none was flipped, and never near .5."""
    fakes: float
    """How many fake transactions there are for each real one; 0 if there are none."""
    fake_lengths: tuple[tuple[int, float], ...] = ()
    """The lengths of fake transactions, ascending, each with its share."""
    item_list: ItemList = "data"
    """Whether the list of items was given, or read from the data."""

    def __post_init__(self) -> None:
        require_keep_prob(self.keep_prob)
        require_fakes(self.fakes)
        require_item_list(self.item_list)
        if self.keep_prob == 1 and self.fakes == 0:
            raise InputError("keep_prob is 1 and fakes is 0: then nothing is randomized")
        if (self.fakes > 0) != bool(self.fake_lengths):
            raise InputError("fake transactions need lengths, and lengths need fake transactions")
        lengths = [length for length, _ in self.fake_lengths]
        for length, share in self.fake_lengths:
            require_whole("the length of a fake transaction", length, least=1)
            require_number(f"the share of fake transactions of length {length}", share, least=0, most=1)
        if lengths != sorted(set(lengths)):
            raise InputError("the lengths of fake transactions must ascend, each given once")
        if lengths and abs(math.fsum(share for _, share in self.fake_lengths) - 1) > _SHARES_ADD_UP:
            raise InputError("the shares of the lengths of fake transactions must add up to 1")

    @property
    def flip_prob(self) -> float:
        """The probability that an item is flipped."""
        return 1 - self.keep_prob

    def fakes_for(self, records: int) -> int:
        """How many fake transactions are added to this number of real ones."""
        return math.floor(self.fakes * records + 0.5)

    def fake_share(self, size: int, n_items: int) -> float:
        """The probability that a fake transaction, before flipping, holds ``size`` given items of ``n_items``.

        Example:
            >>> Randomization(1, 2, ((1, 0.5), (3, 0.5))).fake_share(1, 4)
            0.5
        """
        holding = ((share, math.comb(length, size)) for length, share in self.fake_lengths)
        return math.fsum(share * (ways / math.comb(n_items, size)) for share, ways in holding if ways)

    @property
    def words(self) -> str:
        """The promise in one sentence."""
        flips = (
            f"Each item of each row, present or absent, was kept with probability {self.keep_prob:g} and flipped "
            f"(present to absent, or absent to present) with probability {self.flip_prob:g}, independently of all "
            "others."
        )
        fakes = (
            f"{self.fakes:g} fake transactions were added for each real one. Their lengths "
            f"({len(self.fake_lengths):,} different ones) were drawn with the stated shares, their items uniformly "
            "from the list of items. The order of the rows depends only on their contents."
        )
        if self.keep_prob == 1:
            return fakes
        return flips if self.fakes == 0 else f"{fakes} Then: {flips[0].lower()}{flips[1:]}"

    @property
    def not_promised(self) -> tuple[str, ...]:
        """What an adversary may still do."""
        if self.keep_prob == 1:
            rows = (
                "real rows are published unchanged: an adversary who knows items of a person finds all rows that hold "
                "them, and real rows look different from fake ones (shoal attack measures how many a likelihood finds)"
            )
        else:
            rows = (
                "the probabilities are those of single items: an adversary who knows many items of a person can still "
                "look for the rows that agree with most of them"
            )
        return (
            rows,
            where_the_list_ends(self.item_list, "randomization"),
            "the release alone does not show whether rows were randomized as stated: only the original shows it",
            "nothing against an adversary who holds a second release about the same people, which averages out the "
            "randomness",
        )


def epsilon_of(keep_prob: float, max_basket: int, n_items: int) -> float:
    """The epsilon of flipping items, for records of at most L = ``max_basket`` items: 2 L ln(keep / flip), rounded up.

    Two such records differ in at most 2 L items, and in no more items than there are.

    Example:
        >>> epsilon_of(0.75, 2, 100)
        4.39445
    """
    exact = min(2 * max_basket, n_items) * math.log(keep_prob / (1 - keep_prob))
    # Rounded up at the sixth digit: far more than the error of the arithmetic.
    return math.ceil(exact * 1e6 + 1e-3) / 1e6


def usual_lengths(mean_length: float, n_items: int) -> tuple[tuple[int, float], ...]:
    """The default lengths of fake transactions: uniform from 1 to 2 l - 1, for real rows of about l items.

    Example:
        >>> usual_lengths(1.6, 100)
        ((1, 0.3333333333333333), (2, 0.3333333333333333), (3, 0.3333333333333333))
    """
    middle = max(1, math.floor(mean_length + 0.5))
    longest = min(2 * middle - 1, n_items)
    return tuple((length, 1 / longest) for length in range(1, longest + 1))


def require_keep_prob(keep_prob: object) -> None:
    """Refuse a probability of keeping items whose effect cannot be estimated, or that was meant the other way round."""
    require_number("keep_prob", keep_prob, least=0, most=1)
    assert isinstance(keep_prob, int | float)
    if keep_prob < LEAST_KEEP_PROB:
        meant = f"; did you mean {1 - keep_prob:g}?" if keep_prob <= 1 - LEAST_KEEP_PROB else ""
        raise InputError(
            f"keep_prob is {keep_prob:g}: it is the probability that an item is not flipped, and must be at least "
            f"{LEAST_KEEP_PROB:g}. Near .5 the rows say nothing about the original: nothing could be mined{meant}"
        )


def require_fakes(fakes: object) -> None:
    """Refuse an impossible number of fake transactions for each real one."""
    require_number("fakes", fakes, least=0, most=MOST_FAKES)
