"""l-diversity and t-closeness of a release: by hand, by their definitions, and as pycanon counts them.

pycanon (1.3.5) agrees on distinct l-diversity, on entropy l-diversity (it reports the whole number below) and on
t-closeness of texts, which is the equal distance; where a column holds numbers it takes their order for a distance,
which labels of a release have not. It does not agree on recursive (c, l)-diversity: the definition compares the *most*
frequent value of a group with the rest from the l-th most frequent on, and pycanon sorts the counts in ascending order,
so that it compares the rarest. It needs other versions of the libraries that Shoal needs, so it runs in an environment
of its own (``make .venv-rivals/.ready``, or SHOAL_RIVALS=/path/to/python).
"""

from __future__ import annotations

import csv
import json
import math
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from shoal.audit.generalized import audit
from shoal.release.generalized import Generalized
from tests.making.generalized_releases import flat_tree, generalized

RIVALS = Path(os.environ.get("SHOAL_RIVALS") or Path(__file__).parents[4] / ".venv-rivals" / "bin" / "python")
needs_pycanon = pytest.mark.skipif(not RIVALS.exists(), reason="pycanon is not at hand: make .venv-rivals/.ready")

SCRIPT = """
import json, sys
import pandas
from pycanon import anonymity
rows = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
quasi, sensitive = json.loads(sys.argv[2]), json.loads(sys.argv[3])
found = {}
for name in sensitive:
    c, l = anonymity.recursive_c_l_diversity(rows, quasi, [name])
    found[name] = {
        "distinct": int(anonymity.l_diversity(rows, quasi, [name])),
        "entropy": float(anonymity.entropy_l_diversity(rows, quasi, [name])),
        "t": float(anonymity.t_closeness(rows, quasi, [name])),
        "c": float(c), "l": int(l),
        "k": int(anonymity.k_anonymity(rows, quasi)),
    }
print(json.dumps(found))
"""


def figures(release: Generalized) -> dict[tuple[str, str], float]:
    return {(figure.name, figure.column): figure.value for figure in audit(release).figures}


def test_by_hand() -> None:
    rows = [("f", "a"), ("f", "a"), ("f", "b"), ("f", "*"), ("m", "a"), ("m", "b"), ("m", "b"), ("m", "b")]
    found = figures(generalized(rows, {"sex": flat_tree("fm"), "ill": flat_tree("abc")}, 1))
    assert found["distinct l-diversity", "ill"] == 2
    assert found["entropy l-diversity", "ill"] == pytest.approx(
        math.exp(-(0.25 * math.log(0.25) + 0.75 * math.log(0.75)))
    )
    # Of f: 2 / (1 + 1) from the second on; of m: 3 / 1.
    assert found["recursive c", "ill"] == 3
    # All: a 3/8, b 4/8, * 1/8. f: a 1/2, b 1/4, * 1/4; m: a 1/4, b 3/4.
    assert found["t-closeness", "ill"] == pytest.approx(0.25)
    one = figures(generalized([("f", "a"), ("f", "a")], {"sex": flat_tree("fm"), "ill": flat_tree("ab")}, 1))
    assert one == {
        ("distinct l-diversity", "ill"): 1,
        ("entropy l-diversity", "ill"): 1.0,
        ("t-closeness", "ill"): 0.0,
    }


def drawn(seed: int) -> Generalized:
    chance = random.Random(seed)
    rows = [
        (chance.choice("fm"), chance.choice("xyz*"), chance.choice("aaabbc*"), chance.choice("ppqrs*"))
        for _ in range(80)
    ]
    trees = {"sex": flat_tree("fm"), "town": flat_tree("xyz"), "ill": flat_tree("abc"), "work": flat_tree("pqrs")}
    return generalized(rows, trees, 2)


def labels(release: Generalized) -> list[tuple[str, ...]]:
    columns = [[column.tree.labels[node] for node in column.nodes.tolist()] for column in release.columns]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_by_definition(seed: int) -> None:
    release = drawn(seed)
    found, rows = figures(release), labels(release)
    for place, name in ((2, "ill"), (3, "work")):
        groups: dict[tuple[str, ...], Counter[str]] = {}
        for row in rows:
            groups.setdefault(row[:2], Counter())[row[place]] += 1
        fewest = min(len(group) for group in groups.values())
        assert found["distinct l-diversity", name] == fewest
        shares = [[count / group.total() for count in group.values()] for group in groups.values()]
        entropy = min(-sum(share * math.log(share) for share in group) for group in shares)
        assert found["entropy l-diversity", name] == pytest.approx(math.exp(entropy))
        ordered = [sorted(group.values(), reverse=True) for group in groups.values()]
        if fewest > 1:
            assert found["recursive c", name] == max(group[0] / sum(group[fewest - 1 :]) for group in ordered)
        whole = Counter(row[place] for row in rows)
        distance = max(
            sum(abs(group[value] / group.total() - whole[value] / len(rows)) for value in whole) / 2
            for group in groups.values()
        )
        assert found["t-closeness", name] == pytest.approx(distance)


def compare_with_pycanon(release: Generalized, folder: Path) -> None:
    path = folder / "rows.csv"
    names = [column.name for column in release.columns]
    rows = labels(release)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    quasi, sensitive = [column.name for column in release.quasi], [column.name for column in release.sensitive]
    command = [str(RIVALS), "-W", "ignore", "-c", SCRIPT, str(path), json.dumps(quasi), json.dumps(sensitive)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]})
    assert run.returncode == 0, run.stderr
    theirs, ours = json.loads(run.stdout), figures(release)
    for name in sensitive:
        column = theirs[name]
        assert column["k"] == int(release.group_sizes.min())
        assert column["distinct"] == column["l"] == ours["distinct l-diversity", name]
        # It cuts to a whole number, by floating point luck where that is what it would be.
        exact = ours["entropy l-diversity", name]
        assert column["entropy"] in {math.floor(exact - 1e-9), math.floor(exact + 1e-9)}
        assert column["t"] == pytest.approx(ours["t-closeness", name])
        if column["l"] > 1:
            place = names.index(name)
            groups: dict[tuple[str, ...], Counter[str]] = {}
            for row in rows:
                groups.setdefault(row[: len(quasi)], Counter())[row[place]] += 1
            rising = [sorted(group.values()) for group in groups.values()]
            theirs_c = max(math.floor(group[0] / sum(group[column["l"] - 1 :]) + 1) for group in rising)
            assert column["c"] == theirs_c  # what it counts, which is not the definition
            falling = [sorted(group.values(), reverse=True) for group in groups.values()]
            true_c = max(group[0] / sum(group[column["l"] - 1 :]) for group in falling)
            assert ours["recursive c", name] == true_c


@needs_pycanon
def test_as_pycanon_counts(tmp_path: Path) -> None:
    for seed in range(2):
        compare_with_pycanon(drawn(seed), tmp_path)


@needs_pycanon
def test_as_pycanon_counts_on_adult(tmp_path: Path, adult_folder: Path, on_sample: bool) -> None:
    import shoal
    from tests.plugins.real_data import ADULT_COLUMNS

    quasi, sensitive = ["age", "education", "sex", "race"], ["marital-status", "occupation"]
    people = shoal.read_table(
        adult_folder / "adult.data", quasi=quasi, sensitive=sensitive, missing="drop", column_names=ADULT_COLUMNS
    )
    compare_with_pycanon(shoal.k_anonymity(people, k=10 if on_sample else 250), tmp_path)
