"""Risks that remain: the largest first, those of nobody left out, severe from a twentieth on."""

from __future__ import annotations

from shoal.audit.residual import Residual, by_severity


def test_the_largest_comes_first_and_nothing_is_no_risk() -> None:
    small, large, none = (Residual(share, "rows", "may be told") for share in (0.01, 0.5, 0.0))
    assert by_severity([small, None, none, large]) == (large, small)
    assert (large.severe, small.severe, Residual(0.05, "rows", "").severe) == (True, False, True)
    assert str(small) == "1.0 % of the rows may be told"
    assert Residual(1e-6, "rows", "").shown == "under 0.1 %"
