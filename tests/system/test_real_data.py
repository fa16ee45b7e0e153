"""Real data, the whole way: read, published, written, verified from the folder and against the original.

Where there are none, the made-up baskets that come with Shoal go the same way.
"""

import numpy as np
import pytest

import shoal
from shoal.audit.disassociated import audit
from shoal.generate import bundled
from shoal.publish.disassociation.horizontal import cluster_and_spread
from shoal.release.evidence import Evidence

FILES = ["msweb/msweb.dat", "diabetes/icd9-by-patient.dat", "groceries/groceries.dat", "t10i4d100k/T10I4D100K.dat"]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(("k", "m"), [(5, 2), (3, 4)])
def test_baskets_are_published_and_verified(file, k, m, tmp_path, real_file):
    check_published(shoal.read(real_file(file)), k, m, tmp_path / "release")


@pytest.mark.parametrize(("k", "m"), [(5, 2), (3, 4)])
def test_bundled_baskets_are_published_and_verified(k, m, tmp_path):
    check_published(shoal.read(bundled.path("baskets")), k, m, tmp_path / "release")


def check_published(data, k, m, folder):
    release = shoal.disassociate(data, k, m)
    release.write(folder)
    verdict = shoal.verify(folder, Evidence(original=data))
    assert verdict.holds, str(verdict)
    assert release.cluster_size.min() >= k
    assert release.cluster_size[release.is_leaf].max() <= 4 * k
    assert release.n_records == len(data)


def test_frequent_diagnoses_can_be_kept_detached(real_file):
    data = shoal.read(real_file("diabetes/icd9-by-patient.dat"))
    supports = data.supports
    names = [data.words[i] for i in np.argsort(-supports)[5:25]]  # twenty diagnoses of a thousand patients and more
    release = shoal.disassociate(data, 5, 2, sensitive=names, l=4)
    assert audit(release, original=data).holds
    flags = np.isin(data.words, names).astype(np.uint8)
    clustering = cluster_and_spread(data, flags, share=4, least=5, most=20)
    cluster = np.repeat(np.arange(len(clustering.bounds) - 1), np.diff(clustering.bounds))
    lengths = np.diff(clustering.offsets)[clustering.rows]
    starts = clustering.offsets[clustering.rows]
    at = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(lengths.sum())
    items, owner = clustering.items[at], np.repeat(cluster, lengths)
    marked = flags[items] > 0
    pairs, counts = np.unique(owner[marked] * data.n_items + items[marked], return_counts=True)
    sizes = np.diff(clustering.bounds)[pairs // data.n_items]
    assert (counts * 4 <= sizes).all()
    # Most of what would exceed its share changes places instead of being struck out.
    assert release.dropped.sensitive_instances < 0.05 * supports[flags > 0].sum()


def test_the_order_of_real_data_does_not_matter(real_file):
    check_order(shoal.read(real_file("groceries/groceries.dat")))


def test_the_order_of_bundled_baskets_does_not_matter():
    check_order(shoal.read(bundled.path("baskets")))


def check_order(data):
    rows = list(data)
    shuffled = shoal.read([rows[i] for i in np.random.default_rng(1).permutation(len(rows))])
    one, two = shoal.disassociate(data, 5, 2), shoal.disassociate(shuffled, 5, 2)
    for name, value in vars(one).items():
        other = getattr(two, name)
        assert np.array_equal(value, other) if isinstance(value, np.ndarray) else value == other, name
