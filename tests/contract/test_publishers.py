"""What every publisher owes, whatever its method: one suite for all of them, through the written folder."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shoal import (
    Generalized,
    Table,
    Transactions,
    anatomy,
    diffpart,
    disassociate,
    fakes,
    hybrid,
    injector,
    k_anonymity,
    km_generalization,
    mask,
    read_release,
    verify,
)
from shoal.data.hierarchy_builders import usual
from shoal.engine.threads import Threads
from shoal.errors import Infeasible
from shoal.release.evidence import Evidence
from shoal.run import Run


@dataclass(frozen=True)
class Publisher:
    """A method with options under which ten records and more can be published."""

    name: str
    publish: Any
    deterministic: bool = True
    alone: bool = False
    """Whether a single record can be published."""

    def __str__(self):
        return self.name


def kept(data):
    """Sets to keep, none of them with the first item, as far as there are items."""
    return [items for items in (data.words[1:3], data.words[2:4]) if len(items) > 1]


def by_chance(name, publish):
    """A method in whose release each run's chance stands, here that of a seed: the same run gives the same bytes."""
    return Publisher(name, partial(publish, run=Run(chance=7)), deterministic=False, alone=True)


PUBLISHERS = [
    Publisher("disassociate", lambda data: disassociate(data, 3, 2)),
    Publisher("disassociate, m = 4", lambda data: disassociate(data, 2, 4, max_cluster_size=5)),
    Publisher("disassociate, not refined", lambda data: disassociate(data, 3, 2, refine_rounds=0)),
    Publisher(
        "disassociate, refined to the end",
        lambda data: disassociate(data, 2, 2, max_cluster_size=3, refine_rounds=100, run=Run(engine=Threads(2))),
    ),
    Publisher("disassociate, rare items dropped", lambda data: disassociate(data, 3, 2, drop_rare=True)),
    Publisher("disassociate, dls", lambda data: disassociate(data, 3, 2, vertical="dls")),
    Publisher("disassociate, dls, m = 3", lambda data: disassociate(data, 2, 3, max_cluster_size=9, vertical="dls")),
    Publisher("disassociate, best", lambda data: disassociate(data, 2, 2, vertical="best", run=Run(engine=Threads(2)))),
    Publisher(
        "disassociate, dls, no certain links",
        lambda data: disassociate(data, 2, 2, max_cluster_size=9, vertical="dls", cover_safe=True),
    ),
    Publisher(
        "disassociate, dls, sensitive items",
        lambda data: disassociate(data, 2, 2, sensitive=data.words[:1], l=2, vertical="dls"),
    ),
    Publisher("disassociate, sets kept", lambda data: disassociate(data, 3, 2, keep_itemsets=kept(data)[:1])),
    Publisher(
        "disassociate, sets kept, dls, sensitive items",
        lambda data: disassociate(data, 2, 2, keep_itemsets=kept(data), sensitive=data.words[:1], l=2, vertical="dls"),
    ),
    Publisher("disassociate, sensitive items", lambda data: disassociate(data, 3, 2, sensitive=data.words[:1], l=2)),
    Publisher("km-generalization", lambda data: km_generalization(data, 3, 2)),
    Publisher("km-generalization, m = 3", lambda data: km_generalization(data, 2, 3, publish_hierarchy=True)),
    by_chance("mask", lambda data, **chance: mask(data, 0.9, **chance)),
    by_chance("mask, barely", lambda data, **chance: mask(data, 0.51, max_basket=3, **chance)),
    by_chance("mask, items given", lambda data, **chance: mask(data, 0.8, items=[*"hgfedcba", "z"], **chance)),
    by_chance("fakes", lambda data, **chance: fakes(data, 2, **chance)),
    by_chance("fakes, as long as the data", lambda data, **chance: fakes(data, 0.3, fake_length="data", **chance)),
    by_chance("hybrid", lambda data, **chance: hybrid(data, 0.95, 1.5, **chance)),
    by_chance("hybrid, private", lambda data, **chance: hybrid(data, 0.7, 3, fake_length=1, max_basket=2, **chance)),
]
# With a seed, noise does not depend on the order of records either.
PUBLISHERS += [
    Publisher("diffpart", lambda data: diffpart(data, 1.0, run=Run(chance=7)), alone=True),
    Publisher("diffpart, much", lambda data: diffpart(data, 20.0, fanout=2, run=Run(chance=7)), alone=True),
]
PUBLISHERS.append(Publisher("hybrid, by the system's chance", lambda data: hybrid(data, 0.9, 1), False, alone=True))
every_publisher = pytest.mark.parametrize("publisher", PUBLISHERS, ids=str)
baskets = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=10, max_size=40).filter(
    # Something must be left when an item is sensitive, or the rare ones are dropped.
    lambda rows: sum(row > {min(min(r) for r in rows)} for row in rows) >= 8
)


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@every_publisher
@settings(max_examples=15)
@given(baskets, st.randoms())
def test_what_is_written_verifies_and_does_not_depend_on_the_order_of_the_input(
    publisher, tmp_path_factory, rows, random
):
    folder = tmp_path_factory.mktemp("releases")
    data = Transactions.from_records(rows)
    before = data.items.copy()
    try:
        release = publisher.publish(data)
    except Infeasible:
        assume(False)
    assert release.write(folder / "one", even_if_empty=True).holds  # few records leave little
    assert np.array_equal(data.items, before)
    verdict = verify(folder / "one", Evidence(original=data))
    assert verdict.holds, str(verdict)
    assert repr(read_release(folder / "one")) == repr(release)
    if publisher.deterministic:
        shuffled = Transactions.from_records(random.sample(rows, len(rows)))
        publisher.publish(shuffled).write(folder / "two", even_if_empty=True)
        assert files(folder / "one") == files(folder / "two")
    else:
        shuffled = publisher.publish(Transactions.from_records(random.sample(rows, len(rows))))
        assert shuffled.promises == release.promises
        assert shuffled.vocabulary == release.vocabulary
        assert {**shuffled.counts, "ones": 0} == {**release.counts, "ones": 0}
        if release.reproducible:
            publisher.publish(data).write(folder / "two", even_if_empty=True)
            assert files(folder / "one") == files(folder / "two")


