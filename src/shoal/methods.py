"""The publishing methods by name: the one list that the command line, the studies and the reference read.

A method in this list is published, compared, swept, advised and documented by all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.loading import loaded
from shoal.method import NEEDS, Method, Risk, Settings
from shoal.quoting import shown
from shoal.run import DEFAULT_RUN, Run
from shoal.suggestions import did_you_mean

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.release import Release
    from shoal.study.original import About, Original

__all__ = ["METHODS", "NEEDS", "Method", "Risk", "commands", "methods_about", "publish", "require_known", "takers"]

_NUMBERS = "shoal.study.promised_risks"
_TRUE = frozenset({"exact values", "nothing invented"})
_ALIKE = "at least k = {k} rows agree on all quasi-identifiers"
_CANDIDATES = Risk(
    "identity",
    ("k",),
    "1/k: to pick a person's record among the k that may be theirs, for someone who knows up to m of its items, if all "
    "were equally likely, which is not promised",
    f"{_NUMBERS}:one_in_k",
)
_ROWS = Risk(
    "identity",
    ("k",),
    "1/k: to pick a person's row among the k that agree on all quasi-identifiers",
    f"{_NUMBERS}:one_in_k",
)
_SHOWN = Risk(
    "attributes",
    ("confidence",),
    "the confidence that no association of a group reaches, as the group shows it; guesses may do better",
    f"{_NUMBERS}:confidence",
)
_OF_CLUSTERS = {
    "k": "How many candidate records must remain.",
    "l": "A sensitive item belongs to at most one in l records of a cluster.",
}
_OF_A_COLUMN = {"l": "How many of its values must remain possible."}
_OF_ROWS = {
    "k": "How many rows must agree on all of them.",
    "hide": "Generalize sensitive cells until no group shows an association. greedy: few cells; iga: by item grouping; "
    "resistant: none is shown either after hidden cells are filled with the most frequent value.",
}

_DISASSOCIATE = Method(
    "disassociate",
    shape="disassociated",
    makes="disassociation",
    publish="shoal.publish.disassociation:disassociate",
    parameters=("k", "m", "max_cluster_size"),
    promised="k^m, k = {k}, m = {m}",
    serves=_TRUE | {"identity"},
    risks=(_CANDIDATES,),
    summary="Baskets: separate rare combinations.",
    options="shoal.cli.publish.disassociate:disassociate",
    fixed={"vertical": "greedy"},
    helps=_OF_CLUSTERS,
)
_MASK = Method(
    "mask",
    shape="randomized",
    makes="mask",
    publish="shoal.publish.randomization:mask",
    parameters=("keep_prob", "seed"),
    promised="every item kept with probability {keep_prob:g}, else flipped",
    serves=frozenset({"attributes", "exact values"}),
    risks=(
        Risk(
            "attributes",
            ("keep_prob",),
            "to reconstruct an item that a record has from its row, by Bayes with supports known: the mean over all "
            "items of all records",
            f"{_NUMBERS}:guessed_back",
        ),
    ),
    summary="Baskets: flip every item at random.",
    options="shoal.cli.publish.randomized:mask",
)
_BOTTOM_UP = Method(
    "bottom-up",
    shape="generalized",
    makes="bottom-up",
    publish="shoal.publish.k_anonymity:k_anonymity",
    parameters=("k", "max_suppressed"),
    promised=_ALIKE,
    serves=frozenset({"identity", "nothing invented"}),
    risks=(_ROWS,),
    summary="A table: generalize until k rows agree.",
    command="k-anonymity",
    words=("--strategy", "bottom-up"),
    options="shoal.cli.publish.k_anonymity:k_anonymity",
    fixed={"strategy": "bottom-up"},
    helps=_OF_ROWS,
    hierarchy="any",
)
_BOTTOM_UP_HIDDEN = replace(
    _BOTTOM_UP,
    name="bottom-up-hidden",
    parameters=(*_BOTTOM_UP.parameters, "hide", "support", "confidence"),
    keywords={"support": "min_support", "confidence": "min_confidence"},
    promised=_ALIKE + "; groups show no association of confidence {confidence:g} (hiding: {hide})",
    serves=_BOTTOM_UP.serves | {"attributes"},
    risks=(_ROWS, _SHOWN),
    # The other strategies hide cells with frequent values, so filling by these values gets most of them right.
    advised={"hide": "resistant"},
)


def _by_mondrian(method: Method, name: str) -> Method:
    return replace(
        method, name=name, makes="mondrian", words=("--strategy", "mondrian"), fixed={"strategy": "mondrian"}
    )


_ENTRIES = (
    _DISASSOCIATE,
    replace(
        _DISASSOCIATE,
        name="dls",
        promised="k^m of what was not suppressed, k = {k}, m = {m}",
        risks=(
            replace(
                _CANDIDATES, words=_CANDIDATES.words.replace("of its items", "of its items that were not suppressed")
            ),
        ),
        command="disassociate",
        words=("--vertical", "dls"),
        fixed={"vertical": "dls"},
        promises_less_than="disassociate",
    ),
    replace(
        _DISASSOCIATE,
        name="disassociate-l",
        parameters=("k", "m", "l", "sensitive", "max_cluster_size"),
        promised="k^m, k = {k}, m = {m}; a sensitive item belongs to at most one in l = {l} records of a cluster",
        serves=_TRUE | {"identity", "attributes"},
        risks=(
            Risk(
                "attributes",
                ("l",),
                "1/l: to pick the owner of a sensitive item among the records of its cluster",
                f"{_NUMBERS}:one_in_l",
            ),
            _CANDIDATES,
        ),
        command="disassociate",
        needs="sensitive",
    ),
    Method(
        "km-generalization",
        shape="generalized_baskets",
        makes="km-generalization",
        publish="shoal.publish.km_generalization:km_generalization",
        parameters=("k", "m"),
        promised="k^m of generalized items, k = {k}, m = {m}",
        serves=frozenset({"identity", "nothing invented"}),
        risks=(_CANDIDATES,),
        summary="Baskets: replace rare items by categories.",
        options="shoal.cli.publish.km_generalization:km_generalization",
        helps={"k": "How many records must hold a set of published items."},
        hierarchy="any",
    ),
    Method(
        "diffpart",
        shape="noisy_baskets",
        makes="diffpart",
        publish="shoal.publish.diffpart:diffpart",
        parameters=("epsilon", "seed"),
        promised="epsilon = {epsilon:g}, one record added or removed",
        serves=frozenset({"identity", "attributes", "membership", "exact values"}),
        risks=(
            Risk(
                "membership",
                ("epsilon",),
                "exp(epsilon) / (1 + exp(epsilon)): to learn whether one record was in the data, for someone who knows "
                "all others and considers both equally likely; a coin has .5",
                f"{_NUMBERS}:told_apart",
            ),
        ),
        summary="Baskets: noisy counts, differentially private.",
        options="shoal.cli.publish.diffpart:diffpart",
        # What was not given is built again there: its list of items is that of the data, and the promise says so.
        hierarchy="given",
    ),
    _MASK,
    replace(
        _MASK,
        name="fakes",
        makes="fakes",
        publish="shoal.publish.randomization:fakes",
        parameters=("fakes", "seed"),
        promised="fake transactions are mixed in, {fakes:g} per real one",
        serves=frozenset({"exact values"}),
        risks=(
            Risk(
                "identity",
                ("fakes",),
                "1 / (1 + fakes): that a picked row is real, if real and fake transactions look alike; they do not "
                "quite (shoal attack)",
                f"{_NUMBERS}:real",
            ),
        ),
        summary="Baskets: mix fake transactions into the real ones.",
        options="shoal.cli.publish.randomized:fakes",
    ),
    replace(
        _MASK,
        name="hybrid",
        makes="hybrid",
        publish="shoal.publish.randomization:hybrid",
        parameters=("keep_prob", "fakes", "seed"),
        promised="fake transactions are mixed in, {fakes:g} per real one; then items are flipped (kept: {keep_prob:g})",
        risks=(
            Risk(
                "attributes",
                ("keep_prob", "fakes"),
                "that a picked row is real, and an item that it has is reconstructed, by Bayes: the mean over all "
                "items of all records",
                f"{_NUMBERS}:guessed_back",
            ),
        ),
        summary="Baskets: mix in fake transactions, and flip items of all.",
        options="shoal.cli.publish.randomized:hybrid",
    ),
    Method(
        "anatomy",
        shape="bucketized",
        makes="anatomy",
        publish="shoal.publish.anatomy:anatomy",
        parameters=("l", "seed"),
        promised="a sensitive value belongs to at most one in l = {l} rows of a group",
        serves=_TRUE | {"attributes"},
        risks=(
            Risk(
                "attributes",
                ("l",),
                "1/l: that a row of a group has a certain sensitive value of it",
                f"{_NUMBERS}:one_in_l",
            ),
        ),
        summary="A table: each sensitive value belongs to at most one in l rows.",
        options="shoal.cli.publish.tables:anatomy",
        helps=_OF_A_COLUMN,
    ),
    Method(
        "injector",
        shape="bucketized",
        makes="injector",
        publish="shoal.publish.injector:injector",
        # Rules are about values: given hierarchies say how to generalize, not what an adversary knows.
        parameters=("l", "min_expectation", "seed"),
        promised="l = {l} sensitive values remain for every row after the negative rules of the data",
        serves=_TRUE | {"attributes"},
        risks=(
            Risk(
                "attributes",
                ("l",),
                "1/l: to pick a person's sensitive value among those that rules leave, if all were equally likely, "
                "which is not promised",
                f"{_NUMBERS}:one_in_l",
            ),
        ),
        summary="A table: the same, also against someone who can rule values out.",
        options="shoal.cli.publish.tables:injector",
        helps=_OF_A_COLUMN,
    ),
    _BOTTOM_UP,
    _BOTTOM_UP_HIDDEN,
    _by_mondrian(_BOTTOM_UP, "mondrian"),
    _by_mondrian(_BOTTOM_UP_HIDDEN, "mondrian-hidden"),
)

METHODS: dict[str, Method] = {method.name: method for method in _ENTRIES}
"""All methods by name: those of baskets, then those of tables."""


def methods_about(about: About) -> list[Method]:
    """All methods for this kind of data, in the order of the list."""
    return [method for method in METHODS.values() if method.about == about]


def commands() -> dict[str, Method]:
    """The commands that publish, each with the first method that it publishes by."""
    found: dict[str, Method] = {}
    for method in METHODS.values():
        found.setdefault(method.published_by, method)
    return found


def takers(parameter: str) -> list[Method]:
    """The methods that take a parameter, except those that also need another one to run."""
    return [one for one in METHODS.values() if parameter in one.parameters and one.needs in ("", parameter)]


def publish(
    method: str,
    data: Transactions | Table,
    *,
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    run: Run = DEFAULT_RUN,
    **settings: Any,
) -> Release:
    """Publish in memory by the method of this name.

    Args:
        method: the name of a method, as in :func:`shoal.compare`.
        data: baskets, or a table with quasi-identifiers and sensitive columns.
        hierarchy: of the items of baskets, or by column of a table.
        run: threads, progress and chance (:class:`shoal.Run`).
        **settings: parameters of the method by name; the others have their defaults.

    Raises:
        InputError: the method is unknown or does not take a parameter, or a value is out of range.
        Infeasible: no release of these data can keep the promise.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}, {"tea", "jam"}] * 10)
        >>> publish("disassociate", baskets, k=3).promises
        (KmAnonymity(k=3, m=2),)
    """
    if method not in METHODS:
        raise InputError(f"there is no method {shown(method)}{did_you_mean(method, METHODS)}")
    named = METHODS[method]
    require_known(settings, named)
    original: Original = loaded("shoal.study.original:Original").of(data, hierarchy)
    if original.about != named.about:
        raise InputError(f"{method} publishes {named.about}, and these data are {original.about}")
    return named.make(original, named.settings(settings), run)


def require_known(settings: Settings, method: Method) -> None:
    """Refuse parameters that a method does not take.

    Raises:
        InputError: names the first of them.
    """
    for name in settings:
        if name not in method.parameters:
            meant = did_you_mean(name, method.parameters)
            raise InputError(f"{method.name} does not take {name}{meant}: it takes {', '.join(method.parameters)}")
