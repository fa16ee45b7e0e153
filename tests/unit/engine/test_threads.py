"""Work on parts by several threads: results in order, and whoever waits for them can be interrupted."""

import threading
from collections.abc import Callable

import pytest

from shoal.engine.threads import Pool, thread_pool


@pytest.mark.parametrize("waiting", [None, lambda: None])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_parts(threads: int, waiting: Callable[[], None] | None) -> None:
    with thread_pool(threads) as pool:
        assert list(pool.map(lambda part: part * part, range(20), waiting)) == [part * part for part in range(20)]
    assert list(Pool(None).map(lambda part: part * part, range(20), waiting)) == [part * part for part in range(20)]


@pytest.mark.parametrize("threads", [1, 2])
def test_whoever_waits_can_be_interrupted_in_the_middle_of_a_part(threads: int) -> None:
    stop = threading.Event()
    begun = []

    def endless(part: int) -> bool:
        begun.append(part)
        return stop.wait(60)

    def pressed() -> None:
        stop.set()  # what the searcher does, so that the part ends early
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), thread_pool(threads) as pool:
        list(pool.map(endless, range(100), waiting=pressed))
    assert len(begun) <= 2 * threads  # the others were never taken up


def test_an_error_in_a_part_comes_out() -> None:
    with pytest.raises(ZeroDivisionError), thread_pool(2) as pool:
        list(pool.map(lambda part: 1 // part, [1, 0, 2], waiting=lambda: None))
