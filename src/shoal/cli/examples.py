"""Example command lines shown in the help of each command.

A test runs all of them in a folder with baskets.dat, new-baskets.dat, people.csv, items.csv (a hierarchy of the items),
age.csv, plan.toml, and, for commands that do not publish, release (of baskets) and table (a release of people.csv).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_QUASI = "--quasi age,sex,postcode --sensitive diagnosis"

EXAMPLES: dict[str, tuple[str, ...]] = {
    "info": (
        "shoal info baskets.dat --top 10",
        f"shoal info people.csv {_QUASI} --hierarchy age=age.csv",
        "shoal info release --json",
    ),
    "risk": (
        "shoal risk baskets.dat -k 5 -m 2",
        "shoal risk people.csv --quasi age,sex,postcode",
    ),
    "publish disassociate": (
        "shoal publish disassociate baskets.dat -k 5 -m 2 -o release --report report.html",
        "shoal publish disassociate baskets.dat -k 5 -m 2 --sensitive beer -l 4 -o sensitive-release",
        "shoal publish disassociate baskets.dat -k 5 -m 2 --vertical best -o best-release --save-plan baskets.toml",
    ),
    "publish km-generalization": (
        "shoal publish km-generalization baskets.dat -k 5 -m 2 --hierarchy items.csv -o release",
        "shoal publish km-generalization baskets.dat -k 5 -m 1 --fanout 4 -o release-by-names --quiet",
    ),
    "publish mask": (
        "shoal publish mask baskets.dat --keep-prob .95 -o release",
        "shoal publish mask baskets.dat --keep-prob .9 --max-basket 10 -o private-release --json",
    ),
    "publish fakes": (
        "shoal publish fakes baskets.dat --fakes 2 -o release",
        "shoal publish fakes baskets.dat --fakes 1.5 --fake-length 1-9 -o shorter-release",
    ),
    "publish hybrid": (
        "shoal publish hybrid baskets.dat --keep-prob .95 --fakes 2 -o release",
        "shoal publish hybrid baskets.dat --keep-prob .95 --fakes 1 --fake-length data -o like-data",
    ),
    "publish diffpart": (
        "shoal publish diffpart baskets.dat --epsilon 1 -o release",
        "shoal publish diffpart baskets.dat --epsilon 1 --hierarchy items.csv -o release-by-categories",
    ),
    "publish anatomy": (
        f"shoal publish anatomy people.csv {_QUASI} -l 4 -o release",
        f"shoal publish anatomy people.csv {_QUASI} -l 3 --missing drop -o complete-rows --quiet",
    ),
    "publish injector": (
        f"shoal publish injector people.csv {_QUASI} -l 4 -o release",
        f"shoal publish injector people.csv {_QUASI} -l 3 --hierarchy age=age.csv --max-attributes 2 -o more-rules",
    ),
    "publish k-anonymity": (
        "shoal publish k-anonymity people.csv --quasi age,sex -k 20 --hierarchy age=age.csv -o release",
        f"shoal publish k-anonymity people.csv {_QUASI} -k 20 --hierarchy postcode=prefixes --hide greedy -o hidden",
    ),
    "apply": (
        "shoal apply plan.toml new-baskets.dat -o new-release",
        "shoal apply plan.toml new-baskets.dat -o another-release --json --quiet",
    ),
    "verify": (
        "shoal verify release",
        "shoal verify release --original baskets.dat --quiet",
        "shoal verify table --original people.csv --json",
    ),
    "attack": (
        "shoal attack release",
        "shoal attack release --original baskets.dat --victims 100 --knows 3",
        "shoal attack table --original people.csv --json",
    ),
    "privacy": (
        "shoal privacy --keep-prob .95 --fakes 2 --mean-support .01",
        "shoal privacy --target .95 --max-size 3 --mean-support .01 --records 100000 --items 870 --min-support .005",
    ),
    "measure": (
        "shoal measure baskets.dat release",
        "shoal measure baskets.dat release --top 200 --reconstructions 5 --json",
        "shoal measure people.csv table --queries 100",
    ),
    "report": (
        "shoal report baskets.dat release",
        "shoal report people.csv table -o people.html --charts charts",
        "shoal report release --public -o public.html",
    ),
    "compare": (
        "shoal compare baskets.dat --methods disassociate,mask -k 5 -m 2 -o comparison",
        f"shoal compare people.csv {_QUASI} --methods anatomy,mondrian -k 5 -l 3 -o tables --json --quiet",
    ),
    "sweep": (
        "shoal sweep baskets.dat --method disassociate --k 2,5,10 -o sweep",
        "shoal sweep baskets.dat --method mask --keep-prob .8,.9,.95 --loss re -o mask-sweep --json --quiet",
    ),
    "advise": (
        "shoal advise baskets.dat --against identity --for mining",
        "shoal advise baskets.dat --against identity --for counting -k 5 --json --quiet",
    ),
    "show": (
        "shoal show release --limit 2",
        "shoal show release --cluster 0 --json",
        "shoal show table --group 3",
    ),
    "query": (
        'shoal query release "bread, milk"',
        'shoal query release "bread, milk" --json',
        'shoal query table "age in 30..40 and diagnosis = asthma"',
    ),
    "reconstruct": (
        "shoal reconstruct release -n 3 -o possible",
        "shoal reconstruct table --format parquet -o possible-tables --quiet",
    ),
    "export": (
        "shoal export release --to csv -o release.csv",
        "shoal export release --to jsonl",
        "shoal export table --to parquet --part rows -o rows.parquet",
    ),
    "mine": (
        "shoal mine baskets.dat --min-support .02 --rules",
        "shoal mine release --top 100 -o best.csv",
        "shoal mine people.csv --negative --sensitive diagnosis --quasi age,sex -o rules.json",
    ),
    "generate quest": (
        "shoal generate quest --records 1000 --items 50 -o generated.dat",
        "shoal generate quest --records 1000 --mean-length 5 --seed 7 -o same-again.dat --json",
    ),
    "generate people": (
        "shoal generate people --rows 500 -o synthetic.csv",
        "shoal generate people --rows 500 --seed 7 -o same-again.parquet",
    ),
    "generate sample": (
        "shoal generate sample baskets -o sample.dat",
        "shoal generate sample people -o -",
    ),
    "generate hierarchy": (
        "shoal generate hierarchy people.csv --column age --kind ranges -o ages.csv",
        "shoal generate hierarchy baskets.dat --items --kind neighbours --fanout 5 -o groups.csv",
    ),
    "completion": (
        "shoal completion bash",
        "shoal completion fish --json",
    ),
}
_FIRST_STEPS = (
    "shoal generate sample baskets -o baskets.dat",
    *(EXAMPLES[name][0] for name in ("info", "risk", "publish disassociate", "verify", "measure")),
)
"""First steps for a new user: run in this order, in an empty folder."""


def examples_of(name: str) -> tuple[str, ...]:
    """Examples of a command; for a method without written examples, one is built from its parameters."""
    group, _, command = name.partition(" ")
    if name in EXAMPLES or group != "publish":
        return EXAMPLES.get(name, ())
    from shoal.methods import commands
    from shoal.parameters import PARAMETERS
    from shoal.study.publish_command import publish_command

    method = commands()[command]
    needed = {one: PARAMETERS[one].default for one in method.parameters if PARAMETERS[one].required}
    source = ["baskets.dat"] if method.about == "baskets" else ["people.csv", *_QUASI.split()]
    return (publish_command(method.name, needed, source),)


def examples_of_group(name: str, commands: Iterable[str]) -> Iterable[str]:
    """One example of each command under a name; for all commands, the first steps."""
    return (
        _FIRST_STEPS
        if name == "shoal"
        else [one for command in commands for one in examples_of(f"{name} {command}")[:1]]
    )


def write_examples(formatter: Any, examples: Iterable[str]) -> None:
    """Write examples at the end of a help text, one per line, ready to copy."""
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"  {example}\n")
