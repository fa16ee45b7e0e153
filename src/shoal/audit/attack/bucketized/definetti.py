"""Learn across all groups how the sensitive value depends on the quasi-identifiers, and guess it (deFinetti attack).

D. Kifer: Attacks on Privacy and deFinetti's Theorem, SIGMOD 2009. A naive Bayes classifier is learnt from a soft
assignment of values to rows, which starts as the shares in each group. The classifier then gives a new assignment,
scaled to the counts of each group, and so on. The attack uses the release alone; the truth only serves to count the
right guesses.

A column of more than 32 numbers is cut into 32 ranges of about as many rows each; other columns keep their 999 most
frequent values, and all others count as one. Each value of a column starts with one row of each sensitive value
(Laplace).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.finding import Finding, LeftOut
from shoal.audit.bucketized.against_table import number_alike, value_codes
from shoal.audit.parts import steps
from shoal.audit.residual import Residual
from shoal.audit.values import rows_of_values
from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze
from shoal.data.table import Column, Table
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Run

NAME = "deFinetti"
ROUNDS = 20
ENOUGH = 1e-3
"""The rounds end when a row's chances change by less than this on average."""
_RANGES, _WORDS = 32, 1_000
_SCALINGS = 4
_PAIRS_A_ROW, _LEAST_PAIRS, _LARGEST_TABLE = 60, 2_000_000, 2**24


@dataclass(frozen=True, eq=False)
class Guess:
    """The value of each row as the learner sees it: chances of the pairs of a row and a value of its group."""

    row: Int64
    value: Int64
    chance: Float64
    rounds: int

    def __post_init__(self) -> None:
        freeze(self)

    def named(self, n_rows: int) -> Float64:
        """For each pair the share of guesses: 1 for the row's likeliest value, less if several tie."""
        starts = np.searchsorted(self.row, np.arange(n_rows))
        best = np.maximum.reduceat(self.chance, starts)[self.row]
        top = self.chance >= best * (1 - 1e-9)
        return np.asarray(top / np.add.reduceat(top.astype(np.float64), starts)[self.row])


def learn(release: Bucketized, *, rounds: int = ROUNDS, run: Run = DEFAULT_RUN) -> Guess | LeftOut:
    """Guess the sensitive value of every row from the release alone."""
    entries = np.diff(release.bucket_offsets)
    lengths = entries[release.row_groups]
    n_values, columns = len(release.values), [_coarse(column) for column in release.quasi.columns]
    if int(lengths.sum()) > max(_LEAST_PAIRS, _PAIRS_A_ROW * release.n_rows):
        return LeftOut(NAME, "groups have so many rows and values that learning would take too much memory")
    if max(size for _, size in columns) * n_values > _LARGEST_TABLE:
        return LeftOut(NAME, f"{n_values:,} sensitive values are too many to learn")
    row = np.repeat(np.arange(release.n_rows), lengths)
    entry = np.repeat(release.bucket_offsets[release.row_groups], lengths) + steps(lengths)
    value = release.bucket_values[entry].astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    wanted = release.bucket_counts[entry].astype(np.float64)
    chance = wanted / np.repeat(release.group_sizes[release.row_groups], lengths)
    for turn in range(1, rounds + 1):
        score = np.zeros(len(row))
        for codes, size in columns:
            cell = codes[row] * n_values + value
            table = np.bincount(cell, chance, minlength=size * n_values).reshape(size, n_values) + 1
            score += np.log(table / table.sum(0)).reshape(-1)[cell]
        new = wanted * np.exp(score - np.maximum.reduceat(score, starts)[row])
        for _ in range(_SCALINGS):
            # The rows of a group use each of its values exactly as often as it occurs; each row has one value.
            given = np.bincount(entry, new, minlength=len(release.bucket_values))
            new *= (release.bucket_counts / np.maximum(given, 1e-300))[entry]
            new /= np.maximum(np.add.reduceat(new, starts), 1e-300)[row]
        change = float(np.abs(new - chance).sum()) / (2 * release.n_rows)
        chance = new
        run.report("deFinetti", turn, rounds)
        if change < ENOUGH:
            break
    return Guess(row, value, chance, turn)


def _coarse(column: Column) -> tuple[Int64, int]:
    """A column in few enough codes to learn from, and their number."""
    counts = rows_of_values(column)
    if column.is_number and len(counts) > _RANGES:
        middle = np.cumsum(counts) - counts / 2
        ranges = np.minimum((middle * _RANGES / len(column)).astype(np.int64), _RANGES - 1)
        return np.unique(ranges, return_inverse=True)[1].reshape(-1)[column.codes], len(np.unique(ranges))
    if len(counts) > _WORDS:
        rank = np.empty(len(counts), np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        return np.minimum(rank, _WORDS - 1)[column.codes], _WORDS
    return column.codes.astype(np.int64), len(counts)


def attack_definetti(release: Bucketized, original: Table | None, *, run: Run = DEFAULT_RUN) -> Finding | LeftOut:
    """Guess every row's value, and count the right guesses."""
    if original is None:
        return LeftOut(NAME, "only the original shows how often a guess is right (--original FILE)")
    published, true = number_alike(release.quasi, original)
    truth = value_codes(release, original.column(release.sensitive))
    number = int(max(published.max(), true.max(initial=0))) + 1
    sizes = np.bincount(published, minlength=number)
    if (truth < 0).any() or not np.array_equal(sizes, np.bincount(true, minlength=number)):
        return LeftOut(NAME, "the original and the release have different rows or values")
    guess = learn(release, run=run)
    if isinstance(guess, LeftOut):
        return guess
    n_values = len(release.values)
    # Rows with equal quasi-identifiers are indistinguishable: any of them may have any of their values.
    named = guess.named(release.n_rows)
    sure = named > 0
    keys = published[guess.row[sure]] * n_values + guess.value[sure]
    every, place = np.unique(np.concatenate([keys, true * n_values + truth]), return_inverse=True)
    place = place.reshape(-1)
    guessed = np.bincount(place[: len(keys)], named[sure], minlength=len(every))
    had = np.bincount(place[len(keys) :], minlength=len(every))
    right = float((guessed * had / sizes[every // n_values]).sum()) / release.n_rows
    most = np.maximum.reduceat(release.bucket_counts, release.bucket_offsets[:-1])
    everywhere = float(np.bincount(truth, minlength=n_values).max()) / release.n_rows
    in_group = float(most.sum()) / release.n_rows
    one_in_l = 1 / release.promise.l
    said = (
        "A naive Bayes classifier, learnt across all groups from the release alone, guesses the right value of "
        f"{release.sensitive} for {right:.1%} of the rows. A guess from the group alone is right for {in_group:.1%}, "
        f"the most frequent value of all for {everywhere:.1%}; 1/l is {one_in_l:.1%}. The promise does not cover this."
    )
    numbers = {
        "right_share": right,
        "one_in_l_share": one_in_l,
        "most_frequent_of_group_share": in_group,
        "most_frequent_of_all_share": everywhere,
        "rounds": guess.rounds,
    }
    residual = Residual(right, "rows", f"have their {release.sensitive} guessed right by a learner across groups")
    return Finding(NAME, said, numbers, residual=residual)
