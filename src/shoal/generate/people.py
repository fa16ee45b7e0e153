"""Generate a table of fake people whose columns depend on each other, as in real tables.

None of these people exist, and no real statistics were used: the numbers were chosen to make dependencies
clear.

    sex, age → diagnosis     prostate diseases only for men from 40 on, pregnancy complications only for
                             women up to 49; dementia late, sports injuries early
    age → education          no bachelor before 21, no master before 23, no doctorate before 26; older people
                             studied less
    education → occupation   physicians and lawyers have studied, cleaners mostly have not
    age → occupation         students are young, most people from 67 on are retired
    region → occupation      the first digit of the postcode is the region: farmers live in 1 and 2, fishers
                             on the coast (3)
    region → diagnosis       tick-borne fever in the forests (1), asthma in the old industrial towns (7 and 8)
    occupation → diagnosis   back pain for those who lift and carry

Each column is drawn from a table of probabilities, whose row is chosen by the columns before it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Float64, Int64
from shoal.generate.destination import Destination, destination
from shoal.limits import require_whole
from shoal.randomness import generator

_BLOCK_ROWS = 65_536
_YOUNGEST, _OLDEST = 18, 95
_SEXES = ("female", "male")
_REGIONS = 8
_DISTRICTS = 12
_STREETS = 20

# Education: the youngest age at which people have it, how common it is, how much more common for the young.
_EDUCATION: tuple[tuple[str, int, float, float], ...] = (
    ("doctorate", 26, 2, 0.5),
    ("master", 23, 10, 1.0),
    ("bachelor", 21, 18, 1.2),
    ("vocational", 18, 25, 0.0),
    ("secondary", 18, 28, 0.0),
    ("primary", 18, 17, -2.0),
)

# Occupation: how common it is with each education in the order above, and the regions it clusters in, if any.
_OCCUPATION: tuple[tuple[str, tuple[float, ...], str], ...] = (
    ("physician", (14, 8, 0, 0, 0, 0), ""),
    ("scientist", (30, 6, 1, 0, 0, 0), ""),
    ("lawyer", (6, 9, 0, 0, 0, 0), ""),
    ("teacher", (18, 18, 12, 1, 0, 0), ""),
    ("engineer", (16, 18, 14, 3, 0, 0), ""),
    ("programmer", (8, 12, 12, 5, 3, 0), ""),
    ("accountant", (2, 10, 14, 6, 4, 0), ""),
    ("nurse", (0, 2, 12, 12, 2, 0), ""),
    ("clerk", (2, 6, 14, 12, 16, 4), ""),
    ("shop-assistant", (0, 2, 6, 10, 18, 14), ""),
    ("electrician", (0, 0, 1, 14, 4, 2), ""),
    ("builder", (0, 0, 1, 10, 10, 16), ""),
    ("driver", (0, 1, 2, 8, 12, 16), ""),
    ("cook", (0, 1, 2, 8, 8, 8), ""),
    ("cleaner", (0, 0, 1, 2, 8, 22), ""),
    ("farmer", (1, 1, 2, 3, 3, 5), "12"),
    ("fisher", (0, 0, 0, 1, 1, 2), "3"),
    ("student", (1, 4, 14, 8, 30, 4), ""),
    ("retired", (1, 1, 1, 1, 1, 1), ""),
)
_LIFTING = frozenset({"nurse", "builder", "farmer", "fisher", "cleaner", "driver"})


@dataclass(frozen=True)
class _Diagnosis:
    """How common a diagnosis is: a level, an age around which it peaks, and its factors."""

    name: str
    level: float
    peak: float | None = None
    width: float = 15
    women: float = 1
    men: float = 1
    ages: tuple[int, int] = (_YOUNGEST, _OLDEST)
    regions: str = ""
    lifting: float = 1


# The last one is possible for everyone: rounding at the end of a row must not give an impossible one.
_DIAGNOSES: tuple[_Diagnosis, ...] = (
    _Diagnosis("prostate-enlargement", 12, 75, 14, women=0, ages=(40, _OLDEST)),
    _Diagnosis("prostate-cancer", 5, 75, 10, women=0, ages=(40, _OLDEST)),
    _Diagnosis("pregnancy-complication", 10, 30, 6, men=0, ages=(_YOUNGEST, 49)),
    _Diagnosis("breast-cancer", 6, 64, 14, men=0.01),
    _Diagnosis("osteoporosis", 9, 78, 12, men=0.2),
    _Diagnosis("heart-disease", 16, 78, 15, women=0.6),
    _Diagnosis("hypertension", 18, 68, 18),
    _Diagnosis("diabetes", 10, 66, 16),
    _Diagnosis("stroke", 6, 82, 11),
    _Diagnosis("dementia", 14, 92, 8, ages=(50, _OLDEST)),
    _Diagnosis("arthritis", 10, 72, 16, men=0.6),
    _Diagnosis("sports-injury", 12, 22, 9, women=0.6),
    _Diagnosis("migraine", 6, 36, 14, men=0.4),
    _Diagnosis("depression", 7, 40, 25, men=0.7),
    _Diagnosis("anxiety", 5, 28, 16),
    _Diagnosis("hiv", 0.8, 38, 12, women=0.4),
    _Diagnosis("asthma", 2, regions="78"),
    _Diagnosis("tick-borne-fever", 1.2, regions="1"),
    _Diagnosis("back-pain", 8, 48, 18, lifting=3),
    _Diagnosis("influenza", 8),
)

_CLUSTERING = 6.0
"""How many times more common something is in its regions than elsewhere."""


def people(n_rows: int = 1_000, *, seed: int | None = None) -> pa.Table:
    """Generate a table of fake people in memory: age, sex, education, occupation, postcode, diagnosis.

    Args:
        n_rows: How many people.
        seed: For experiments: equal seeds, equal people; a longer table begins with the shorter one.

    Returns:
        An Arrow table; age is a whole number, the other columns are text. The head of this module says how
        the columns depend on each other.

    Raises:
        InputError: The number of rows or the seed is out of its range.

    Example:
        >>> table = people(100, seed=1)
        >>> table.column_names
        ['age', 'sex', 'education', 'occupation', 'postcode', 'diagnosis']
        >>> table.num_rows
        100
    """
    return pa.Table.from_batches(_blocks(n_rows, seed))


def write_people(target: Destination, n_rows: int = 1_000, *, seed: int | None = None) -> None:
    """Write any number of fake people to a file: the same as ``people`` generates with the same seed.

    Args:
        target: A file name (an existing file is overwritten), ``-`` for standard output, or an open binary
            file. A name that ends in ``.parquet`` is written as Parquet, any other as CSV with a line of
            column names.
        n_rows: How many people.
        seed: For experiments: equal seeds, equal people.

    Raises:
        InputError: The number of rows or the seed is out of its range, or the file cannot be written.

    Example:
        >>> import io
        >>> text = io.BytesIO()
        >>> write_people(text, 5, seed=1)
        >>> text.getvalue().splitlines()[0]
        b'age,sex,education,occupation,postcode,diagnosis'
    """
    blocks = _blocks(n_rows, seed)
    as_parquet = isinstance(target, str | os.PathLike) and os.fspath(target).endswith(".parquet")
    with destination(target) as file:
        if as_parquet:
            _write_parquet(file, blocks)
        else:
            file.write(",".join(_schema().names).encode() + b"\n")
            for block in blocks:
                file.write(_csv_lines(block))


def _schema() -> pa.Schema:
    texts = ("sex", "education", "occupation", "postcode", "diagnosis")
    return pa.schema([("age", pa.int64()), *((name, pa.string()) for name in texts)])


def _write_parquet(file: BinaryIO, blocks: Iterator[pa.RecordBatch]) -> None:
    from pyarrow import parquet  # loads slowly, and CSV does not need it

    with parquet.ParquetWriter(file, _schema()) as writer:
        for block in blocks:
            writer.write_batch(block)


def _csv_lines(block: pa.RecordBatch) -> memoryview:
    """The rows as text. No value holds a comma, a quote or a line end, so nothing needs quoting."""
    texts = [column.cast(pa.string()) for column in block.columns]
    lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*texts, ","), "", "\n")
    _, where, data = lines.buffers()
    return memoryview(data)[: np.frombuffer(where, np.int32, len(lines) + 1)[-1]]


def _blocks(n_rows: int, seed: int | None) -> Iterator[pa.RecordBatch]:
    """Check the arguments immediately, then generate people block after block."""
    require_whole("n_rows", n_rows, least=1)
    rng = generator(seed)
    # Blocks are always drawn in full: the contents of a row do not depend on the number of rows.
    return (_block(rng).slice(0, min(_BLOCK_ROWS, n_rows - start)) for start in range(0, n_rows, _BLOCK_ROWS))


def _block(rng: np.random.Generator) -> pa.RecordBatch:
    tables = _tables()
    nobody = np.zeros(_BLOCK_ROWS, np.int64)
    age = tables.age.draw(rng, nobody)
    sex = tables.sex.draw(rng, age)
    education = tables.education.draw(rng, age)
    region = tables.region.draw(rng, nobody)
    occupation = tables.occupation.draw(rng, (age * len(_EDUCATION) + education) * _REGIONS + region)
    lifts = tables.lifts[occupation]
    diagnosis = tables.diagnosis.draw(rng, ((age * 2 + sex) * _REGIONS + region) * 2 + lifts)
    place = tables.place.draw(rng, nobody)
    columns = [
        pa.array(age + _YOUNGEST),
        _named(_SEXES, sex),
        _named([name for name, *_ in _EDUCATION], education),
        _named([name for name, *_ in _OCCUPATION], occupation),
        tables.postcodes.take(pa.array(region * (_DISTRICTS * _STREETS) + place)),
        _named([diagnosis.name for diagnosis in _DIAGNOSES], diagnosis),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_schema())


def _named(names: tuple[str, ...] | list[str], codes: Int64) -> pa.Array:
    return pa.array(names, pa.string()).take(pa.array(codes))


class _Chances:
    """Rows of probabilities, from which values are drawn with one search for all rows."""

    def __init__(self, weights: npt.ArrayLike) -> None:
        table = np.atleast_2d(np.asarray(weights, np.float64))
        cumulated = np.cumsum(table, axis=1)
        cumulated /= cumulated[:, -1:]
        self.n_values = table.shape[1]
        # Row r covers the numbers from r to r + 1; an impossible value covers nothing and is never found.
        self.line: Float64 = (cumulated + np.arange(len(table))[:, None]).ravel()

    def draw(self, rng: np.random.Generator, rows: Int64) -> Int64:
        """One value for each given row number."""
        found = np.searchsorted(self.line, rows + rng.random(len(rows)), side="right")
        # A number just below the end of a row may be rounded to it: that is still the row's last value.
        values: Int64 = np.minimum(found - rows * self.n_values, self.n_values - 1)
        return values


@dataclass(frozen=True)
class _Tables:
    age: _Chances
    sex: _Chances
    education: _Chances
    region: _Chances
    occupation: _Chances
    diagnosis: _Chances
    place: _Chances
    lifts: Int64
    postcodes: pa.Array


@cache
def _tables() -> _Tables:
    """All probabilities, computed at the first use."""
    ages = np.arange(_YOUNGEST, _OLDEST + 1)
    age = np.where(ages < 60, 1.0, np.exp(-(((ages - 60) / 20.0) ** 2)))
    share_of_men = np.where(ages < 60, 0.5, 0.5 - (ages - 60) * 0.006)  # women live longer
    districts = 1.0 / np.arange(1, _DISTRICTS + 1)  # a few towns, and villages
    codes = [
        f"{region}{district:02d}{street:02d}"
        for region in range(1, _REGIONS + 1)
        for district in range(10, 10 + _DISTRICTS)
        for street in range(1, _STREETS + 1)
    ]
    return _Tables(
        age=_Chances(age),
        sex=_Chances(np.column_stack([1 - share_of_men, share_of_men])),
        education=_Chances(_education_weights(ages)),
        region=_Chances([6, 7, 8, 12, 20, 16, 15, 16]),
        occupation=_Chances(_occupation_weights(ages).reshape(-1, len(_OCCUPATION))),
        diagnosis=_Chances(_diagnosis_weights(ages).reshape(-1, len(_DIAGNOSES))),
        place=_Chances(np.repeat(districts, _STREETS)),
        lifts=np.array([name in _LIFTING for name, *_ in _OCCUPATION], np.int64),
        postcodes=pa.array(codes, pa.string()),
    )


def _education_weights(ages: Int64) -> Float64:
    """Age by education."""
    youth = (55.0 - np.maximum(ages, 30)) / 40.0  # from .6 for the young to -1 for the oldest
    columns = [
        np.where(ages >= youngest, level * np.exp(trend * youth), 0.0) for _, youngest, level, trend in _EDUCATION
    ]
    return np.column_stack(columns)


def _occupation_weights(ages: Int64) -> Float64:
    """Age by education by region by occupation."""
    by_education = np.array([weights for _, weights, _ in _OCCUPATION], np.float64).T
    by_region = np.array([_by_region(regions) for *_, regions in _OCCUPATION]).T
    one_age = by_education[:, None, :] * by_region
    weights: Float64 = np.repeat(one_age[None], len(ages), axis=0)
    names = [name for name, *_ in _OCCUPATION]
    student, retired = names.index("student"), names.index("retired")
    weights[..., student] *= np.exp(-np.maximum(ages - 21, 0) / 3.0)[:, None, None]
    weights[ages >= 35, ..., student] = 0
    working = weights.sum(axis=-1) - weights[..., retired]
    share = np.select([ages < 55, ages < 67], [0.0, 0.15], 0.95)[:, None, None]
    weights[..., retired] = working * share / (1 - share)
    return weights


def _diagnosis_weights(ages: Int64) -> Float64:
    """Age by sex by region by lifting or not by diagnosis."""
    columns = []
    for diagnosis in _DIAGNOSES:
        first, last = diagnosis.ages
        by_age = np.where((ages >= first) & (ages <= last), diagnosis.level, 0.0)
        if diagnosis.peak is not None:
            by_age *= np.exp(-0.5 * ((ages - diagnosis.peak) / diagnosis.width) ** 2)
        by_sex = np.array([diagnosis.women, diagnosis.men], np.float64)
        by_lifting = np.array([1.0, diagnosis.lifting])
        columns.append(
            by_age[:, None, None, None] * by_sex[:, None, None] * _by_region(diagnosis.regions)[:, None] * by_lifting
        )
    return np.stack(columns, axis=-1)


def _by_region(regions: str) -> Float64:
    """A factor for each region: the same everywhere, or more in the regions named."""
    return np.array([_CLUSTERING if str(region) in regions else 1.0 for region in range(1, _REGIONS + 1)])
