import numpy as np
import pytest

from subspan.datasets import load_gtsrb, load_mnist, paper, paper_features
from subspan.features import hog, pca, scattering
from subspan.handover import InputError

# Few directions keep the table of coefficients small: 304 columns.
FEW = {"n_scales": 3, "n_orientations": 2, "divide_by_maximum": True}


@pytest.fixture(autouse=True)
def small_world(tmp_path, monkeypatch):
    monkeypatch.setenv("SUBSPAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(paper, "SCATTERING", FEW)


@pytest.fixture
def no_transform(monkeypatch):
    """From here on nothing may be transformed."""

    def fail(*_, **__):
        pytest.fail("features were computed again")

    return lambda: [
        monkeypatch.setattr(paper, name, fail) for name in ("scattering", "scattering_blocks", "hog")
    ]


@pytest.mark.parametrize(("name", "n_columns"), [("extended_yale_b", 2016), ("coil100", 1024)])
def test_faces_and_objects_are_pixels(small_data, name, n_columns):
    X, y = paper_features(name, data_dir=small_data)
    assert X.dtype == np.float32
    assert X.shape == (len(y), n_columns)
    assert X.max() > 200


def test_digits_are_uncentred_components_of_scattering(small_data, no_transform):
    X, y = paper_features("mnist", data_dir=small_data)
    digits = load_mnist(data_dir=small_data)
    expected = pca(scattering(digits.images, **FEW), 40, center=False)
    assert np.array_equal(X, expected)
    assert np.array_equal(y, digits.target)
    no_transform()
    assert np.array_equal(paper_features("mnist", data_dir=small_data)[0], expected)


def test_a_subset_is_the_same_with_and_without_the_whole(small_data, tmp_path, monkeypatch, no_transform):
    without, y = paper_features("mnist", n_per_class=2, random_state=4, data_dir=small_data)
    assert without.shape == (20, 20)
    assert np.bincount(y).tolist() == [2] * 10
    monkeypatch.setenv("SUBSPAN_CACHE", str(tmp_path / "another"))
    paper_features("mnist", data_dir=small_data)
    no_transform()
    with_whole, _ = paper_features("mnist", n_per_class=2, random_state=4, data_dir=small_data)
    assert np.array_equal(with_whole, without)


def test_signs_are_centred_components_of_gradients(small_data, no_transform):
    pytest.importorskip("skimage")
    X, y = paper_features("gtsrb", data_dir=small_data)
    signs = load_gtsrb(data_dir=small_data)
    histograms = hog(signs.images)
    np.testing.assert_allclose(X, pca(histograms, 28, center=True), atol=1e-6)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-6)
    assert np.array_equal(y, signs.target)
    no_transform()
    assert np.array_equal(paper_features("gtsrb", data_dir=small_data)[0], X)


def test_wrong_requests_are_refused(small_data):
    with pytest.raises(InputError, match="n_per_class is for mnist only"):
        paper_features("gtsrb", n_per_class=3, data_dir=small_data)
    with pytest.raises(InputError, match="no data set 'imagenet'"):
        paper_features("imagenet", data_dir=small_data)
