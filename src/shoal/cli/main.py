"""``shoal``: every command, and how failures become exit codes.

Exit codes: 0 success; 1 a check failed; 2 invalid input; 3 the request is impossible; 4 a bug in Shoal; 128 + N
interrupted by signal N: 130 by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from shoal import interruption
from shoal.cli.commands import Commands
from shoal.cli.terminal import Interrupted, give_up_stdout, saying_what_was_not_kept, warn
from shoal.cli.usage_errors import show_usage_error
from shoal.errors import InputError, InternalError, ShoalError
from shoal.interruption import is_interruption
from shoal.kernels.needed import NumbaMissing
from shoal.quoting import called, discreet, is_discreet
from shoal.resources import lacking
from shoal.speaking import speaking_options

app = typer.Typer(
    name="shoal",
    cls=Commands,
    help="Publish personal data under a stated promise, check the promise, and analyse the release.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing the help with rich doubles the time it takes
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from shoal import __version__

        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _shoal(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    del version


def main(program: Callable[..., Any] = app, name: str = "shoal") -> None:
    """Run the command line of Shoal, or of another program built from its parts, and exit."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123  (lasts as long as the process)
    if sys.stdout is None:
        warn("error: standard output is closed, so there is nowhere to write the result")
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without umlauts is no reason to stop
    sys.meta_path.insert(0, _WithoutPandas)
    interruption.heed_all()
    _leave(run(sys.argv[1:], program, name))


def _leave(code: int) -> NoReturn:
    """End the process without shutting down the interpreter first.

    A thread of Arrow may still release data that Python owns. If the interpreter is shutting down by then, the
    process aborts after all its work is done, and its exit code reports a failure (apache/arrow#34314).
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the reader is gone
            stream.flush()
    os._exit(code)


class _WithoutPandas:
    """Arrow loads pandas if it is installed, though no command needs it: this costs a quarter of a second and 30 MB."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


def run(arguments: list[str], program: Callable[..., Any] = app, name: str = "shoal") -> int:
    """Run one command and return its exit code; errors go to standard error."""
    # Arrow's own allocator keeps freed memory; the system's returns it, which saves a fifth of the peak.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    interruption.forget()
    # The parser's own messages must not wait until it knows the options.
    wanted = discreet() if "--discreet" in arguments else contextlib.nullcontext()
    with wanted, speaking_options(), saying_what_was_not_kept():
        return _run(arguments, program, name)


def _run(arguments: list[str], program: Callable[..., Any], name: str) -> int:
    asking = os.environ.pop("_SHOAL_COMPLETE", None)
    try:
        if asking is not None:
            from shoal.cli.completion import answer

            answer(arguments, asking)
            return 0
        code = program(arguments, prog_name=name, standalone_mode=False)
        try:
            sys.stdout.flush()
        except BrokenPipeError:  # the rest of the result is not read, but the exit code is also a result
            give_up_stdout()
    except InternalError:
        report_bug()
        return InternalError.exit_code
    except ShoalError as error:
        warn(f"error: {error}")
        return error.exit_code
    except NumbaMissing as error:
        warn(f"error: {error}")
        return InputError.exit_code
    except Interrupted as interrupted:
        warn(f"interrupted: {interrupted}")
        return interruption.exit_code()
    except (KeyboardInterrupt, typer.Abort) as error:
        if isinstance(error.__cause__, EOFError):  # the parser takes every end of a file for a request to stop
            report_bug()
            return InternalError.exit_code
        warn("interrupted")
        return interruption.exit_code()
    except (BrokenPipeError, SystemExit):
        # The reader of our output closed it. The parser turns that into exit code 1, which here means that a check
        # failed; it exits with 1 for no other reason.
        give_up_stdout()
        return 0
    except OSError as error:
        if is_interruption(error):  # the terminal was closed: this interrupts, and nothing can be drawn any more
            return interruption.exit_code()
        if (lack := lacking(error)) is not None:
            warn(f"error: {lack}")
            return lack.exit_code
        if error.filename is not None:
            warn(f"error: {called(str(error.filename))}: {error.strerror}")
            return 2
        # Commands report files they cannot read or write by name; what remains is the result.
        give_up_stdout()
        warn(f"error: the result cannot be written: {error.strerror or error}")
        return 2
    except Exception as error:  # noqa: BLE001  (the last line of defence)
        if (lack := lacking(error)) is not None:
            warn(f"error: {lack}")
            return lack.exit_code
        if callable(getattr(error, "show", None)):  # a usage error: the parser's own words
            show_usage_error(error, arguments)
            return 2
        if is_interruption(error):
            warn("interrupted")
            return interruption.exit_code()
        report_bug()
        return InternalError.exit_code
    if code == 130:  # how the parser reports an interruption, without a message
        warn("interrupted")
        return interruption.exit_code()
    return code if isinstance(code, int) else 0


def report_bug() -> None:
    """Report a bug in Shoal with everything needed to file it."""
    import traceback

    if is_discreet():  # the message of an exception can contain a value
        kind, _, place = sys.exc_info()
        warn("".join(traceback.format_tb(place)) + getattr(kind, "__name__", "error"))
    else:
        traceback.print_exc()
    warn("error: this is a bug in Shoal, not a mistake of yours. Please report the text above.")
