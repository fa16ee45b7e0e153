"""Work on parts by several threads: results in order, and whoever waits for them can be interrupted."""

import threading
from collections.abc import Callable

import pytest

import shoal
from shoal.engine.threads import Threads


@pytest.mark.parametrize("waiting", [None, lambda: None])
@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_results_come_in_the_order_of_the_parts(threads: int | None, waiting: Callable[[], None] | None) -> None:
    engine = Threads(threads)
    for _ in range(2):  # threads stay for more work
        assert list(engine.map(lambda part: part * part, range(200), waiting)) == [n * n for n in range(200)]


def test_no_more_threads_work_than_were_asked_for() -> None:
    together, most, lock, pause = 0, 0, threading.Lock(), threading.Event()

    def part(_: int) -> None:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        pause.wait(0.01)
        with lock:
            together -= 1

    list(Threads(3).map(part, range(30)))
    assert most == 3


def test_results_that_nobody_takes_are_few() -> None:
    begun = []
    results = Threads(2).map(begun.append, range(10_000))
    next(results)
    assert len(begun) <= 10


@pytest.mark.parametrize("threads", [1, 2])
def test_a_wait_can_be_interrupted_in_the_middle_of_a_part(threads: int) -> None:
    stop = threading.Event()
    begun = []

    def endless(part: int) -> bool:
        begun.append(part)
        return stop.wait(60)

    def pressed() -> None:
        stop.set()  # what the searcher does, so that the part ends early
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Threads(threads).map(endless, range(100), waiting=pressed))
    assert len(begun) <= 4 * threads  # the others were never taken up


def test_an_error_in_a_part_comes_out_and_ends_the_work() -> None:
    begun = []

    def part(number: int) -> float:
        begun.append(number)
        return 1 / (number - 1)

    with pytest.raises(ZeroDivisionError):
        list(Threads(2).map(part, range(1000), waiting=lambda: None))
    assert len(begun) < 20


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "2"])
def test_a_number_of_threads_is_a_whole_number(number: object) -> None:
    with pytest.raises(shoal.errors.InputError, match="threads is"):
        Threads(number)  # type: ignore[arg-type]
