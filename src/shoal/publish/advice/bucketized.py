"""What to change if most rows have a unique sensitive value."""

from __future__ import annotations

from shoal.errors import EmptyKind
from shoal.publish.advice.coarser_values import coarser_values
from shoal.quoting import called
from shoal.release.bucketized import Bucketized


def advice(release: Bucketized, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    del kind  # groups of rows always distinguish records
    texts = [str(value) for value in release.values.take(release.bucket_values).to_pylist()]
    most = release.n_rows // release.promise.l
    return coarser_values(called(release.sensitive), texts, release.bucket_counts, release.n_rows, most)
