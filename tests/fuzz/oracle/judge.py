"""Does a release that was accepted keep its promise? By the words of the promise and of docs/release-format.md."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tests.fuzz.oracle import baskets, bucketized, disassociated, generalized
from tests.fuzz.oracle.folder import Broken, Undecided, opened

_CHECKS = {
    "disassociation": disassociated.check,
    "anatomy": bucketized.check,
    "injector": bucketized.check,
    "bottom-up": generalized.check,
    "mondrian": generalized.check,
    "mask": baskets.check_randomized,
    "fakes": baskets.check_randomized,
    "hybrid": baskets.check_randomized,
    "km-generalization": baskets.check_generalized,
    "diffpart": baskets.check_noisy,
}


@dataclasses.dataclass(frozen=True)
class Judgement:
    """What the oracle says: ``broken`` and ``undecided`` say why, and both are None where the promise is kept."""

    broken: str | None = None
    undecided: str | None = None


def judge(place: Path) -> Judgement:
    """Look at a release that ``shoal verify`` accepts."""
    try:
        folder = opened(place)
        _CHECKS[folder.manifest["method"]](folder)
    except Broken as broken:
        return Judgement(broken=str(broken))
    except Undecided as undecided:
        return Judgement(undecided=str(undecided))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return Judgement(broken=f"it is not of the format: {type(error).__name__}: {error}")
    return Judgement()
