"""Mutations of texts: lines and fields of baskets, tables, hierarchies, lists, plans and rules."""

from __future__ import annotations

import random
import re

from tests.fuzz.damage import damaged
from tests.fuzz.hostile import WORDS

_FIELD = re.compile(r"[^\s,;|\t\"\[\]{}:=]+")


def changed(chance: random.Random, data: bytes) -> bytes:
    """A text with a few lines or fields changed, or now and then with its bytes damaged."""
    if chance.random() < 0.15:
        return damaged(chance, data)
    lines = data.decode().splitlines()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(chance, lines)
    end = chance.choice(("\n",) * 8 + ("\r\n", "\r", "\0"))
    text = end.join(lines) + chance.choice((end,) * 8 + ("", end * 3))
    raw = text.encode(chance.choice(("utf-8",) * 9 + ("utf-16",)), errors="surrogatepass")
    return chance.choice((b"",) * 12 + (b"\xef\xbb\xbf", b"\xff\xfe")) + raw


def _change(chance: random.Random, lines: list[str]) -> None:
    if not lines:
        lines.append(chance.choice(WORDS))
        return
    at = chance.randrange(len(lines))
    other = chance.randrange(len(lines))
    way = chance.randrange(11)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines[at:at] = [lines[other]] * chance.choice((1, 1, 50))
    elif way == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 3:
        lines[at:at] = [chance.choice(("", " ", ",", ",,,", "#", '"', "a b c d e f", "x,y,z,u,v,w"))]
    elif way == 4:
        lines[at] = lines[at].replace(
            chance.choice((" ", ",", ";", ":", "=")), chance.choice((";", ",", "\t", " ", "|", ""))
        )
    elif way == 5:
        lines[at] += chance.choice((",", " ", "\t", ";", '"')) + chance.choice(WORDS)
    elif way == 6 and lines[at]:
        place = chance.randrange(len(lines[at]))
        lines[at] = lines[at][:place] + chance.choice(WORDS) + lines[at][place:]
    else:
        fields = list(_FIELD.finditer(lines[at]))
        if fields:
            field = chance.choice(fields)
            others = _FIELD.findall(lines[other]) or ["x"]
            word = chance.choice((chance.choice(WORDS), chance.choice(others)))
            lines[at] = lines[at][: field.start()] + word + lines[at][field.end() :]
