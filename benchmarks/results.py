"""What a run measured: printed line by line, and written as JSON, of which ``page.py`` makes docs/performance.md."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PACKAGES = ("shoal", "numpy", "numba", "pyarrow", "scipy", "pyfim", "mlxtend")


@dataclass(frozen=True)
class Wanted:
    """What a figure should be, and whether it is."""

    words: str
    met: bool


def at_most(bound: float, found: float, unit: str = "s") -> Wanted:
    """A bound from above.

    Example:
        >>> at_most(2, 1.5, "x")
        Wanted(words='at most 2 x', met=True)
    """
    return Wanted(f"at most {bound:g} {unit}", found <= bound)


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    seconds: float | None = None
    """Of CPU."""
    memory: float | None = None
    """The peak of the process, in MB."""
    ratio: float | None = None
    """The seconds by those of something else, in the same run."""
    to: str = ""
    """Of what else."""
    note: str = ""
    wanted: Wanted | None = None

    @property
    def line(self) -> str:
        """As it is printed."""
        parts = [
            "" if self.seconds is None else f"{self.seconds:8.3f} s",
            "" if self.memory is None else f"{self.memory:6.0f} MB",
            "" if self.ratio is None else f"{self.ratio:.3g} x {self.to}",
            self.note,
            "" if self.wanted is None else f"(wanted: {self.wanted.words}{'' if self.wanted.met else '; NOT MET'})",
        ]
        return f"{self.what:62} {'  '.join(part for part in parts if part)}".rstrip()


@dataclass
class Results:
    """All figures of a run, by section."""

    sections: list[tuple[str, list[Figure]]] = field(default_factory=list)

    def section(self, title: str) -> None:
        """What follows belongs together."""
        print(f"\n{title}", flush=True)
        self.sections.append((title, []))

    def add(self, what: str, seconds: float | None = None, **more: Any) -> None:
        """Print a figure, and keep it."""
        figure = Figure(what, seconds, **more)
        print(figure.line, flush=True)
        self.sections[-1][1].append(figure)

    def left_out(self, what: str, why: str) -> None:
        """Say what was not measured."""
        self.add(what, note=f"left out: {why}")

    def write(self, path: Path, run: dict[str, Any]) -> None:
        """As JSON, with what the machine is like, as far as that is nobody's business."""
        record = {
            "machine": machine(),
            "run": run,
            "sections": [
                {"title": title, "figures": [_short(figure) for figure in figures]} for title, figures in self.sections
            ],
        }
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _short(figure: Figure) -> dict[str, Any]:
    """Only the numbers that exist, rounded to what a clock can measure."""
    kept = {name: value for name, value in asdict(figure).items() if value not in (None, "")}
    return {name: float(f"{value:.4g}") if isinstance(value, float) else value for name, value in kept.items()}


def machine() -> dict[str, Any]:
    """Cores, memory and versions: no name, no path, no date."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "python": platform.python_version(),
        "versions": versions,
    }


RESULTS = Results()
"""Those of this run."""
