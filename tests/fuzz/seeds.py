"""What mutations begin with: small inputs of every kind, and small releases of every method and promise.

All of them are the same in every run. Releases by chance are made with a seed; the entry that says so is taken out, so
that they look as if they had been made without one.

Releases are small, because the oracle enumerates their possible originals.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from shoal.cli.main import run
from shoal.run import Run

GROUPS = {"food": ["bread", "jam", "milk"], "drinks": ["juice", "tea"], "alcohol": ["beer", "wine"]}
ITEMS = sorted(item for items in GROUPS.values() for item in items)
CHANCES = (0.2, 0.7, 0.35, 0.3, 0.6, 0.4, 0.25)
DIAGNOSES = ("asthma", "flu", "gout", "ulcer")
TREES = {
    "age.csv": "".join(f"{age},{age // 10 * 10}s,*\n" for age in range(20, 50)),
    "items.csv": "".join(f"{item},{group},*\n" for group, items in GROUPS.items() for item in items),
    "diagnosis.csv": "asthma,lungs,*\nflu,lungs,*\ngout,other,*\nulcer,other,*\n",
}
QUASI = ("--quasi", "age,sex")
SENSITIVE = (*QUASI, "--sensitive", "diagnosis")
RULES = [
    {
        "sensitive": "diagnosis",
        "excluded": "gout",
        "conditions": [{"column": "sex", "label": "f", "values": ["f"]}],
    }
]


def records(number: int = 18, seed: int = 1) -> list[list[str]]:
    """Some baskets; most items are in many of them."""
    chance = random.Random(seed)
    rows = [
        [item for item, p in zip(ITEMS, CHANCES, strict=True) if chance.random() < p] or ["bread"]
        for _ in range(number)
    ]
    return [*rows, ["bread", "milk"]]


def people(number: int = 24) -> pa.Table:
    """Some people; a diagnosis goes with nothing, but no woman has gout."""
    chance = random.Random(5)
    sexes = [chance.choice("fm") for _ in range(number)]
    return pa.table(
        {
            "age": [chance.randint(20, 49) for _ in sexes],
            "sex": sexes,
            "postcode": [chance.choice(("1010", "1020", "2010")) for _ in sexes],
            "diagnosis": [
                DIAGNOSES[i % 4] if sex == "m" or i % 4 != 2 else chance.choice(("asthma", "flu", "ulcer"))
                for i, sex in enumerate(sexes)
            ],
        }
    )


def _baskets(**options: Any) -> Any:
    return shoal.disassociate(shoal.read(records(options.pop("number", 18), options.pop("seed", 1))), 2, 2, **options)


def _table(*quasi: str) -> Any:
    return shoal.Table.from_arrow(people()).with_roles(quasi=quasi or ["age", "sex"], sensitive=["diagnosis"])


def _tree(name: str) -> Any:
    return shoal.Hierarchy.from_rows([line.split(",") for line in TREES[name].splitlines()])


def _often() -> Any:
    often = {"bread milk": 90, "bread jam": 70, "tea": 80, "beer tea": 60, "tea wine": 40}
    return shoal.read([basket.split() for basket, times in often.items() for _ in range(10 * times)])


RELEASES: dict[str, Callable[[], Any]] = {
    "disassociated": lambda: _baskets(max_cluster_size=4),
    "disassociated-joint": lambda: _baskets(max_cluster_size=4, seed=9, number=11),
    "disassociated-three": lambda: shoal.disassociate(shoal.read(records(12, 3)), 3, 3, max_cluster_size=6),
    "disassociated-suppressed": lambda: _baskets(max_cluster_size=5, vertical="dls"),
    "disassociated-sensitive": lambda: _baskets(max_cluster_size=5, sensitive=["wine"], l=3),
    "disassociated-no-links": lambda: _baskets(max_cluster_size=5, cover_safe=True, number=12),
    "anatomy": lambda: shoal.anatomy(_table(), l=2, run=Run(chance=1)),
    "injector": lambda: shoal.injector(_table(), l=2, disclose_rules=True, run=Run(chance=1)),
    "injector-closed": lambda: shoal.injector(_table(), l=2, run=Run(chance=1)),
    "bottom-up": lambda: shoal.k_anonymity(
        _table(), k=3, hierarchies={"age": _tree("age.csv")}, max_suppressed=0.2, publish_hierarchies=True
    ),
    "bottom-up-hidden": lambda: shoal.k_anonymity(
        _table(),
        k=4,
        hierarchies={"age": _tree("age.csv"), "diagnosis": _tree("diagnosis.csv")},
        hide="greedy",
        min_support=0.2,
        min_confidence=0.4,
    ),
    "bottom-up-two-columns": lambda: shoal.k_anonymity(
        shoal.Table.from_arrow(people()).with_roles(quasi=["sex"], sensitive=["postcode", "diagnosis"]),
        k=5,
        hide="greedy",
        min_support=0.2,
        min_confidence=0.6,
    ),
    "bottom-up-resisting": lambda: shoal.k_anonymity(
        _table("age"), k=6, hide="resistant", min_support=0.3, min_confidence=0.6
    ),
    "mondrian": lambda: shoal.k_anonymity(_table(), k=3, strategy="mondrian"),
    "mask": lambda: shoal.mask(shoal.read(records(40)), keep_prob=0.9, max_basket=3, run=Run(chance=1)),
    "fakes": lambda: shoal.fakes(shoal.read(records()), fakes=1.0, run=Run(chance=1)),
    "hybrid": lambda: shoal.hybrid(shoal.read(records()), keep_prob=0.9, fakes=1.5, run=Run(chance=1)),
    "km-generalization": lambda: shoal.km_generalization(shoal.read(records()), k=3, m=2, hierarchy=_tree("items.csv")),
    "km-generalization-whole": lambda: shoal.km_generalization(
        shoal.read(records()), k=2, m=3, hierarchy=_tree("items.csv"), publish_hierarchy=True
    ),
    "diffpart": lambda: shoal.diffpart(_often(), epsilon=1.0, hierarchy=_tree("items.csv"), run=Run(chance=1)),
}
PLANS = {
    "baskets.toml": ("disassociate", "baskets.dat", "-k", "2", "-m", "2", "--sensitive", "wine", "-l", "3"),
    "items.toml": ("km-generalization", "baskets.dat", "-k", "2", "-m", "2", "--hierarchy", "items.csv"),
    "mask.toml": ("mask", "baskets.dat", "--keep-prob", ".9"),
    "people.toml": ("anatomy", "people.csv", *SENSITIVE, "-l", "2"),
    "hidden.toml": (
        *("k-anonymity", "people.csv", *SENSITIVE, "-k", "3", "--hide", "greedy", "--hierarchy", "age=age.csv"),
        *("--hierarchy", "diagnosis=diagnosis.csv", "--confidence", ".6"),
    ),
}


def make(place: Path) -> None:
    """Write inputs and releases, each release into a folder of its own below ``releases``."""
    _inputs(place)
    (place / "releases").mkdir()
    for name, publish in RELEASES.items():
        folder = place / "releases" / name
        publish().write(folder, even_if_empty=True)
        _take_out(folder / "manifest.json", "reproducible")
    _trace(place / "trace.json")
    for name, words in PLANS.items():
        method, *given = words
        given = [str(place / word) if (place / word).is_file() else word for word in given]
        given = [
            f"{word.partition('=')[0]}={place / word.partition('=')[2]}" if "=" in word else word for word in given
        ]
        out = place / "published"
        code = run(["publish", method, *given, "-o", str(out), "--force", "--save-plan", str(place / name), "-q"])
        if code:
            raise RuntimeError(f"no plan {name}: exit code {code}")


def _trace(file: Path) -> None:
    """The trace of the release ``disassociated``, with a number on each line."""
    _baskets(max_cluster_size=4, keep_trace=file)
    file.write_text(json.dumps(json.loads(file.read_text()), indent=1) + "\n")


def _inputs(place: Path) -> None:
    rows = records()
    (place / "baskets.dat").write_text("".join(f"{' '.join(row)}\n" for row in rows))
    (place / "numbers.dat").write_text("".join(f"{' '.join(str(ITEMS.index(i) + 1) for i in row)}\n" for row in rows))
    (place / "baskets.csv").write_text("".join(f"{','.join(row)}\n" for row in rows))
    (place / "quoted.csv").write_text("".join('"{}"\n'.format('";"'.join(row)) for row in rows))
    (place / "long.csv").write_text(
        "record,item\n" + "".join(f"{number},{item}\n" for number, row in enumerate(rows) for item in row)
    )
    with gzip.GzipFile(place / "packed.dat.gz", "wb", mtime=0) as out:
        out.write((place / "baskets.dat").read_bytes())
    pq.write_table(pa.table({"items": rows}), place / "baskets.parquet")
    table = people()
    pq.write_table(table, place / "people.parquet")
    columns = [column.to_pylist() for column in table.columns]
    (place / "people.csv").write_text(_csv([table.column_names, *zip(*columns, strict=True)]))
    for name, text in TREES.items():
        (place / name).write_text(text)
    (place / "rules.json").write_text(json.dumps(RULES))
    (place / "list.txt").write_text("".join(f"{item}\n" for item in [*ITEMS, "soap"]))
    (place / "keep.txt").write_text("bread milk\ntea jam\n")
    (place / "secret").write_bytes(bytes(range(65, 97)) + b"\n")
    (place / "secret").chmod(0o600)


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    return "".join(f"{','.join(map(str, row))}\n" for row in rows)


def _take_out(manifest: Path, name: str) -> None:
    entries = json.loads(manifest.read_text())
    entries.pop(name, None)
    manifest.write_text(json.dumps(entries, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    import sys

    make(Path(sys.argv[1]))
