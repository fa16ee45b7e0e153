"""Every publisher refuses the other kind of data, and what was not read, in words that say what to do."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.loading import loaded
from shoal.methods import METHODS
from shoal.parameters import PARAMETERS

BASKETS = shoal.read([["tea", "milk"]] * 6)
TABLE = shoal.read_table(pa.table({"age": [1, 2] * 3, "ill": ["x", "y", "z"] * 2}), quasi="age", sensitive="ill")


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
@pytest.mark.parametrize("given", [BASKETS, TABLE, [["tea"]], None], ids=["baskets", "table", "list", "nothing"])
def test_only_the_data_of_a_method_are_taken(method: Any, given: Any) -> None:
    if given is (BASKETS if method.about == "baskets" else TABLE):
        return
    settings = {method.keywords.get(name, name): PARAMETERS[name].default for name in method.parameters}
    settings.pop("seed", None)  # by default, a run without a fixed chance
    with pytest.raises(
        shoal.errors.InputError, match=r"^the data are .*: read (them with shoal\.read|it with shoal\.read_table)$"
    ):
        loaded(method.publish)(given, **method.fixed, **settings)
