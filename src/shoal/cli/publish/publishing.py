"""The common part of publishing commands: check the target; read, publish, write; report, and run follow-up actions.

A method's function takes the options of that method alone and returns a ``Publication``: what to read, publish and
report. Everything else happens here, so that it is the same for all methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

import typer

from shoal.cli import options
from shoal.cli.every_command import EVERYWHERE, add_options, option
from shoal.cli.leftovers import warn_of_leftovers
from shoal.cli.parameter_options import option_of
from shoal.cli.terminal import (
    Progress,
    draw,
    kernel_work,
    paragraph,
    progress_bar,
    result,
    result_json,
    saying_that_nothing_was_published,
    timed,
    warn,
)
from shoal.errors import InputError
from shoal.kernels.needed import require_numba
from shoal.links import followed
from shoal.run import Run

if TYPE_CHECKING:
    from rich.table import Table as Drawn

    from shoal.audit.verdict import Verdict
    from shoal.data.hierarchy import Hierarchy
    from shoal.release import Release

R = TypeVar("R", bound="Release")
D = TypeVar("D")
Read = TypeVar("Read", covariant=True)

OutOption = Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where to write the release.")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace an existing release, and other existing output files.")
]
EvenIfEmptyOption = Annotated[
    bool,
    typer.Option(
        "--even-if-empty",
        help="Publish even if nothing is left of the data, or if the promise is empty because most rows have a "
        "sensitive value of their own. Every report on the release starts with that warning.",
    ),
]
SeedOption = Annotated[
    int | None,
    option_of("seed"),
]
SecretOption = Annotated[
    Path | None,
    typer.Option(
        "--secret",
        metavar="FILE",
        help="Draw groups with a key made from this secret, the data and the options: publishing the same table again "
        "gives the same release. Created on first use, readable only by you; keep it, and never publish it.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, metavar="N", help="Threads to use. Default: all processors. The release is the same."
    ),
]


class Source(Protocol[Read]):
    """Where data are, and how to read them."""

    @property
    def file(self) -> str:
        """The file, or '-'."""

    def read(self) -> Read:
        """Read them, and report what was left out."""


class Said(NamedTuple):
    """What is reported about a release besides the usual."""

    sentences: list[str]
    """The first sentence is the size of the release."""
    special: Mapping[str, object] = MappingProxyType({})
    """The special results, for JSON."""
    table: Drawn | None = None


class Made(NamedTuple, Generic[R]):
    """A release, and the hierarchies given for it: one per column, or the one of all items."""

    release: R
    hierarchies: Mapping[str, Hierarchy] | Hierarchy | None = None
    trace: Any = None
    """Which record went to which cluster, if that is to be kept."""


@dataclass(frozen=True)
class Publication(Generic[D, R]):
    """The work of a method."""

    source: Source[D]
    publish: Callable[[D, Progress], Made[R]]
    say: Callable[[R], Said]
    kernels: bool = True
    """Whether publishing uses kernels, which are loaded, and on the first run compiled, before it."""
    acts: tuple[tuple[AfterPublishing, dict[str, Any]], ...] = ()
    """Follow-up actions of options that only this method has, with their values."""


AnyPublication = Publication[Any, Any]
"""The return type of a method's function. Typer looks at its annotations, which must load fast."""


class Choice(NamedTuple):
    """An option of a method that was given."""

    name: str
    """As on the command line, without dashes."""
    value: Any
    help: str
    metavar: str


@dataclass(frozen=True, eq=False)
class Published:
    """A published release, and how it was made."""

    method: str
    choices: list[Choice]
    source: Source[Any]
    data: Any
    """The data as they were read; None unless an option needs them."""
    hierarchies: Mapping[str, Hierarchy] | Hierarchy | None
    trace: Any
    """Which record went to which cluster, if that is to be kept."""
    release: Release
    out: Path
    verdict: Verdict


class Acted(NamedTuple):
    """The result of a follow-up action: a sentence, and its part of the JSON."""

    sentence: str
    told: dict[str, object]


class AfterPublishing(ABC):
    """Options that all publishing commands have, and the follow-up action they ask for."""

    parameters: ClassVar[Mapping[str, tuple[Any, Any]]]
    """The annotation and the default of each, by name."""
    wants_data: bool = False
    """Whether the action needs the data as they were read; otherwise these are freed before writing."""

    @abstractmethod
    def check(self, values: Mapping[str, Any], out: Path, *, force: bool) -> bool:
        """Fail early on invalid values, before anything is read; return whether there is anything to do."""

    @abstractmethod
    def act(self, values: Mapping[str, Any], published: Published, progress: Progress, *, force: bool) -> Acted:
        """Run the action."""


def after_publishing() -> tuple[AfterPublishing, ...]:
    """All of these."""
    from shoal.cli.publish.plans import SavePlan
    from shoal.cli.publish.reports import ReportPublished

    return SavePlan(), ReportPublished()


def not_in_plans() -> set[str]:
    """Parameters that name the data, the purpose or the machine, and not how to publish."""
    of_all = ("context", "help", "file", "out", "force", "json", *EVERYWHERE, "seed", "threads", "keep_trace")
    return {*of_all, *(name for one in after_publishing() for name in one.parameters)}


