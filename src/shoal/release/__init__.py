"""What leaves the house, as plain data."""

from __future__ import annotations

from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.randomized import Randomized

Release = Disassociated | Bucketized | Generalized | Randomized
"""Any release, whatever its shape."""
