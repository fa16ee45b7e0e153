"""One report on anything that is reported on: a release, a comparison or a sweep."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.release import Release
from shoal.run import DEFAULT_RUN, Run
from shoal.study.compare import Comparison
from shoal.study.sweep import Sweep

if TYPE_CHECKING:
    from shoal.data.background import Background
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.reporting.page import Report


def report(
    what: str | os.PathLike[str] | Release | Comparison | Sweep,
    original: Transactions | Table | None = None,
    *,
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    background: Background | None = None,
    source: str | os.PathLike[str] | None = None,
    choices: Mapping[str, str] | None = None,
    run: Run = DEFAULT_RUN,
) -> Report:
    """Write a one-page HTML report on a release, or on a comparison or a sweep.

    Args:
        what: the folder of a release, open or not; a release in memory; or what :func:`shoal.compare` or
            :func:`shoal.sweep` returned.
        original: of a release, the data that were published. With them the report is internal: it covers the risk
            before, and what publishing cost. Without them it says only what the folder shows anyone.
        hierarchy: of generalized baskets, the hierarchy of the items; of generalized tables, hierarchies by column:
            what the release was made with, to compare it with the original. Of other baskets, categories of items, by
            which itemsets are measured, too.
        background: of a bucketized release, the negative rules that its promise speaks of, if it does not have them.
        source: the file that was published or studied, for an internal report: its name and checksum.
        choices: of a release, how it was published, option by option, for an internal report.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The report: ``save`` writes it as one HTML page, ``save_charts`` its charts, ``as_dict`` is all of it as data.

    Raises:
        InputError: there is no such folder, or the original is not that of the release; there are choices and no
            original; or an argument does not apply.
        DamagedRelease: it is not a release.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}] * 6 + [{"tea", "caviar"}])
        >>> found = shoal.report(shoal.disassociate(baskets, k=3, m=2))
        >>> found.audience, found.title
        ('public', 'Report on release')
    """
    if isinstance(what, Comparison | Sweep):
        from shoal.reporting.study_report import study_report

        given: dict[str, Any] = {
            "original": original,
            "hierarchy": hierarchy,
            "background": background,
            "choices": choices,
        }
        idle = [name for name, value in given.items() if value is not None]
        if idle:
            raise InputError(f"{', '.join(idle)}: not about a comparison or a sweep: leave it out")
        return study_report(what, source=source)
    if not isinstance(what, str | os.PathLike | Release):
        raise InputError("report needs a release, its folder, or what shoal.compare or shoal.sweep returned")
    from shoal.reporting.release_report import release_report

    return release_report(
        what,
        original,
        hierarchy=hierarchy,
        background=background,
        source=source,
        choices=choices,
        run=run,
    )
