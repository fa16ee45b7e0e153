"""FIMI: one record in each line, items separated by blanks or tabs; the format of the itemset repositories.

Reference: the FIMI repository, http://fimi.uantwerpen.be/data/. There items are integers; here any words will
    do.
"""

from __future__ import annotations

from shoal.data.transactions import Transactions
from shoal.io.opening import Opened
from shoal.io.tokens import Grammar, read_tokens

_FIMI = Grammar(ends=b" \t")


def read_fimi(source: Opened) -> Transactions:
    """Read baskets with one record in each line, items separated by blanks or tabs.

    Args:
        source: the text. Double quotes have no special meaning, and there are no comments.

    Returns:
        The records.

    Raises:
        InputError: the text is not UTF-8 or has no records.
    """
    return read_tokens(source, _FIMI)
