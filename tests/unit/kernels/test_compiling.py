"""Every kernel is lean: one signature, cached, without the interpreter lock; and compiling is announced."""

import importlib
import pkgutil
import subprocess
import sys

import pytest
from numba.core.dispatcher import Dispatcher

import shoal.kernels
from shoal.kernels.keeping import Kept

MODULES = [m.name for m in pkgutil.iter_modules(shoal.kernels.__path__) if not m.name.startswith("__")]
KERNELS = [
    kernel
    for name in MODULES
    for kernel in vars(importlib.import_module(f"shoal.kernels.{name}")).values()
    if isinstance(kernel, Dispatcher)
]


@pytest.mark.skipif(not KERNELS, reason="the JIT is off: there are no compiled kernels")
def test_each_kernel_has_one_signature_is_cached_and_releases_the_lock():
    assert len(KERNELS) > 10
    for kernel in KERNELS:
        assert len(kernel.signatures) == 1, kernel
        assert not kernel._can_compile, kernel  # another signature is refused, not compiled
        assert kernel.targetoptions["nogil"], kernel
        assert kernel.targetoptions.get("parallel", False) is False
        assert isinstance(kernel._cache, Kept), kernel


SCRIPT = """
from shoal.kernels.compiling import announced
said = []
with announced(lambda: said.append(1)), announced(lambda: said.append(2)):
    import shoal.kernels.horizontal
print(len(said))
"""


@pytest.mark.skipif(not KERNELS, reason="the JIT is off: nothing is compiled")
def test_compiling_is_announced_once_and_loading_from_the_cache_is_not(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    command = [sys.executable, "-c", SCRIPT]
    heard = [int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(2)]
    assert heard == [1, 0]
