"""A small language of conditions on columns, as queries over tables are written: ``age in 30..40 and disease = flu``.

Conditions are joined by ``and``. Each is a column, an operator, and what it compares with:

    = value    != value    < number    <= number    > number    >= number
    in a..b    in a..      in ..b      in {value, value}

Names and values with blanks or with any of ``= ! < > { } ,`` in them stand in quotes, double or single; a quote inside
is written twice. Nothing here knows a table: see ``meeting`` for what conditions mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from shoal.errors import InputError
from shoal.quoting import LONGEST, is_discreet, named, shown

_WORD = re.compile(r"""[^\s=!<>{},"'][^\s=!<>{},]*""")
_OPERATOR = re.compile(r"!=|<=|>=|=|<|>")
NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({NUMBER})?(\s*)\.\.(\s*)({NUMBER})?(?=[\s,}}]|$)", re.ASCII)
_BLANKS = re.compile(r"\s*")
_OPERATORS = "=, !=, <, <=, >, >= or in"


class Word(NamedTuple):
    """A piece of a query, and where in it that piece begins."""

    text: str
    at: int


@dataclass(frozen=True)
class OneOf:
    """A column has one of some values, or none of them."""

    column: Word
    values: tuple[Word, ...]
    negated: bool = False


@dataclass(frozen=True)
class Between:
    """A column has a number between two bounds, one of which may be missing."""

    column: Word
    low: Word | None
    high: Word | None
    open: bool = False
    """Whether the bounds themselves are left out."""


Clause = OneOf | Between


@dataclass(frozen=True)
class Query:
    """A parsed query: all clauses must be met.

    Example:
        >>> [clause.column.text for clause in parse("age in 30..40 and 'marital status' != single").clauses]
        ['age', 'marital status']
    """

    text: str
    clauses: tuple[Clause, ...]

    def refuse(self, at: int, what: str) -> NoReturn:
        """Say what is wrong with this query, and show where."""
        _refuse(self.text, at, what)


def parse(text: str) -> Query:
    """The query that a text says.

    Raises:
        InputError: the text is no query; shows where it stops being one, and what would be right there.
    """
    if not isinstance(text, str):
        raise InputError(f"a query is a text, as in 'age in 30..40 and disease = flu'; got {shown(text)}")
    reader = _Reader(text)
    if reader.at_end():
        raise InputError("the query is empty: write a condition, as in 'age in 30..40 and disease = flu'")
    clauses = [reader.clause()]
    while not reader.at_end():
        if not reader.keyword("and"):
            reader.refuse("expected 'and' or the end; a value with blanks or commas in it needs quotes")
        clauses.append(reader.clause())
    return Query(text, tuple(clauses))


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def refuse(self, what: str, at: int | None = None) -> NoReturn:
        _refuse(self.text, self.at if at is None else at, what)

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern matches here, behind blanks; the reader moves behind it."""
        self.skip_blanks()
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def skip_blanks(self) -> None:
        found = _BLANKS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def at_end(self) -> bool:
        self.skip_blanks()
        return self.at == len(self.text)

    def sign(self, sign: str) -> bool:
        return self.match(re.compile(re.escape(sign))) is not None

    def keyword(self, word: str) -> bool:
        """Whether the next word is this one, unquoted."""
        before = self.at
        found = self.match(_WORD)
        if found and found[0].lower() == word:
            return True
        self.at = before
        self.skip_blanks()
        return False

    def word(self, what: str) -> Word:
        """A name or a value, quoted or not."""
        if self.at_end():
            self.refuse(f"the query ends where {what} is expected")
        at, quote = self.at, self.text[self.at]
        if quote in "\"'":
            return Word(self.quoted(quote), at)
        found = self.match(_WORD)
        if found is None:
            self.refuse(f"expected {what}, found {shown(quote)}; a name or value with such a sign in it needs quotes")
        return Word(found[0], at)

    def quoted(self, quote: str) -> str:
        start = self.at
        pieces = []
        while True:
            end = self.text.find(quote, self.at + 1)
            if end < 0:
                self.refuse(f"a quote is left open: close it with {quote}", at=start)
            pieces.append(self.text[self.at + 1 : end])
            self.at = end
            if self.text[end + 1 : end + 2] != quote:
                break
            self.at = end + 1
        self.at = end + 1
        return quote.join(pieces)

    def clause(self) -> Clause:
        column = self.word("the name of a column")
        if self.keyword("in"):
            return self.collection(column)
        operator = self.match(_OPERATOR)
        if operator is None:
            self.refuse(
                f"expected {_OPERATORS} behind the column {named(column.text)}; a name with blanks needs quotes"
            )
        value = self.word("a value" if operator[0] in ("=", "!=") else "a number")
        return _comparison(column, operator[0], value)

    def collection(self, column: Word) -> Clause:
        """What stands behind ``in``: a range of numbers, or values in braces."""
        self.skip_blanks()
        span = self.match(_RANGE)
        if span:
            low, high = (Word(span[g], span.start(g)) if span[g] else None for g in (1, 4))
            if low is None and high is None:
                self.refuse("a range needs a number before or behind the dots, as in 30.. or ..40", at=span.start())
            return Between(column, low, high)
        if not self.sign("{"):
            self.refuse("expected a range of numbers, as in 30..40, or values in braces, as in {flu, cold}")
        values = [self.word("a value")]
        while not self.sign("}"):
            if not self.sign(","):
                self.refuse("expected a comma or } here; a value with blanks in it needs quotes")
            values.append(self.word("a value"))
        return OneOf(column, tuple(values))


def _comparison(column: Word, operator: str, value: Word) -> Clause:
    if operator in ("=", "!="):
        return OneOf(column, (value,), negated=operator == "!=")
    low, high = (value, None) if operator[0] == ">" else (None, value)
    return Between(column, low, high, open=len(operator) == 1)


def is_number(text: str) -> bool:
    """Whether a text is a number as queries write it."""
    return re.fullmatch(NUMBER, text, re.ASCII) is not None


def _refuse(text: str, at: int, what: str) -> NoReturn:
    if is_discreet():
        raise InputError(f"the query is wrong at character {at + 1}: {what}")
    # Only some of a long query; a tab, a line break or an escape would put the mark below another place.
    first = max(0, at - LONGEST // 2)
    near = "".join(c if c.isprintable() else " " for c in text[first : first + LONGEST])
    raise InputError(f"the query is wrong at character {at + 1}: {what}\n  {near}\n  {' ' * (at - first)}^")
