r"""Split text into items, block after block, in arrays: shared by all readers of text.

An item includes the byte that ends it ("3 ", "3\n"), so a block of the file is used directly as the data of an Arrow
array, without a copy. Trimming, unquoting and checking then happen once for each different word of a block, not for
each occurrence, and never in a Python loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Int32, Int64, UInt8
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.assembly import Assembly
from shoal.io.opening import Opened
from shoal.io.plain_text import NEVER_IN_UTF8, line_of, refuse_binary, refuse_utf16
from shoal.quoting import shown

BLOCK_BYTES = 1 << 22
"""How many bytes of text are processed at a time."""

LONGEST_ITEM = 1 << 24
"""A longer item is probably a mistake, such as a double quote that is never closed."""

STAND_IN = NEVER_IN_UTF8
"""A placeholder for a separator of several bytes while a block is split."""

_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f]"
_CONTROL_OR_BREAK = r"[\x00-\x08\x0a-\x1f]"
_NOT_TEXT = "{} holds a control character: is this a text file with one record in each line?"
_STRAY_QUOTE = '{} has a misplaced double quote: put the whole item in double quotes, and write "" for each inside'
_QUOTED = r'(?s)^"(?:[^"]|"")*"$'


@dataclass(frozen=True)
class Grammar:
    """How a line of text is split into items."""

    ends: bytes
    """The bytes that end an item, besides the end of the line."""
    quotes: bool = False
    """Whether an item may be wrapped in double quotes, which then protect separators and line ends."""
    separator: bytes = b""
    """A separator of several bytes, replaced by ``STAND_IN`` in ``ends``."""
    whole_lines: bool = False
    """Whether a line must not be split between two blocks."""


class _BadWordError(Exception):
    """A word that is not an item: its code in the block and what is wrong with it."""

    def __init__(self, code: int, complaint: str) -> None:
        super().__init__(complaint)
        self.code = code
        self.complaint = complaint


@dataclass(frozen=True)
class Cut:
    """A block of text split into items, including empty ones."""

    codes: Int32
    """For each item its place in ``words``."""
    words: pa.Array
    """Text, trimmed and unquoted; a word can occur more than once."""
    line_ends: Int64
    """Which items are the last of their line, as places in ``codes``."""
    block: bytes
    offsets: Int32
    first_line: int

    def line_of(self, item: int) -> int:
        """The number of the line on which an item begins."""
        return line_of(self.block, int(self.offsets[item]), self.first_line)


def read_tokens(source: Opened, grammar: Grammar) -> Transactions:
    """Read one record from each line.

    Args:
        source: the text.
        grammar: how a line is split into items.

    Returns:
        The records; empty items are skipped, empty lines counted as dropped records.

    Raises:
        InputError: the text is not UTF-8, holds binary data or a misplaced double quote, or has no records.
            The message says on which line.
    """
    parts = Assembly()
    for cut in cuts(source, grammar):
        filled = pc.not_equal(cut.words, "").to_numpy(zero_copy_only=False)
        if filled.all():
            parts.add(cut.codes, cut.words, cut.line_ends + 1)
        else:
            kept = filled[cut.codes]
            parts.add(cut.codes[kept], cut.words, np.cumsum(kept)[cut.line_ends])
    return parts.transactions(source.name)


def cuts(source: Opened, grammar: Grammar) -> Iterator[Cut]:
    """Split a text into items, block after block; a missing end of the last line is added.

    Raises:
        InputError: the text is not UTF-8, or holds binary data or a misplaced double quote.
    """
    refuse_utf16(source)
    line, rest, last = 1, b"", b"\n"
    at_end = False
    while not at_end:
        # After an item that spans blocks, the next block is twice as large, so that it is not searched many times.
        chunk = source.stream.read(max(BLOCK_BYTES, len(rest)))
        at_end = not chunk
        if at_end and last != b"\n":
            chunk = b"\n"
        refuse_binary(chunk, source.name, line + rest.count(b"\n"))
        last = chunk[-1:] or last
        block = rest + chunk
        if grammar.separator:
            block = block.replace(grammar.separator, STAND_IN)
        ends = _ends(np.frombuffer(block, np.uint8), grammar) if block else np.zeros(0, np.int64)
        used = int(ends[-1]) + 1 if len(ends) else 0
        if used:
            yield _cut(block, ends, grammar, source.name, line)
        line += block.count(b"\n", 0, used)
        rest = block[used:]
        if rest and (at_end or len(rest) > LONGEST_ITEM):
            raise InputError(f"{source.name}, line {line}: {_endless(rest, grammar)}")


def _cut(block: bytes, ends: Int64, grammar: Grammar, name: str, line: int) -> Cut:
    offsets = np.zeros(len(ends) + 1, np.int32)
    np.add(ends, 1, out=offsets[1:], casting="unsafe")
    tokens = pa.Array.from_buffers(
        pa.binary(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(block)]
    ).dictionary_encode()
    codes: Int32 = tokens.indices.to_numpy()
    try:
        words = _clean(tokens.dictionary, grammar)
    except _BadWordError as bad:
        start = int(offsets[np.argmax(codes == bad.code)])
        raise InputError(f"{name}, line {line_of(block, start, line)}: {bad.complaint}") from None
    line_ends = np.flatnonzero(np.frombuffer(block, np.uint8)[ends] == ord("\n"))
    return Cut(codes, words, line_ends, block, offsets, line)


def _ends(data: UInt8, grammar: Grammar) -> Int64:
    """Where items end: at separators and line ends, but not between an odd double quote and the next one."""
    ending = data == ord("\n")
    for byte in grammar.ends:
        ending |= data == byte
    ends = np.flatnonzero(ending)
    if grammar.quotes:
        quotes = data == ord('"')
        if quotes.any():
            # Counting in eight bits wraps around, which keeps parity.
            ends = ends[np.cumsum(quotes, dtype=np.uint8)[ends] % 2 == 0]
    if grammar.whole_lines:
        line_ends = np.flatnonzero(data[ends] == ord("\n"))
        ends = ends[: line_ends[-1] + 1] if len(line_ends) else ends[:0]
    return ends


def _clean(tokens: pa.Array, grammar: Grammar) -> pa.Array:
    """The words of tokens: without the byte that ends them, trimmed, unquoted and checked."""
    words = pc.binary_slice(tokens, 0, -1)
    # "\r" belongs to the line end only where it stands right before "\n".
    words = _where(pc.ends_with(tokens, b"\r\n"), words, lambda w: pc.binary_slice(w, 0, -1))
    if grammar.separator:
        # What is left of the stand-in was inside quotes, where the separator is text.
        words = pc.replace_substring(words, STAND_IN, grammar.separator)
    try:
        words = words.cast(pa.string())
    except pa.ArrowInvalid:
        raise _not_utf8(words) from None
    words = pc.ascii_trim(words, " \t")
    if not grammar.quotes:
        _refuse(words, pc.match_substring_regex(words, _CONTROL_OR_BREAK), _NOT_TEXT)
        return words
    quoted = pc.match_substring(words, '"')
    _refuse(words, pc.and_not(quoted, pc.match_substring_regex(words, _QUOTED)), _STRAY_QUOTE)
    _refuse(words, pc.match_substring_regex(words, _CONTROL), _NOT_TEXT)
    _refuse(words, pc.and_not(pc.match_substring(words, "\r"), quoted), _NOT_TEXT)
    return _where(quoted, words, lambda w: pc.replace_substring(pc.utf8_slice_codeunits(w, 1, -1), '""', '"'))


def _where(mask: pa.Array, words: pa.Array, change: Callable[[pa.Array], Any]) -> pa.Array:
    """The words, changed where the mask is true; costs nothing if it is nowhere true."""
    return pc.if_else(mask, change(words), words) if pc.any(mask).as_py() else words


def _refuse(words: pa.Array, bad: pa.Array, complaint: str) -> None:
    code = pc.index(bad, True).as_py()
    if code >= 0:
        raise _BadWordError(code, complaint.format(shown(words[code].as_py())))


def _not_utf8(words: pa.Array) -> _BadWordError:
    """The first word that is not UTF-8; a loop, because the run ends here anyway."""
    for code, word in enumerate(words.to_pylist()):
        try:
            word.decode()
        except UnicodeDecodeError:
            return _BadWordError(code, f"{shown(word)} is not UTF-8 text: convert the file to UTF-8")
    raise AssertionError("Arrow refuses UTF-8 that Python accepts")


def _endless(rest: bytes, grammar: Grammar) -> str:
    if grammar.quotes and b'"' in rest:
        text = rest[:100].replace(STAND_IN, grammar.separator).decode("utf-8", "replace")
        return f"the double quote in {shown(text)} is never closed"
    return f"an item of more than {LONGEST_ITEM:,} bytes: is this a file of records?"