WARNINGS = "shoal.warnings"
"""Where a command that publishes by another one leaves results to be included."""


def with_publishing_options(function: Callable[..., Any], call: Callable[..., Any]) -> Callable[..., Any]:
    """A command with the options of all publishing commands; ``call`` gets the values of all."""
    more = [
        option("context", typer.Context),
        option("out", OutOption),
        option("force", ForceOption, False),
        option("even_if_empty", EvenIfEmptyOption, False),
        option("json", options.JsonOption, False),
        *(option(name, *parts) for one in after_publishing() for name, parts in one.parameters.items()),
    ]
    return add_options(function, more, call)


def publishing_command(name: str, function: Callable[..., AnyPublication]) -> Callable[..., Any]:
    """The command that publishes by a method."""

    def call(*, context: typer.Context, out: Path, force: bool, even_if_empty: bool, json: bool, **values: Any) -> None:
        acts = [(one, {name: values.pop(name) for name in one.parameters}) for one in after_publishing()]
        _require_apart(values.get("secret"), out)
        publication = function(**values)  # it checks the method's own options
        acts = [(one, given) for one, given in (*acts, *publication.acts) if one.check(given, out, force=force)]
        _require_different(acts, publication.source.file)
        left = warn_of_leftovers(out)
        choices = list(_choices(context, {**values, "even_if_empty": even_if_empty}))
        told = _publish(name, publication, choices, acts, out, force=force, even_if_empty=even_if_empty, json=json)
        left += warn_of_leftovers(out, known=left)  # from this run, if it may not delete what it replaced
        warnings = [*context.meta.get(WARNINGS, []), *map(str, left)]
        if json:
            result_json({**told, **({"warnings": warnings} if warnings else {})})

    return with_publishing_options(function, call)


def _require_apart(secret: Path | None, out: Path) -> None:
    """Refuse a secret that would be published."""
    if secret is not None:
        from shoal.io.manifest import require_outside_releases

        require_outside_releases(secret, out)


def _require_different(acts: list[tuple[AfterPublishing, dict[str, Any]]], source: str) -> None:
    """Refuse output files that are the same file, or the data."""
    taken = {followed(Path(source)): f"the data, {source}"}
    for name, value in ((name, value) for _, given in acts for name, value in given.items()):
        if not isinstance(value, Path) or (value.exists() and not value.is_file()):
            continue  # any number of outputs may go to a device
        option, place = f"--{name.replace('_', '-')}", followed(value)
        if place in taken:
            raise InputError(f"{option} {value} would replace {taken[place]}: choose another name")
        taken[place] = f"the output of {option}"


def _choices(context: typer.Context, values: dict[str, Any]) -> Iterator[Choice]:
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name not in not_in_plans() and source is not None and source.name == "COMMANDLINE":
            long = next(text for text in parameter.opts if text.startswith("--"))
            described: Any = parameter
            yield Choice(long.removeprefix("--"), values[name], described.help or "", described.metavar or "")


def _publish(
    method: str,
    publication: AnyPublication,
    choices: list[Choice],
    acts: list[tuple[AfterPublishing, dict[str, Any]]],
    out: Path,
    *,
    force: bool,
    even_if_empty: bool,
    json: bool,
) -> dict[str, object]:
    """Read data, publish and write them, report the result, and run follow-up actions."""
    from shoal import pipeline

    pipeline.require_free(out, force=force)
    if publication.kernels:
        require_numba()
    wanted = any(one.wants_data for one, _ in acts)
    with timed() as seconds, progress_bar() as progress:
        with saying_that_nothing_was_published():
            progress("read", 0, 1)
            data = publication.source.read()
            progress("read", 1, 1)
            with kernel_work(progress) if publication.kernels else nullcontext(progress) as step:
                release, hierarchies, trace = publication.publish(data, step)
            if not wanted:
                data = None  # no longer needed, and possibly large
            verdict = pipeline.write(release, out, force=force, even_if_empty=even_if_empty, run=Run(progress=progress))
        for one in verdict.empty:
            warn(f"warning: {one}")
        took = seconds()
        stands = Published(method, choices, publication.source, data, hierarchies, trace, release, out, verdict)
        acted = [one.act(given, stands, progress, force=force) for one, given in acts]
    if getattr(release, "reproducible", False):
        warn(
            "warning: the random choices were made with a seed: do not publish this release. Anyone who has the seed "
            "can undo what it hides"
        )
    said = publication.say(release)
    if not json:
        _say(stands, said, took, acted)
    more = {name: value for one in acted for name, value in one.told.items()}
    return {"release": str(out), "counts": release.counts, **said.special, **verdict.as_dict(), **more}


def _say(published: Published, said: Said, took: float, acted: list[Acted]) -> None:
    out = published.out
    size, *sentences = said.sentences
    result(f"published {size} in {out}, verified from disk ({took:.1f} s)")
    for sentence in sentences:
        paragraph(sentence)
    if said.table is not None:
        draw(said.table)
    for promise in published.release.promises:
        paragraph(promise.words)
    result(f"limits of the promise: {out / 'manifest.json'}; check with: shoal verify {out}")
    for one in acted:
        result(one.sentence)
