"""How the program of a paper runs: with the help, the options and the exit codes of a command of Shoal.

The package of a paper has a module ``command`` with a function of the package's name, which has the options, and
``EXAMPLES``, which its help shows.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import shoal.__main__


def load(paper: str) -> Any:
    """The command of a paper, by the name of its package."""
    from shoal.cli.every_command import make

    module = importlib.import_module(f"papers.{paper}.command")
    command = make(paper, getattr(module, paper), silent=False, examples=module.EXAMPLES)
    command.context_settings = {"help_option_names": ["-h", "--help"]}
    return command


def run(paper: str, arguments: list[str]) -> int:
    """Run the program of a paper and return its exit code."""
    from shoal.cli.main import run

    return run(arguments, load(paper), _called(paper))


def main(paper: str) -> None:
    """Run the program of a paper with the arguments of this process, and exit."""

    def loaded() -> Callable[[], None]:
        from shoal.cli.main import main

        return partial(main, load(paper), _called(paper))

    shoal.__main__.main(loaded)


def _called(paper: str) -> str:
    return f"python -m papers.{paper}"
