"""Where items of a release may be: how the index of them is sorted, and what reading it loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.people.leaves_of_items import _sorted_with_order
from tests.making.releases_with_odd_names import publish_by


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**62)))
@example([])
@example([3, 1, 3, 0, 1])
@example([2**62, 0, 2**62])
def test_keys_ascend_and_equal_ones_stay_in_their_order(keys: list[int]) -> None:
    ordered, order = _sorted_with_order(np.array(keys, np.int64))
    wanted = sorted(range(len(keys)), key=lambda place: (keys[place], place))
    assert order.tolist() == wanted
    assert ordered.tolist() == [keys[place] for place in wanted]


def test_verify_tells_of_certain_links_without_loading_the_attacks(tmp_path: Path) -> None:
    """All attacks, and SciPy with them, take as long to load as everything else that verifying a small release does."""
    publish_by("disassociate", tmp_path / "release")
    script = (
        "import shoal, sys; verdict = shoal.verify(sys.argv[1], trusted=True); "
        "print(len(verdict.residuals), sorted({name.split('.')[0] for name in sys.modules} & {'scipy', 'numba'}))"
    )
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "release"], capture_output=True, text=True)
    assert done.stdout.split(" ", 1)[1] == "[]\n", done.stderr
    assert int(done.stdout.split(" ", 1)[0]) > 0
