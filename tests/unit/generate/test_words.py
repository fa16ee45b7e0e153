"""Names for made-up items."""

from __future__ import annotations

import re

from shoal.generate.words import item_words


def test_names_are_all_different_far_beyond_the_lists() -> None:
    words = item_words(200_000)
    assert len(words) == len(set(words)) == 200_000


def test_names_can_stand_in_a_fimi_line() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*(-[0-9]+)?", word) for word in item_words(100_000))


def test_a_longer_list_begins_with_the_shorter_one() -> None:
    assert item_words(5_000)[:300] == item_words(300)


def test_the_first_names_are_plain_and_no_names_are_none() -> None:
    assert item_words(0) == []
    assert item_words(2) == ["milk", "bread"]
    assert sum("-" in word for word in item_words(100)) < 20
