"""The types of arrays that Shoal holds data in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
UInt8 = npt.NDArray[np.uint8]
UInt64 = npt.NDArray[np.uint64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
