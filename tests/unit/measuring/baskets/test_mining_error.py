"""sigma+ and sigma-, definitions 4 and 5 of Mohaisen et al. 2010, against sets of names."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import vocabulary_order
from shoal.measuring.baskets.mining_error import mining_error, mining_error_by_size
from shoal.mining.itemsets import Itemsets
from tests.making.disassociated_releases import offsets

# Names whose order differs with what stands beside them: whole numbers alone stand by value, else as text.
NAMES = ["2", "10", "33", "4", "tea"]
some_sets = st.sets(st.frozensets(st.sampled_from(NAMES), min_size=1), max_size=20)


def itemsets(sets, names):
    words = pa.array(sorted(names), pa.string())
    words = words.take(pa.array(vocabulary_order(words)))
    code = {word: at for at, word in enumerate(words.to_pylist())}
    codes = [sorted(code[name] for name in one) for one in sets]
    flat = np.array([item for one in codes for item in one], np.int32)
    return Itemsets(offsets(map(len, codes)), flat, words, np.ones(len(codes), np.int64), 1)


@given(some_sets, some_sets, st.booleans(), st.booleans())
def test_sets_are_compared_by_name_whatever_their_codes(true, found, all_names, all_others):
    wanted = itemsets(true, NAMES if all_names else set().union(*true))
    other = itemsets(found, [*NAMES, "1"] if all_others else set().union(*found))
    error = mining_error(wanted, other)
    assert (error.true, error.found, error.both) == (len(true), len(found), len(true & found))
    if true:
        assert error.false_positive == len(found - true) / len(true)
        assert error.false_negative == len(true - found) / len(true)
    else:
        assert error.false_positive is error.false_negative is None
    for size, part in mining_error_by_size(wanted, other).items():
        t, f = ({one for one in sets if len(one) == size} for sets in (true, found))
        assert (part.true, part.found, part.both) == (len(t), len(f), len(t & f))
    assert set(mining_error_by_size(wanted, other)) == {len(one) for one in true | found}


def test_the_two_errors_are_shares_of_what_is_frequent():
    """Three found of which one is frequent, and four are: both are shares of four, not of what was found."""
    error = mining_error(itemsets(["a", "b", "c", "ab"], "abc"), itemsets(["a", "ac", "bc"], "abc"))
    assert (error.false_positive, error.false_negative) == (2 / 4, 3 / 4)
