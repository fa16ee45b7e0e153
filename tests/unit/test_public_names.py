"""The names a user imports: few, all there, all documented, and loaded only when they are used."""

import subprocess
import sys
from operator import attrgetter

import pytest

import shoal
from shoal.cli.commands import COMMANDS, Group
from shoal.methods import METHODS
from shoal.release.base import Release

MODULES = ("errors", "promises", "results")
OTHERWISE = {
    "info": "release.describe",
    "show": "release.show",
    "reconstruct": "release.reconstruct",
    "export": "release.export",
    "generate quest": "quest",
    "generate people": "people",
}
"""Commands whose name in Python is another one, or a method of releases."""
NOT_IN_PYTHON = {"apply", "completion", "generate sample", "generate hierarchy"}
"""Commands about files and shells: a plan holds options, and hierarchies have constructors."""


@pytest.mark.parametrize("name", shoal.__all__)
def test_every_public_name_is_there_and_documented(name):
    assert getattr(shoal, name).__doc__
    assert name in dir(shoal)


@pytest.mark.parametrize("module", MODULES)
def test_every_name_of_a_public_module_is_there_and_documented(module):
    public = getattr(shoal, module)
    assert public.__doc__
    for name in public.__all__:
        assert getattr(public, name).__doc__
    assert not {*public.__all__} & {*shoal.__all__}


def test_public_names_are_few():
    assert len(shoal.__all__) <= 48


def commands():
    for name, command in COMMANDS.items():
        yield from [f"{name} {sub}" for sub in command.commands] if isinstance(command, Group) else [name]


def test_every_command_has_its_name_in_python():
    for command in commands():
        if command in NOT_IN_PYTHON:
            continue
        if command.startswith("publish "):
            home = next(one.publish for one in METHODS.values() if one.published_by == command.removeprefix("publish "))
            assert home.rpartition(":")[2] in shoal.__all__, command
            continue
        name = OTHERWISE.get(command, command)
        if name.startswith("release."):
            assert attrgetter(name.removeprefix("release."))(Release).__doc__
        else:
            assert name in shoal.__all__
            assert callable(getattr(shoal, name))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'anonymize'"):
        _ = shoal.anonymize
    with pytest.raises(AttributeError, match="no attribute 'Anonymity'"):
        _ = shoal.results.Anonymity


def test_importing_shoal_loads_nothing_heavy():
    script = (
        "import sys, shoal, shoal.results, shoal.errors; "
        "print([m for m in ('numpy', 'numba', 'pyarrow', 'scipy', 'rich') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_a_function_keeps_its_name_when_modules_are_loaded():
    script = (
        "import importlib, pkgutil, shoal\n"
        "for module in pkgutil.iter_modules(shoal.__path__, 'shoal.'):\n"
        "    if not module.name.endswith('__main__'): importlib.import_module(module.name)\n"
        "print([n for n in shoal.__all__ if not callable(getattr(shoal, n))])"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_every_command_of_the_python_example_is_public():
    baskets = shoal.read([{"bread", "milk"}] * 3 + [{"bread"}] * 2)
    release = shoal.disassociate(baskets, k=2, m=2)
    assert all(type(value) is int for value in release.counts.values())
