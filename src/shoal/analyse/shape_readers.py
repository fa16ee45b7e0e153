"""What the readers of several shapes share: refusing what does not apply, and drawing originals."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from shoal.analyse.description import NOTHING_MORE, Described
from shoal.analyse.reader import Reader
from shoal.errors import InputError
from shoal.limits import MOST_SEED, require_whole
from shoal.loading import loaded
from shoal.quoting import shown
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.analyse.answers import Answers
    from shoal.analyse.originals import Originals
    from shoal.io.export.exported import Export, Format
    from shoal.mining.task import Mined, Task
    from shoal.release import Release

AnyRelease = TypeVar("AnyRelease", bound="Release")


class ShapeReader(Reader, Generic[AnyRelease]):
    """Reads a release of any shape."""

    query_options: ClassVar[frozenset[str]] = frozenset()
    mining_options: ClassVar[frozenset[str]] = frozenset()
    drawing_options: ClassVar[frozenset[str]] = frozenset()
    formats: ClassVar[frozenset[str]]
    halved_in: ClassVar[frozenset[str]] = frozenset()
    needs_kernels: ClassVar[bool] = False
    instead_of_originals: ClassVar[str] = ""

    def __init__(self, release: AnyRelease) -> None:
        self.release = release
        self.shape = SHAPES[release.shape]

    def describe(self) -> Described:
        """What ``shoal info`` shows beside promises and counts: by default nothing."""
        return NOTHING_MORE

    def query(self, queries: str | Iterable[Any], *, run: Run = DEFAULT_RUN, **options: Any) -> Answers:
        """Count the records with some items, or the rows that meet conditions."""
        given = self._given(options, self.query_options)
        return self._query(self._asked(queries), run, **given)

    def _asked(self, queries: str | Iterable[Any]) -> list[Any]:
        """The queries as a list; a text is one query."""
        return [queries] if isinstance(queries, str) else list(queries)

    @abstractmethod
    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        """The answers, with options that apply."""

    def originals(self, **options: Any) -> Originals:
        """How possible originals are drawn, and what they are."""
        return self._originals({} if self.instead_of_originals else self._given(options, self.drawing_options))

    def _originals(self, given: dict[str, Any]) -> Originals:
        """How they are drawn, with options that apply; where none is, what to do instead."""
        del given
        raise InputError(self.instead_of_originals)

    def reconstruct(self, n: int = 1, *, run: Run = DEFAULT_RUN, **options: Any) -> Iterator[Any]:
        """Draw possible originals."""
        originals = self.originals(**options)
        require_whole("n", n, least=1)
        if run.chance is not None:
            require_whole("seed", run.chance, least=0, most=MOST_SEED)
        if not originals.are_drawn:
            if n > 1:
                raise InputError(f"nothing is drawn from {self.shape.called}, so that there is one of it: n is 1")
            if run.chance is not None:
                raise InputError(f"nothing is drawn from {self.shape.called}: leave out the seed")
        return originals.draw(n, run=run)

    def elsewhere(self, folder: str) -> dict[str, str]:
        """Code that reads its folder in a shell, in Python, and in SQL without Shoal."""
        code: dict[str, str] = loaded("shoal.reporting.reading:code_of")(self.release, folder)
        return code

    def export(self, format: Format) -> Export:
        """What writes the release for other programs."""
        if format.name not in self.formats:
            raise InputError(self._no_such_format(format.name))
        if format.part is not None:
            if not self.halved_in:
                raise InputError(f"part does not apply to {self.shape.called}: leave it out")
            if format.name not in self.halved_in:
                raise InputError("JSON lines hold rows and counts, group by group: leave out the part")
            if format.part not in ("rows", "counts"):
                raise InputError(f"there is no part {shown(format.part)}: choose rows or counts")
        elif format.name in self.halved_in:
            raise InputError(f"{format.name} holds one table: choose its part, rows or counts (jsonl holds both)")
        if format.raw and format.name != "csv":
            raise InputError("raw is about CSV files: leave it out")
        exported: Export = loaded(f"shoal.io.export.{self.shape.name}:export")(self.release, format)
        return exported

    def _no_such_format(self, name: str) -> str:
        """Why there is no such format, and which there are."""
        return f"there is no format {shown(name)}: choose {', '.join(sorted(self.formats))}"

    def _given(self, options: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
        """The options that were given; one that does not apply to this shape is refused."""
        given = {name: value for name, value in options.items() if value is not None and value is not False}
        idle = sorted(given.keys() - known)
        if idle:
            raise InputError(f"{', '.join(idle)} does not apply to {self.shape.called}: leave it out")
        return given


class BasketReader(ShapeReader[AnyRelease]):
    """Reads a release of baskets."""

    formats = frozenset({"jsonl", "csv", "fimi", "parquet"})

    def _asked(self, queries: str | Iterable[Any]) -> list[Any]:
        """The queries, each as its different items in their order."""
        return [(one,) if isinstance(one, str) else tuple(dict.fromkeys(one)) for one in super()._asked(queries)]

    def mine(self, task: Task, *, run: Run = DEFAULT_RUN, **options: Any) -> Mined:
        """Find frequent itemsets, or rules between them."""
        given = self._given(options, self.mining_options)
        if task.kind != "all" and "kind" not in self.mining_options:
            raise InputError(
                f"{task.kind} itemsets need exact counts, and this is {self.shape.called}: leave out the kind"
            )
        return self._mine(task, run, **given)

    @abstractmethod
    def _mine(self, task: Task, run: Run, **options: Any) -> Mined:
        """Itemsets or rules, with options that apply."""

    def _no_such_format(self, name: str) -> str:
        if name == "parquet":
            return "a release of baskets is Parquet as it is: use the files of its folder, or choose jsonl, csv or fimi"
        return super()._no_such_format(name)


class TableReader(ShapeReader[AnyRelease]):
    """Reads a release of a table."""

    formats = frozenset({"jsonl", "csv", "parquet"})

    def mine(self, task: Task, *, run: Run = DEFAULT_RUN, **options: Any) -> Mined:
        """Refuse: a table has no itemsets."""
        del task, run
        self._given(options, self.mining_options)
        raise InputError(f"itemsets are found in baskets, and this is {self.shape.called}: query it")

    def _no_such_format(self, name: str) -> str:
        if name == "fimi":
            return "fimi is a format of baskets, and this is a release of a table: choose jsonl, csv or parquet"
        return super()._no_such_format(name)
