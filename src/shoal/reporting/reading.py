"""How an analyst reads a release: code to copy, which runs unchanged next to the folder."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.data.arrays import Int64
from shoal.release import Release
from shoal.reporting.page import Code, Section, Words
from shoal.shapes import SHAPES


@dataclass(frozen=True)
class Reading:
    """How to read releases of one shape."""

    words: str
    """What is published, and what can be counted in it."""
    excerpt: Literal["--limit", "--rows"]
    """The option of ``shoal show`` that limits how much is shown."""
    remark: str
    """The result of the SQL."""
    sql: str
    """Three lines; FOLDER is the folder, QUASI are the quasi-identifiers."""
    items: tuple[str, ...] = ()
    """Items for an example query."""
    condition: str = ""
    """A condition for an example query, instead of items."""
    commands: tuple[tuple[str, str], ...] = ()
    """Shell commands, each with its words after the folder; all shapes start with verify, show and query."""
    python: tuple[str, ...] = ()
    """Lines of Python after the query."""
    quasi: tuple[str, ...] = ()
    """The quasi-identifiers in the SQL."""


def code_of(release: Release, folder: str) -> dict[str, str]:
    """Code that reads the release in a shell, in Python, and in DuckDB, which does not need Shoal."""
    reading: Reading = SHAPES[release.shape].load("report_reading")(release)
    lines = {
        "shell": _shell(reading, _argument(folder)),
        "python": _python(reading, folder),
        "sql": _sql(reading, folder),
    }
    return {language: "\n".join(code) for language, code in lines.items()}


def reading_section(release: Release, folder: str) -> Section:
    """Code for the shell, for Python, and for DuckDB, which does not need Shoal."""
    reading: Reading = SHAPES[release.shape].load("report_reading")(release)
    code = code_of(release, folder)
    return Section(
        "reading",
        "How to read it",
        (
            Words(reading.words),
            Code("In a shell", "sh", code["shell"]),
            Code("In Python", "python", code["python"]),
            Code("In DuckDB, without Shoal", "sql", code["sql"]),
        ),
    )


def _shell(reading: Reading, folder: str) -> list[str]:
    lines = [f"shoal verify {folder}", f"shoal show {folder} {reading.excerpt} 3"]
    if query := reading.condition or _listed(reading.items):
        lines.append(f"shoal query {folder} {_query(query)}")
    return lines + [f"shoal {command} {folder} {more}" for command, more in reading.commands]


def _python(reading: Reading, folder: str) -> list[str]:
    lines = ["import shoal", "", f"release = shoal.read_release({folder!r})"]
    if reading.condition:
        lines.append(f"print(release.count({reading.condition!r}))")
    elif reading.items:
        lines.append(f"print(release.support({list(reading.items)!r}))")
    return [*lines, *reading.python]


def _sql(reading: Reading, folder: str) -> list[str]:
    """Three lines below a remark; names of columns and of the folder are quoted for SQL."""
    filled = {
        # DuckDB reads the name of a file as a pattern.
        "FOLDER": re.sub(r"[*?[]", r"[\g<0>]", folder).replace("'", "''"),
        "QUASI": ", ".join('"' + name.replace('"', '""') + '"' for name in reading.quasi),
    }
    return [f"-- {reading.remark}", re.sub("FOLDER|QUASI", lambda place: filled[place[0]], reading.sql)]


def items_to_ask_for(words: Sequence[str], counts: Int64) -> tuple[str, ...]:
    """Up to two of the most frequent items that a command can take: not those with leading or trailing blanks."""
    ranked = np.lexsort((np.arange(len(counts)), -counts))
    known = (words[place] for place in ranked.tolist() if counts[place])
    return tuple(itertools.islice((word for word in known if word and word == word.strip() and "\0" not in word), 2))


def equals(column: str, value: str) -> str:
    """A condition on a column, as in a query."""
    return f"{_word(column)} = {_word(value)}"


def _argument(folder: str) -> str:
    """The folder as a shell word; a name that begins like an option is protected."""
    return shlex.quote(f"./{folder}" if folder.startswith("-") else folder)


def _query(text: str) -> str:
    """A query as a shell word; one that begins like an option is protected."""
    return f"-- {shlex.quote(text)}" if text.startswith("-") else shlex.quote(text)


def _listed(items: tuple[str, ...]) -> str:
    """Items as in a query: those with commas, quotes or line breaks in double quotes."""
    quoted = ('"' + item.replace('"', '""') + '"' if set(item) & set(',"\r\n') else item for item in items)
    return ", ".join(quoted)


def _word(text: str) -> str:
    plain = text.replace("-", "").replace("_", "").isalnum()
    return text if plain else "'" + text.replace("'", "''") + "'"
