"""Ctrl-C, SIGTERM and SIGHUP as one kind of interruption, after which a run ends and cleans up.

SIGTERM and SIGHUP become the KeyboardInterrupt of Ctrl-C. The first of them decides the exit code.
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
    """Begin a run that nothing has interrupted yet."""
    _First.number = None


def heed_all() -> None:
    """Let SIGTERM and SIGHUP end this program as Ctrl-C does; for our own program, not for use as a library."""
    for number in _ALL:
        if number != signal.SIGINT and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def is_interruption(error: BaseException | None) -> bool:
    """Whether an interruption caused an error: Python before 3.12 wraps it in a RuntimeError inside a class."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


@contextmanager
def interruption_between_steps(progress: Progress) -> Iterator[Progress]:
    """Delay interruptions of work that calls kernels until its next step: until the yielded function is called.

    The exception that Python raises on Ctrl-C can end the process if it comes while a kernel returns its results; while
    modules are loaded it can be lost, or be shown as an error. A second Ctrl-C or SIGTERM does not wait: kernels may
    take long to compile. A second SIGHUP does wait: closing a terminal can send two.
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
    """Ignore interruptions during a few steps that must all happen or none, or that clean up."""
    with _handled_by(signal.SIG_IGN):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> Iterator[None]:
    """Replace our handlers of interrupting signals; handlers of other code, and ignored signals, stay."""
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
        return  # the run is ending already, and may be cleaning up
    raise KeyboardInterrupt


def _note(number: int) -> None:
    if _First.number is None:
        _First.number = number
