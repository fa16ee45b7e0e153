"""The only source of randomness: the operating system, a stream keyed by a secret, or a seed for experiments."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.limits import MOST_SEED, require_whole

_ENTROPY_BYTES = 32


@dataclass(frozen=True)
class Stream:
    """A keyed stream of pseudorandom numbers: without its secret, it cannot be distinguished from random numbers.

    The key is SHAKE-256 of the secret and of all parts of the stream's purpose, each with its length. With the secret
    alone as key, two tables would get the same numbers: anyone who knows the groups of one would know those of the
    other.

    Example:
        >>> one, other = Stream.keyed(b"secret", b"anatomy", b"l=3"), Stream.keyed(b"secret", b"anatomy", b"l=4")
        >>> one == Stream.keyed(b"secret", b"anatomy", b"l=3"), one == other, one
        (True, False, Stream())
    """

    key: bytes = field(repr=False)

    @classmethod
    def keyed(cls, secret: bytes, *purpose: bytes) -> Stream:
        """The stream of a secret for one purpose, given in parts."""
        mixed = hashlib.shake_256(b"shoal stream\n")
        for part in (secret, *purpose):
            mixed.update(b"%d:" % len(part))
            mixed.update(part)
        return cls(mixed.digest(_ENTROPY_BYTES))

    def take(self, n: int, place: str) -> bytes:
        """Return ``n`` bytes, different for every place."""
        return hashlib.shake_256(b"shoal draw\n" + self.key + place.encode()).digest(n)


Chance = int | Stream | None
"""The source of randomness: a seed (for experiments), a stream keyed by a secret, or the operating system (None)."""


def generator(seed: Chance = None) -> np.random.Generator:
    """A fast source of random numbers for generating data and for experiments.

    Without a seed it starts from the operating system's entropy, so no two runs are equal. With a seed, equal seeds
    give equal streams: for experiments only, never for a release. In both cases the stream is not meant to withstand
    an adversary: it generates data, and does not protect any.

    Args:
        seed: A whole number from 0 on, a keyed stream, or None.

    Returns:
        A NumPy generator (PCG64). Its start is 256 bits, from ``os.urandom``, the stream, or SHAKE-256 of the seed:
        neighbouring seeds give unrelated streams.

    Raises:
        InputError: The seed is not a whole number from 0 on.

    Example:
        >>> bool((generator(7).random(3) == generator(7).random(3)).all())
        True
    """
    if seed is None:
        entropy = os.urandom(_ENTROPY_BYTES)
    elif isinstance(seed, Stream):
        entropy = seed.take(_ENTROPY_BYTES, "generator")
    else:
        require_whole("seed", seed, least=0, most=MOST_SEED)
        entropy = hashlib.shake_256(b"shoal seed %d" % seed).digest(_ENTROPY_BYTES)
    # The bit generator is named, not NumPy's current default, so that a seed means the same with every NumPy.
    return np.random.Generator(np.random.PCG64(int.from_bytes(entropy, "big")))


def permutation(n: int, seed: Chance = None, *, purpose: str = "") -> Int64:
    """The numbers from 0 to n - 1 in random order, suitable for hiding which row went where.

    Without a seed, each number gets 64 random bits of the operating system, and the numbers are sorted by these. A
    keyed stream gives the same bits again to anyone who has the secret. With a seed, the bits are SHAKE-256 of the seed
    and the purpose: for experiments only, because anyone who has the seed can undo the order.

    Args:
        n: How many numbers.
        seed: A whole number from 0 on, a keyed stream, or None.
        purpose: Separates the streams of one seed for different purposes.

    Returns:
        The numbers.

    Raises:
        InputError: The seed is not a whole number from 0 on.

    Example:
        >>> sorted(permutation(4).tolist()), permutation(4, 7).tolist() == permutation(4, 7).tolist()
        ([0, 1, 2, 3], True)
    """
    if seed is None:
        bits = os.urandom(8 * n)
    elif isinstance(seed, Stream):
        bits = seed.take(8 * n, f"permutation {purpose}")
    else:
        require_whole("seed", seed, least=0, most=MOST_SEED)
        bits = hashlib.shake_256(f"shoal permutation {seed} {purpose}".encode()).digest(8 * n)
    return np.argsort(np.frombuffer(bits, np.uint64), kind="stable").astype(np.int64)


class Numbers:
    """A stream of random numbers, suitable for hiding the data that they are applied to.

    Without a seed they come from the operating system, or from a keyed stream. With a seed they are SHAKE-256 of the
    seed, the purpose and the place in the stream: for experiments only, because anyone who has the seed can undo their
    effect.

    Example:
        >>> Numbers(7, purpose="flips").take(2).tolist() == Numbers(7, purpose="flips").take(2).tolist()
        True
    """

    def __init__(self, seed: Chance = None, *, purpose: str = "") -> None:
        if seed is not None and not isinstance(seed, Stream):
            require_whole("seed", seed, least=0, most=MOST_SEED)
        self._seed = seed
        self._purpose = purpose
        self._taken = 0

    def take(self, n: int) -> Int64:
        """The next numbers, from 0 to 2^63 - 1."""
        return np.frombuffer(self._bytes(8 * n), np.int64) & np.int64(2**63 - 1)

    def take_short(self, n: int) -> Int32:
        """The next numbers, from 0 to 2^31 - 1: half the work, for cases that rarely need more bits."""
        return np.frombuffer(self._bytes(4 * n), np.int32) & np.int32(2**31 - 1)

    def _bytes(self, n: int) -> bytes:
        if self._seed is None:
            return os.urandom(n)
        self._taken += 1
        if isinstance(self._seed, Stream):
            return self._seed.take(n, f"numbers {self._taken} {self._purpose}")
        place = f"shoal numbers {self._seed} {self._taken} {self._purpose}"
        return hashlib.shake_256(place.encode()).digest(n)
