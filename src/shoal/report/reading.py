"""How an analyst reads a release: code to copy, which runs as it stands beside the folder."""

from __future__ import annotations

import itertools
import re
import shlex

import numpy as np

from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized
from shoal.report.page import Code, Section, Words


def reading_section(release: Release, folder: str) -> Section:
    """Code for the shell, for Python, and for DuckDB, which needs no Shoal."""
    return Section(
        "reading",
        "How to read it",
        (
            Words(_chance(release) if isinstance(release, Randomized) else _WORDS[type(release)]),
            Code("In a shell", "sh", "\n".join(_shell(release, _argument(folder)))),
            Code("In Python", "python", "\n".join(_python(release, folder))),
            Code("In DuckDB, without Shoal", "sql", "\n".join(_sql(release, folder))),
        ),
    )


_WORDS: dict[type[Release], str] = {
    Disassociated: (
        "Records are in clusters. In a cluster, items that stand together in a subrecord of a chunk are together in a "
        "record of the original; which subrecords of different chunks belong together is not told. So supports have "
        "bounds that are certain and an expectation, and possible originals can be drawn at random."
    ),
    Bucketized: (
        "Quasi-identifiers stand in one table, sensitive values with their counts in another; a group says which "
        "belong together, not which row has which value. So counts have bounds that are certain, and an expectation."
    ),
    Generalized: (
        "A value is published as it is, or as a node of a hierarchy that stands for several. So counts have bounds "
        "that are certain; suppressed rows have no value at all."
    ),
    GeneralizedBaskets: (
        "An item is published as it is, or as a group of items that stands for it. Counts of published names are "
        "exact; those of items inside a group have bounds."
    ),
    NoisyBaskets: (
        "Baskets are published with counts to which noise was added; those that seemed too rare are missing, and some "
        "that nobody had may be there. Sums of counts have a standard error."
    ),
}


def _chance(release: Randomized) -> str:
    """What chance did to rows, and what it left as it was."""
    flipped, mixed = release.promise.keep_prob < 1, release.promise.fakes > 0
    rows = (
        "Made-up rows were mixed in, and then items of all rows flipped by chance: which rows are somebody's, and "
        "which of their items, is not told."
        if flipped and mixed
        else "Every row is somebody's, with items flipped by chance: which of them is not told."
        if flipped
        else "Records are among the rows as they were: which rows are made up is not told."
    )
    return f"{rows} Counts are wrong, and right on average once chance is undone, with a standard error."


def _shell(release: Release, folder: str) -> list[str]:
    in_parts = isinstance(release, Disassociated | Bucketized | Generalized)
    lines = [f"shoal verify {folder}", f"shoal show {folder} {'--limit' if in_parts else '--rows'} 3"]
    if isinstance(release, Bucketized | Generalized):
        return [*lines, f"shoal query {folder} {_query(_condition(release))}"]
    items = _items(release)
    lines += [f"shoal query {folder} {_query(_listed(items))}"] if items else []
    if isinstance(release, Disassociated):
        # The one format that carries any name of an item.
        lines += [f"shoal reconstruct {folder} -n 1 -o possible --format parquet"]
    return [*lines, f"shoal mine {folder} --min-support .05"] if _has_rows(release) else lines


def _python(release: Release, folder: str) -> list[str]:
    lines = ["import shoal", "", f"release = shoal.read_release({folder!r})"]
    if not _has_rows(release):
        return [*lines, "print(release.counts)"]
    if isinstance(release, Bucketized | Generalized):
        return [*lines, f"print(release.count({_condition(release)!r}))"]
    if items := _items(release):
        lines.append(f"print(release.support({items!r}))")
    if isinstance(release, Disassociated):
        return [
            *lines,
            "possible = next(iter(release.reconstruct(1)))",
            "print(shoal.frequent_itemsets(possible, .05))",
        ]
    if isinstance(release, Randomized):
        return [*lines, "print(shoal.estimated_itemsets(release, .05))"]
    return [*lines, "print(shoal.frequent_itemsets(release.baskets(), .05))"]


def _has_rows(release: Release) -> bool:
    """Whether there is something to mine: noise may have left no basket over."""
    return not isinstance(release, NoisyBaskets) or release.n_rows > 0


