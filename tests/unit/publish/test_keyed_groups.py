"""Publishing with a secret is a function of the data: same table, same release; other data, another stream."""

import itertools
import random
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Table, anatomy, injector
from shoal.data.background import Background, Condition, NegativeRule
from shoal.errors import InputError
from shoal.publish.groups import in_canonical_order, keyed_stream
from shoal.randomness import Stream
from shoal.run import Run

SECRET, OTHER = b"s" * 32, b"t" * 32
RULES = Background("illness", (NegativeRule((Condition("sex", "f", ("f",)),), "gout"),))


def rows(n=60, seed=1):
    chance = random.Random(seed)
    return [(chance.randrange(20, 40), chance.choice("fm"), "abcdef"[at % 6], f"note {at}") for at in range(n)]


def people(found, columns=("age", "sex", "illness", "note")):
    by_name = dict(zip(("age", "sex", "illness", "note"), zip(*found, strict=True), strict=True))
    arrow = pa.table({name: list(by_name[name]) for name in columns})
    return Table.from_arrow(arrow, quasi=[name for name in columns if name in ("age", "sex")], sensitive="illness")


def parts(release):
    """All that is published of a release."""
    return {name: table.to_pydict() for name, table in release.to_arrow().items()}


def groups(release):
    """Which rows share a group, and with which values: whatever the columns' order."""
    names = sorted(release.quasi.names)
    cells = list(zip(*(release.quasi.to_arrow().column(name).to_pylist() for name in names), strict=True))
    values = release.values.to_pylist()
    found = Counter()
    for g in range(release.n_groups):
        members = tuple(sorted(cells[release.group_offsets[g] : release.group_offsets[g + 1]]))
        entries = range(release.bucket_offsets[g], release.bucket_offsets[g + 1])
        held = tuple((values[release.bucket_values[e]], int(release.bucket_counts[e])) for e in entries)
        found[members, held] += 1
    return found


def by_anatomy(table, l=3, **options):  # noqa: E741
    return anatomy(table, l, **options)


def by_injector(table, l=3, **options):  # noqa: E741
    return injector(table, l, background=options.pop("background", RULES), **options)


METHODS = pytest.mark.parametrize("publish", [by_anatomy, by_injector])


@METHODS
@given(order=st.randoms(use_true_random=False))
def test_rows_in_another_order_give_the_same_release(publish, order):
    found = rows()
    shuffled = order.sample(found, len(found))
    assert parts(publish(people(shuffled), secret=SECRET)) == parts(publish(people(found), secret=SECRET))


@METHODS
def test_a_release_with_a_secret_is_not_marked_reproducible_and_another_secret_makes_another_one(publish, tmp_path):
    table = people(rows())
    one = publish(table, secret=SECRET)
    assert not one.reproducible
    assert groups(one) != groups(publish(table, secret=OTHER))
    path = tmp_path / "steward.key"
    assert groups(publish(table, secret=path)) == groups(publish(table, secret=str(path)))
    assert groups(publish(table, secret=path.read_bytes())) == groups(publish(table, secret=path)) != groups(one)
    # Without one, chance is the operating system's.
    assert groups(publish(table)) != groups(publish(table))


@METHODS
def test_columns_in_another_order_or_that_are_not_published_make_no_second_release(publish):
    found = rows()
    one = groups(publish(people(found), secret=SECRET))
    assert groups(publish(people(found, ("illness", "sex", "age")), secret=SECRET)) == one
    renamed = [(*row[:3], "another note") for row in found]
    assert groups(publish(people(renamed), secret=SECRET)) == one


@METHODS
def test_a_secret_and_a_seed_are_refused_together(publish):
    with pytest.raises(InputError, match="a seed and a secret are two sources of randomness"):
        publish(people(rows()), secret=SECRET, run=Run(chance=1))


