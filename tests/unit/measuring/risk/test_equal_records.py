"""Equal records, against comparing them."""

from collections import Counter

from hypothesis import given

from shoal.data.transactions import Transactions
from shoal.measuring.risk.equal_records import distinct_records
from tests.making.transaction_strategies import records


@given(records(1, 30, "abc"))
def test_equal_records_are_of_one_kind_in_the_order_in_which_they_come(rows):
    data = Transactions.from_records(rows)
    found = distinct_records(data.offsets, data.items, data.n_items)
    kinds = list(dict.fromkeys(rows))
    assert found.rows.tolist() == [rows.index(kind) for kind in kinds]
    assert found.kinds.tolist() == [kinds.index(row) for row in rows]
    assert found.counts.tolist() == [Counter(rows)[kind] for kind in kinds]


def test_no_records_are_of_no_kind():
    data = Transactions.from_records([])
    assert distinct_records(data.offsets, data.items, 0).counts.tolist() == []
