"""The one source of chance: the operating system's, or a seeded stream for experiments."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import numpy.typing as npt

from shoal.limits import require_whole

_ENTROPY_BYTES = 32


def generator(seed: int | None = None) -> np.random.Generator:
    """A fast source of random numbers for making up data and for experiments.

    Without a seed it starts from the operating system's entropy, so that no two runs are alike. With a seed,
    equal seeds give equal streams: for experiments only, never for a release. In neither case is the stream
    meant to withstand an adversary: it makes data up, it does not protect any.

    Args:
        seed: A whole number from 0 on, or None.

    Returns:
        A NumPy generator (PCG64). Its start is 256 bits, from ``os.urandom`` or from SHAKE-256 of the seed:
        neighbouring seeds give unrelated streams.

    Raises:
        InputError: The seed is not a whole number from 0 on.

    Example:
        >>> bool((generator(7).random(3) == generator(7).random(3)).all())
        True
    """
    if seed is None:
        entropy = os.urandom(_ENTROPY_BYTES)
    else:
        require_whole("seed", seed, least=0)
        entropy = hashlib.shake_256(b"shoal seed %d" % seed).digest(_ENTROPY_BYTES)
    # The bit generator is named, not NumPy's current default, so that a seed means the same with every NumPy.
    return np.random.Generator(np.random.PCG64(int.from_bytes(entropy, "big")))


def permutation(n: int, seed: int | None = None, *, purpose: str = "") -> npt.NDArray[np.int64]:
    """The numbers from 0 to n - 1 in random order, fit to hide which row went where.

    Without a seed, 64 random bits of the operating system stand for each number, and the numbers are ordered by these.
    With a seed, the bits are SHAKE-256 of the seed and the purpose: for experiments only, because whoever has the seed
    can undo the order.

    Args:
        n: How many numbers.
        seed: A whole number from 0 on, or None.
        purpose: Parts the streams of one seed that serve different ends.

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
    else:
        require_whole("seed", seed, least=0)
        bits = hashlib.shake_256(f"shoal permutation {seed} {purpose}".encode()).digest(8 * n)
    return np.argsort(np.frombuffer(bits, np.uint64), kind="stable").astype(np.int64)


class Numbers:
    """A stream of random numbers, fit to hide what they are used on.

    Without a seed they are the operating system's. With a seed they are SHAKE-256 of the seed, the purpose and the
    place in the stream: for experiments only, because whoever has the seed can undo what was done with them.

    Example:
        >>> Numbers(7, purpose="flips").take(2).tolist() == Numbers(7, purpose="flips").take(2).tolist()
        True
    """

    def __init__(self, seed: int | None = None, *, purpose: str = "") -> None:
        if seed is not None:
            require_whole("seed", seed, least=0)
        self._seed = seed
        self._purpose = purpose
        self._taken = 0

    def take(self, n: int) -> npt.NDArray[np.int64]:
        """The next numbers, from 0 to 2^63 - 1."""
        return np.frombuffer(self._bytes(8 * n), np.int64) & np.int64(2**63 - 1)

    def take_short(self, n: int) -> npt.NDArray[np.int32]:
        """The next numbers, from 0 to 2^31 - 1: half the work, where more bits are rarely needed."""
        return np.frombuffer(self._bytes(4 * n), np.int32) & np.int32(2**31 - 1)

    def _bytes(self, n: int) -> bytes:
        if self._seed is None:
            return os.urandom(n)
        self._taken += 1
        place = f"shoal numbers {self._seed} {self._taken} {self._purpose}"
        return hashlib.shake_256(place.encode()).digest(n)
