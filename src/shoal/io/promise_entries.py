"""Promises as entries of a manifest, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar

from shoal.errors import DamagedRelease, InputError
from shoal.io.manifest import MANIFEST
from shoal.promises import (
    BucketPromise,
    DifferentialPrivacy,
    FrequencyDiversity,
    HiddenAssociations,
    KAnonymity,
    KmAnonymity,
    KmGeneralized,
    KmPromise,
    LDiversity,
    MatchingDiversity,
    NoCertainLinks,
    Randomization,
    SuppressedKm,
    UnboundedDifferentialPrivacy,
)
from shoal.promises.promise import Promise
from shoal.quoting import named, said_by, shown


def promise_entry(promise: Promise) -> dict[str, Any]:
    """The entry of a promise in a manifest."""
    return {
        "kind": type(promise).__name__,
        **{field.name: getattr(promise, field.name) for field in fields(promise)},
        "words": promise.words,
        "not_promised": list(promise.not_promised),
    }


def basket_promises(manifest: dict[str, Any]) -> tuple[KmPromise, LDiversity | None, NoCertainLinks | None]:
    """The promises in the manifest of a disassociated release."""
    by_kind = _by_kind(manifest)
    kinds = list(by_kind)
    first: dict[str, type[KmPromise]] = {"KmAnonymity": KmAnonymity, "SuppressedKm": SuppressedKm}
    if not kinds or kinds[0] not in first or kinds[1:] != [k for k in ("LDiversity", "NoCertainLinks") if k in kinds]:
        raise DamagedRelease(
            f"{MANIFEST} must promise KmAnonymity or SuppressedKm, and may promise LDiversity and NoCertainLinks after "
            "it, in this order"
        )
    with _clear_errors():
        entry = by_kind[kinds[0]]
        promise: KmPromise = first[kinds[0]](entry["k"], entry["m"])
        diversity = _diversity(by_kind["LDiversity"]) if "LDiversity" in by_kind else None
        return promise, diversity, NoCertainLinks() if "NoCertainLinks" in by_kind else None


def bucket_promise(manifest: dict[str, Any]) -> BucketPromise:
    """The promise in the manifest of a bucketized release."""
    by_kind = _by_kind(manifest)
    if list(by_kind) not in (["FrequencyDiversity"], ["MatchingDiversity"]):
        raise DamagedRelease(f"{MANIFEST} must promise FrequencyDiversity or MatchingDiversity, and nothing else")
    kind, entry = next(iter(by_kind.items()))
    with _clear_errors():
        if kind == "FrequencyDiversity":
            return FrequencyDiversity(entry["l"], _text(entry["sensitive"]))
        return MatchingDiversity(
            entry["l"],
            _text(entry["sensitive"]),
            entry["min_expectation"],
            entry["min_confidence"],
            entry["max_attributes"],
            _names(entry, "generalized"),
            entry["membership"],
            _names(entry, "crisp"),
        )


def generalized_promises(manifest: dict[str, Any]) -> tuple[KAnonymity, HiddenAssociations | None]:
    """The promises in the manifest of a generalized release."""
    by_kind = _by_kind(manifest)
    if list(by_kind) not in (["KAnonymity"], ["KAnonymity", "HiddenAssociations"]):
        raise DamagedRelease(f"{MANIFEST} must promise KAnonymity, and may promise HiddenAssociations after it")
    with _clear_errors():
        entry = by_kind["KAnonymity"]
        promise = KAnonymity(entry["k"], _names(entry, "quasi"))
        if "HiddenAssociations" not in by_kind:
            return promise, None
        entry = by_kind["HiddenAssociations"]
        return promise, HiddenAssociations(
            _names(entry, "sensitive"), entry["min_support"], entry["min_confidence"], entry["resists_filling"]
        )


def randomized_promises(manifest: dict[str, Any]) -> tuple[Randomization, DifferentialPrivacy | None]:
    """The promises in the manifest of a randomized release."""
    by_kind = _by_kind(manifest)
    if list(by_kind) not in (["Randomization"], ["Randomization", "DifferentialPrivacy"]):
        raise DamagedRelease(f"{MANIFEST} must promise Randomization, and may promise DifferentialPrivacy after it")
    with _clear_errors():
        entry = by_kind["Randomization"]
        lengths = entry["fake_lengths"]
        if not isinstance(lengths, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in lengths):
            raise DamagedRelease(f"{MANIFEST}: 'fake_lengths' must be a list of lengths, each with its share")
        shares = tuple((pair[0], pair[1]) for pair in lengths)
        promise = Randomization(entry["keep_prob"], entry["fakes"], shares, entry["item_list"])
        if "DifferentialPrivacy" not in by_kind:
            return promise, None
        entry = by_kind["DifferentialPrivacy"]
        privacy = DifferentialPrivacy(entry["epsilon"], entry["max_basket"], entry["item_list"])
        return promise, _same_neighbours(entry, privacy)


def generalized_baskets_promise(manifest: dict[str, Any]) -> KmGeneralized:
    """The promise in the manifest of a release of generalized baskets."""
    entry = _only(manifest, "KmGeneralized")
    with _clear_errors():
        return KmGeneralized(entry["k"], entry["m"])


def noisy_baskets_promise(manifest: dict[str, Any]) -> UnboundedDifferentialPrivacy:
    """The promise in the manifest of a release of baskets with noisy counts."""
    entry = _only(manifest, "UnboundedDifferentialPrivacy")
    with _clear_errors():
        return _same_neighbours(entry, UnboundedDifferentialPrivacy(entry["epsilon"], entry["item_list"]))


def _only(manifest: dict[str, Any], kind: str) -> dict[str, Any]:
    by_kind = _by_kind(manifest)
    if list(by_kind) != [kind]:
        raise DamagedRelease(f"{MANIFEST} must promise {kind}, and nothing else")
    return by_kind[kind]


P = TypeVar("P", DifferentialPrivacy, UnboundedDifferentialPrivacy)


def _same_neighbours(entry: dict[str, Any], promise: P) -> P:
    """Refuse other neighbours: the same epsilon would then be another promise."""
    if entry["neighbouring"] != promise.neighbouring:
        raise DamagedRelease(
            f"{MANIFEST}: the neighbours of {type(promise).__name__} are {named(promise.neighbouring)}, not "
            f"{shown(entry['neighbouring'])}"
        )
    return promise


def _by_kind(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    entries = manifest.get("promises")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return {}
    kinds = [entry.get("kind") for entry in entries]
    if not all(isinstance(kind, str) for kind in kinds) or len(set(kinds)) < len(kinds):
        return {}
    return dict(zip(kinds, entries, strict=True))


@contextmanager
def _clear_errors() -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise DamagedRelease(f"{MANIFEST} states a promise without its {error}") from None
    except DamagedRelease:
        raise
    except InputError as error:
        raise DamagedRelease(f"{MANIFEST} states an invalid promise: {said_by(error)}") from None


def _diversity(entry: dict[str, Any]) -> LDiversity:
    sensitive = entry["sensitive"]
    if not isinstance(sensitive, list) or not all(isinstance(name, str) for name in sensitive):
        raise DamagedRelease(f"{MANIFEST}: the sensitive items of LDiversity must be a list of names")
    return LDiversity(entry["l"], tuple(map(_text, sensitive)))


def _names(entry: dict[str, Any], key: str) -> tuple[str, ...]:
    names = entry[key]
    if not isinstance(names, list):
        raise DamagedRelease(f"{MANIFEST}: the {key} columns of a promise must be a list of names")
    return tuple(map(_text, names))


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise DamagedRelease(f"{MANIFEST} names a column {named(name)}, which is not a text")
    return name
