"""The names a user imports: all there, all documented, and loaded only when they are used."""

import subprocess
import sys

import pytest

import shoal


@pytest.mark.parametrize("name", shoal.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert getattr(shoal, name).__doc__
    assert name in dir(shoal)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'anonymize'"):
        _ = shoal.anonymize


def test_importing_shoal_loads_nothing_heavy():
    script = "import sys, shoal; print([m for m in ('numpy', 'numba', 'pyarrow', 'scipy', 'rich') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_every_command_of_the_python_example_is_public():
    baskets = shoal.read([{"bread", "milk"}] * 3 + [{"bread"}] * 2)
    release = shoal.disassociate(baskets, k=2, m=2)
    assert all(type(value) is int for value in release.counts.values())