@every_publisher
def test_a_single_record_can_be_published_by_few(publisher, tmp_path):
    one = Transactions.from_records([{"a", "b"}])
    if publisher.alone:
        assert publisher.publish(one).write(tmp_path / "release", even_if_empty=True).holds
        return
    with pytest.raises(Infeasible):
        publisher.publish(one)


@every_publisher
def test_no_records_cannot_be_published(publisher):
    nothing = Transactions.from_records([])
    with pytest.raises((Infeasible, ValueError)):
        publisher.publish(nothing)


TABLE_PUBLISHERS = [
    Publisher("anatomy", lambda table: anatomy(table, 2), deterministic=False),
    Publisher("anatomy, seeded", lambda table: anatomy(table, 2, run=Run(chance=1)), deterministic=False),
    Publisher("injector", lambda table: injector(table, 2), deterministic=False),
    Publisher("injector, printed", lambda table: injector(table, 2, strategy="printed"), deterministic=False),
    Publisher(
        "injector, conjunctions, rules published",
        lambda table: injector(table, 2, min_expectation=0.5, max_attributes=2, disclose_rules=True),
        deterministic=False,
    ),
    Publisher("injector, fuzzy", lambda table: injector(table, 2, membership="minimum"), deterministic=False),
    Publisher("injector, unsure", lambda table: injector(table, 2, min_confidence=0.9), deterministic=False),
    Publisher("k-anonymity", lambda table: k_anonymity(table, 3)),
    Publisher("k-anonymity, suppressing", lambda table: k_anonymity(table, 3, max_suppressed=0.25, loss="taxonomy")),
    Publisher("k-anonymity, evaluated", lambda table: k_anonymity(table, 4, evaluate_from=1, take_back=False)),
    Publisher("k-anonymity, greedy", lambda table: k_anonymity(table, 2, hide="greedy", min_support=0.2)),
    Publisher("k-anonymity, iga", lambda table: k_anonymity(table, 3, hide="iga", publish_hierarchies=True)),
    Publisher("k-anonymity, resistant", lambda table: k_anonymity(table, 2, hide="resistant", min_confidence=0.6)),
    Publisher("mondrian", lambda table: k_anonymity(table, 2, strategy="mondrian")),
    Publisher(
        "mondrian, suppressing, resistant",
        lambda table: k_anonymity(table, 3, strategy="mondrian", max_suppressed=0.2, hide="resistant"),
    ),
]
every_table_publisher = pytest.mark.parametrize("publisher", TABLE_PUBLISHERS, ids=str)
people = st.lists(
    st.tuples(st.integers(20, 24), st.sampled_from(["f", "m", None]), st.sampled_from("abcd")), min_size=12, max_size=40
)


def table_of(rows):
    ages, sexes, values = zip(*rows, strict=True)
    columns = {"age": ages, "sex": pa.array(sexes, pa.string()), "illness": values}
    return Table.from_arrow(pa.table(columns), quasi=["age", "sex"], sensitive="illness")


@every_table_publisher
@settings(max_examples=15, deadline=None)
@given(people, st.randoms())
def test_a_table_that_is_written_verifies_with_the_original_or_cannot_be_published(
    publisher, tmp_path_factory, rows, random
):
    folder = tmp_path_factory.mktemp("releases")
    table = table_of(rows)
    before = [column.codes.copy() for column in table]
    try:
        release = publisher.publish(table)
    except Infeasible:
        assume(False)
    assert release.write(folder / "one", even_if_empty=True).holds  # few rows leave little
    assert all(np.array_equal(column.codes, codes) for column, codes in zip(table, before, strict=True))
    trees = {"age": usual(table.column("age"))} if isinstance(release, Generalized) else None
    verdict = verify(folder / "one", Evidence(original=table, hierarchies=trees))
    assert verdict.holds, str(verdict)
    assert repr(read_release(folder / "one")) == repr(release)
    if publisher.deterministic:
        publisher.publish(table_of(random.sample(rows, len(rows)))).write(folder / "two", even_if_empty=True)
        assert files(folder / "one") == files(folder / "two")


@every_table_publisher
def test_a_single_row_cannot_be_published(publisher):
    with pytest.raises(Infeasible):
        publisher.publish(table_of([(20, "f", "a")]))