def test_other_data_and_other_options_draw_from_a_stream_that_has_nothing_to_do_with_it():
    table = in_canonical_order(people(rows()))
    streams = {
        "it": keyed_stream(table, SECRET, "anatomy", "l=3"),
        "other options": keyed_stream(table, SECRET, "anatomy", "l=4"),
        "another method": keyed_stream(table, SECRET, "injector", "l=3"),
        "another secret": keyed_stream(table, OTHER, "anatomy", "l=3"),
    }
    changed = rows()
    changed[7] = (changed[7][0] + 1, *changed[7][1:])
    swapped = rows()
    swapped[0], swapped[1] = (*swapped[0][:2], swapped[1][2], ""), (*swapped[1][:2], swapped[0][2], "")
    for what, found in {"a value": changed, "two values swapped": swapped, "a row fewer": rows()[1:]}.items():
        streams[what] = keyed_stream(in_canonical_order(people(found)), SECRET, "anatomy", "l=3")
    assert len({stream.key for stream in streams.values()}) == len(streams)
    assert keyed_stream(in_canonical_order(people(rows()[::-1])), SECRET, "anatomy", "l=3") == streams["it"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda table: by_anatomy(table, 2, secret=SECRET), lambda table: by_anatomy(table, 3, secret=SECRET)),
        (lambda table: by_injector(table, 2, secret=SECRET), lambda table: by_injector(table, 3, secret=SECRET)),
        (
            lambda table: by_injector(table, secret=SECRET, strategy="printed"),
            lambda table: by_injector(table, secret=SECRET, strategy="balanced"),
        ),
    ],
    ids=["l of anatomy", "l of injector", "strategy"],
)
def test_publishers_key_their_stream_with_their_options(one, other, monkeypatch):
    """Were it the secret and the data alone, releases by two numbers would deal rows by the same permutation."""
    keys = []
    real = Stream.keyed
    monkeypatch.setattr(Stream, "keyed", lambda *parts: keys.append(parts) or real(*parts))
    for publish in (one, other):
        publish(people(rows()))
    assert len(keys) == len(set(keys)) == 2


def test_who_knows_the_groups_of_one_table_cannot_deal_another_one_by_them():
    # Two tables that differ in one person's value alone. Were rows dealt by the secret alone, they would be dealt to
    # the same places, and the groups of the table that somebody knows would be those of the other.
    found = [(at, "f", "ab"[at % 2], "") for at in range(200)]
    other = [*found[:-2], (198, "f", "b", ""), (199, "f", "a", "")]
    pairs = [
        {frozenset(row[0] for row in members): 1 for members, _ in groups(anatomy(people(one), 2, secret=SECRET))}
        for one in (found, other)
    ]
    assert len(pairs[0].keys() & pairs[1].keys()) <= 8  # one of 100 is expected


def test_rules_make_groups_by_what_they_exclude_not_by_their_names_or_by_being_published():
    table = people(rows())
    one = groups(by_injector(table, secret=SECRET))
    renamed = Background("illness", (NegativeRule((Condition("sex", "women", ("f",)),), "gout"),))
    assert groups(by_injector(table, secret=SECRET, background=renamed, disclose_rules=True)) == one
    more = Background(
        "illness",
        (
            *RULES.rules,
            NegativeRule((Condition("sex", "m", ("m",)),), "a"),
        ),
    )
    assert groups(by_injector(table, secret=SECRET, background=more)) != one
    assert groups(by_injector(table, l=2, secret=SECRET)) != one


def test_groups_are_the_same_whatever_the_versions_of_shoal_and_its_dependencies():
    """A release that another version makes of the same table is a second one, which adds to the first."""
    with_residue = anatomy(people(rows(14)), 4, secret=SECRET)
    assert ages(with_residue) == ["20 30 32 32 34 35", "24 28 35 35", "26 27 37 39"]
    by_rules = injector(people(rows(12)), 2, background=RULES, secret=SECRET)
    assert ages(by_rules) == ["20 26", "24 39", "27 34", "28 32", "30 35", "35 35"]


def ages(release):
    """The ages of each group."""
    column, offsets = release.quasi.column("age"), release.group_offsets.tolist()
    texts = [column.texts[code] for code in column.codes]
    return [" ".join(sorted(texts[start:end])) for start, end in itertools.pairwise(offsets)]
