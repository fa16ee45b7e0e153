"""Make docs/performance.md of what ``make bench`` measured: ``python benchmarks/page.py .bench/results.json``.

The page is never typed: it is this text around the figures of docs/performance.json, which is the record of the run,
and a test renders it again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
RECORD, PAGE = DOCS / "performance.json", DOCS / "performance.md"

HEAD = """# Performance

What `make bench` measured in one run. This page is made of [its record](performance.json) by a program
(`make bench-page`), so that no number here was typed. To have it for your machine:

```text
make bench        measure, print, and write .bench/results.json
make bench-page   make this page of it
```

Seconds are of CPU, and memory is the peak of the process in MB: the wall clock of a shared machine tells little.
*Beside* is the time by that of something else in the same run. *The whole command, warm* starts, reads, works, writes,
reads back and verifies, with kernels compiled before. The literal C++ is the paper's two partitioning algorithms as
printed, without reading and without checks. What is *wanted* was set before measuring; *no* says that it was not
reached.
"""

SHORT = """
**This was a short run, to see that the page can be made: of few records, on a busy machine. What is wanted is meant
for a full one.**
"""

TAIL = """
## What the comparisons are worth

* The C++ is of one reading of the paper, compiled with all optimizations, and publishes clusters that are not safe
  ([why](papers.md)): it does less.
* pyfim is a miner in C, mlxtend one in Python over pandas. Times are of mining alone, data in memory.
* ANJANA and anonypy are called from Python with a data frame in hand. anonypy publishes any set of values, Shoal and
  ANJANA nodes of hierarchies, so that its NCP may be lower.
* Times that papers report are of their machines, and are quoted for orientation.
"""


def rendered(record: dict[str, Any]) -> str:
    """The page of a record."""
    parts = [HEAD]
    if record["run"]["short"]:
        parts.append(SHORT)
    parts.append(_machine(record["machine"], record["run"]["options"]))
    parts += [_section(section) for section in record["sections"]]
    return "".join([*parts, TAIL])


def _machine(machine: dict[str, Any], options: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    chosen = ", ".join(f"`{name}`{_plain(value)}" for name, value in options.items() if value not in (None, False))
    return (
        f"\nThe machine: {machine['cores']} cores ({machine['architecture']}), {machine['memory_gb']} GB, "
        f"{machine['system']}, Python {machine['python']}; {versions}.\n\nThe run: {chosen}.\n"
    )


def _plain(value: Any) -> str:
    if value is True:
        return ""
    return "".join(f" {part:,}" for part in (value if isinstance(value, list) else [value]))


def _section(section: dict[str, Any]) -> str:
    """A heading and a table; columns that nothing is in are left out."""
    lines = [
        {
            "what": figure["what"],
            "CPU s": _number(figure.get("seconds")),
            "MB": "" if "memory" not in figure else f"{figure['memory']:,.0f}",
            "beside": f"{figure['ratio']:.2g} x {figure['to']}" if "ratio" in figure else "",
            "note": figure.get("note", ""),
            "wanted": figure.get("wanted", {}).get("words", ""),
            "reached": {None: "", True: "yes", False: "**no**"}[figure.get("wanted", {}).get("met")],
        }
        for figure in section["figures"]
    ]
    names = [name for name in lines[0] if any(line[name] for line in lines)] if lines else []
    rows = [names, ["---"] * len(names), *([line[name] for name in names] for line in lines)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows) if lines else "Nothing was measured.\n"
    title = section["title"][:1].upper() + section["title"][1:]
    return f"\n## {title}\n\n{table}"


def _number(seconds: float | None) -> str:
    """Three digits at most: a clock tells no more."""
    if seconds is None:
        return ""
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:#.3g}" if seconds >= 1 else f"{seconds:.2f}"


def main() -> None:
    """Copy the record of a run beside the page, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="?", default=RECORD, help="the record of a run; by default ours")
    record = json.loads(parser.parse_args().results.read_text(encoding="utf-8"))
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(rendered(record), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(DOCS.parent)} and {RECORD.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    main()
