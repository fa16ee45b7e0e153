"""Mutations of bytes: of any file, whatever it is."""

from __future__ import annotations

import random

_TOKENS = (b"\0", b"\n", b"\r", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b'"', b",", b"{", b"]", b"-1", b"\x80" * 9)


def damaged(chance: random.Random, data: bytes, most: int = 4) -> bytes:
    """The bytes with a few places flipped, taken out, doubled, put elsewhere, or cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, most)):
        at = chance.randrange(len(changed) + 1)
        length = min(chance.choice((1, 1, 2, 4, 8, 64)), len(changed) - at)
        way = chance.randrange(8)
        if way <= 2 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif way == 3 and at < len(changed):
            changed[at] = chance.choice((0, 1, 127, 128, 255))
        elif way == 4:
            del changed[at : at + length]
        elif way == 5:
            changed[at:at] = chance.choice(_TOKENS)
        elif way == 6:
            changed[at:at] = changed[at : at + length]
        elif chance.random() < 0.3:
            del changed[at:]
        else:
            start = chance.randrange(len(changed) + 1)
            changed[at : at + length] = changed[start : start + length]
    return bytes(changed)
