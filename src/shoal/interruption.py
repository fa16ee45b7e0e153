"""Ctrl-C, SIGTERM and SIGHUP: one interruption, by which a run ends and cleans up.

SIGTERM and SIGHUP are turned into the KeyboardInterrupt of Ctrl-C. Which of them came first decides the exit code.
Signals that were ignored when the program started (``nohup``, jobs in the background) stay ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Progress = Callable[[str, int, int], None]
_ALL = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_HANG_UP = getattr(signal, "SIGHUP", None)


class _First:
    number: int | None = None


def exit_code() -> int:
    """128 and the number of the signal that interrupted the run: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
    return 128 + (_First.number or signal.SIGINT)


def forget() -> None:
    """Begin a run that nothing has interrupted."""
    _First.number = None


def heed_all() -> None:
    """Let SIGTERM and SIGHUP end this program as Ctrl-C does; for a program of our own, not for a library."""
    for number in _ALL:
        if number != signal.SIGINT and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def is_interruption(error: BaseException | None) -> bool:
    """Whether an interruption is behind an error: Python before 3.12 wraps it in a RuntimeError inside a class."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


@contextmanager
def interruption_between_steps(progress: Progress) -> Iterator[Progress]:
    """Let interruptions wait for the next step of work that calls kernels: when the yielded function is called.

    An exception that comes while a kernel hands over its results, as Python raises it on Ctrl-C, can end the process,
    and while modules are loaded it can be lost, or be shown as an error. A second Ctrl-C or SIGTERM does not wait: one
    may press it again while kernels are compiled. A second SIGHUP does: a terminal that is closed can send two.
    """
    pressed: list[int] = []

    def press(number: int, _frame: FrameType | None) -> None:
        _note(number)
        pressed.append(number)
        if len(pressed) > 1 and number != _HANG_UP:
            raise KeyboardInterrupt

    def step(stage: str, done: int, total: int) -> None:
        if pressed:
            raise KeyboardInterrupt
        progress(stage, done, total)

    with _handled_by(press):
        yield step
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore interruptions for the few steps that either all happen or none, or that clean up."""
    with _handled_by(signal.SIG_IGN):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    """Have the signals that interrupt us handled in another way; those that somebody else handles, or ignores, not."""
    if threading.current_thread() is not threading.main_thread():  # Python interrupts the main thread only
        yield
        return
    before = {number: signal.getsignal(number) for number in _ALL}
    ours = {number: found for number, found in before.items() if _is_ours(found)}
    for number in ours:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, found in ours.items():
            signal.signal(number, found)


def _is_ours(handler: object) -> bool:
    return handler is signal.default_int_handler or getattr(handler, "__module__", None) == __name__


def _interrupt(number: int, _frame: FrameType | None) -> None:
    again = _First.number is not None
    _note(number)
    if number == _HANG_UP and again:
        return  # the run ends already, and may clean up just now
    raise KeyboardInterrupt


def _note(number: int) -> None:
    if _First.number is None:
        _First.number = number
