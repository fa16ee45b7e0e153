"""Compile kernels: once, for one signature, cached, and without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from shoal.kernels.needed import numba_missing

try:
    from numba import config, njit
    from numba import types as types  # for the signatures of kernels
    from numba.core.typeinfer import register_dispatcher
except ImportError as error:
    raise numba_missing(error) from error

from shoal.kernels.keeping import Kept

F = TypeVar("F", bound=Callable[..., Any])

# Kernels do not write to their arguments unless the signature shows it with a plain array.
I8 = types.Array(types.int64, 1, "C", readonly=True)
I4 = types.Array(types.int32, 1, "C", readonly=True)
U1 = types.Array(types.uint8, 1, "C", readonly=True)
F8 = types.Array(types.float64, 1, "C", readonly=True)
I8_OUT = types.Array(types.int64, 1, "C")
I4_OUT = types.Array(types.int32, 1, "C")
U1_OUT = types.Array(types.uint8, 1, "C")
F8_OUT = types.Array(types.float64, 1, "C")
INT = types.int64
FLOAT = types.float64


def kernel(result: Any, *arguments: Any) -> Callable[[F], F]:
    """Compile a function for exactly these argument types when its module is imported, or load it from the cache.

    A function whose name begins with an underscore is for other kernels only: it gets no entry point for Python, which
    would take much of its compilation time.
    """

    def decorate(function: F) -> F:
        inner = function.__name__.startswith("_")
        compiled: Any = njit(
            nogil=True,
            error_model="numpy",
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=True,
        )(function)
        if not config.DISABLE_JIT:
            # Like njit with a signature and cache=True, but with our own cache.
            compiled._cache = Kept(function)
            with register_dispatcher(compiled):
                compiled.compile(result(*arguments))
                compiled.disable_compile()
        kept: F = compiled
        return kept

    return decorate


_announcing: list[object] = []  # the listener of the block that is entered, if any


@contextmanager
def announced(announce: Callable[[], None]) -> Iterator[None]:
    """Call ``announce`` once if anything must be compiled inside the block; loading from the cache does not count.

    Inside another such block, only the outer block announces.
    """
    from numba.core import event

    if _announcing:
        yield
        return

    class Once(event.Listener):  # type: ignore[misc]  # Numba ships no types
        heard = False

        def on_start(self, _event: Any) -> None:
            if not self.heard:
                self.heard = True
                announce()

        def on_end(self, _event: Any) -> None:
            pass

    listener = Once()
    event.register("numba:compile", listener)
    _announcing.append(listener)
    try:
        yield
    finally:
        _announcing.remove(listener)
        event.unregister("numba:compile", listener)