def _sql(release: Release, folder: str) -> list[str]:
    """Three lines below a remark; names of columns and of the folder are quoted as SQL asks for it."""
    remark, template = _QUERIES[type(release)]
    # DuckDB takes the name of a file for a pattern.
    filled = {"FOLDER": re.sub(r"[*?[]", r"[\g<0>]", folder).replace("'", "''"), "QUASI": ""}
    if isinstance(release, Generalized):
        filled["QUASI"] = ", ".join('"' + column.name.replace('"', '""') + '"' for column in release.quasi)
    return [f"-- {remark}", re.sub("FOLDER|QUASI", lambda place: filled[place[0]], template)]


_QUERIES: dict[type[Release], tuple[str, str]] = {
    Disassociated: (
        "in how many records items are by chunks alone; each term chunk that names one adds a record at least",
        """SELECT item, count(*) AS records
FROM (SELECT unnest(items) AS item FROM 'FOLDER/subrecords.parquet')
GROUP BY item ORDER BY records DESC, item LIMIT 10;""",
    ),
    Bucketized: (
        "rows, each with the values that its group has, and how often",
        """SELECT * FROM 'FOLDER/quasi_identifiers.parquet'
JOIN 'FOLDER/sensitive.parquet' USING ("group")
LIMIT 10;""",
    ),
    Generalized: (
        "groups of rows that agree on all quasi-identifiers",
        """SELECT QUASI, count(*) AS number
FROM 'FOLDER/rows.parquet' WHERE "group" IS NOT NULL
GROUP BY ALL ORDER BY number DESC LIMIT 10;""",
    ),
    Randomized: (
        "in how many rows items are as published, flips and made-up rows included",
        """SELECT name, count(*) AS number
FROM (SELECT unnest(items) AS item FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/items.parquet' USING (item)
GROUP BY name ORDER BY number DESC, name LIMIT 10;""",
    ),
    GeneralizedBaskets: (
        "in how many records published names are",
        """SELECT name, count(*) AS records
FROM (SELECT unnest(items) AS item FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/hierarchy.parquet' USING (item)
GROUP BY name ORDER BY records DESC, name LIMIT 10;""",
    ),
    NoisyBaskets: (
        "in how many records items are, by noisy counts",
        """SELECT name, sum(count) AS records
FROM (SELECT unnest(items) AS item, count FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/hierarchy.parquet' USING (item)
GROUP BY name ORDER BY records DESC, name LIMIT 10;""",
    ),
}


def _items(release: Release) -> list[str]:
    """One or two names that can be asked for."""
    if isinstance(release, Disassociated):
        counts = np.bincount(release.items, minlength=len(release.vocabulary))
        return _names(release.words, counts)
    if isinstance(release, Randomized):
        return _names(release.vocabulary.cast("string").to_pylist(), release.supports)
    if isinstance(release, GeneralizedBaskets):
        return _names(release.tree.labels, release.supports)
    assert isinstance(release, NoisyBaskets)
    return _names(release.tree.labels, np.bincount(release.items, minlength=len(release.tree)))


def _names(words: list[str] | tuple[str, ...], counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    """The most frequent ones, but for names that no command can be given: blanks around a name are not part of it."""
    ranked = np.lexsort((np.arange(len(counts)), -counts))
    known = (words[place] for place in ranked.tolist() if counts[place])
    return list(itertools.islice((word for word in known if word and word == word.strip() and "\0" not in word), 2))


def _argument(folder: str) -> str:
    """The folder as a shell takes it: a name that begins like an option is none."""
    return shlex.quote(f"./{folder}" if folder.startswith("-") else folder)


def _query(text: str) -> str:
    """A query as a shell takes it: one that begins like an option is none."""
    return f"-- {shlex.quote(text)}" if text.startswith("-") else shlex.quote(text)


def _listed(items: list[str]) -> str:
    """Items as a query takes them: those with commas, quotes or line breaks in double quotes."""
    quoted = ('"' + item.replace('"', '""') + '"' if set(item) & set(',"\r\n') else item for item in items)
    return ", ".join(quoted)


def _condition(release: Bucketized | Generalized) -> str:
    """A query that some rows meet."""
    if isinstance(release, Bucketized):
        values = release.values.cast("string").to_pylist()
        name, value = release.sensitive, next(value for value in values if value is not None)
    else:
        column = (release.sensitive or release.quasi)[0]
        held = int(np.argmax(column.counts))
        name, value = column.name, column.tree.labels[held]
    return f"{_word(name)} = {_word(value)}"


def _word(text: str) -> str:
    plain = text.replace("-", "").replace("_", "").isalnum()
    return text if plain else "'" + text.replace("'", "''") + "'"
