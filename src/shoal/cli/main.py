"""``shoal``: every command, and how a failure leaves the program.

Exit codes: 0 done; 1 a check says no; 2 something given is wrong; 3 the request is impossible; 4 a bug of ours; 130
interrupted.
"""

from __future__ import annotations

import os
import sys

import typer

from shoal.cli import export, generate, info, publish, show, verify
from shoal.cli.terminal import note
from shoal.errors import InternalError, ShoalError

app = typer.Typer(
    name="shoal",
    help="Publish personal data under a stated promise, check the promise, and look at what was published.",
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


app.command("info")(info.info)
app.add_typer(publish.app, name="publish")
app.command("verify")(verify.verify)
app.command("show")(show.show)
app.command("export")(export.export)
app.add_typer(generate.app, name="generate")


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; says what is wrong on standard error, without a traceback for 2 and 3."""
    # Arrow's own allocator keeps what it once had; the system's gives it back, which saves a fifth of the peak.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
    except InternalError:
        raise_for_report()
        return InternalError.exit_code
    except ShoalError as error:
        note(f"error: {error}")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted: nothing was published")
        return 130
    except BrokenPipeError:
        # Whoever read our output has had enough. Point stdout elsewhere, or Python complains while shutting down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        note("error: not enough memory for these data on this machine")
        return 2
    except Exception as error:  # noqa: BLE001  (the last line of defence)
        if callable(getattr(error, "show", None)):  # a usage error: the parser's own words
            error.show()  # type: ignore[attr-defined]
            return 2
        raise_for_report()
        return InternalError.exit_code
    return code if isinstance(code, int) else 0


def raise_for_report() -> None:
    """Show a bug of ours with everything needed to report it."""
    import traceback

    traceback.print_exc()
    note("error: this is a bug in Shoal, not a mistake of yours. Please report what stands above.")


if __name__ == "__main__":
    main()
