import sys

import numpy as np
import pytest

from subspan.extras import MissingPackageError
from subspan.features import hog
from subspan.handover import InputError


def test_signs_have_1568_numbers():
    pytest.importorskip("skimage")
    images = np.random.default_rng(0).integers(0, 256, (3, 40, 40)).astype(np.uint8)
    features = hog(images)
    assert features.shape == (3, 1568)
    assert features.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(features.reshape(3, 49, 32), axis=2), 1, atol=1e-3)


def test_an_edge_falls_into_the_bin_of_its_gradient():
    pytest.importorskip("skimage")
    ramp = np.tile(np.arange(40.0), (40, 1))
    bins = hog(ramp[None]).reshape(49, 4, 8)
    # The gradient of a ramp along the columns points along them: angle zero, the first bin.
    assert (bins[:, :, 0] > 0).all()
    assert not bins[:, :, 1:].any()


@pytest.mark.parametrize("shape", [(1, 9, 40), (40, 40)])
def test_bad_images_are_named(shape):
    pytest.importorskip("skimage")
    with pytest.raises(InputError, match=str(shape[-2])):
        hog(np.zeros(shape))


def test_a_missing_package_is_answered_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.feature", None)
    with pytest.raises(MissingPackageError, match=r"needs scikit-image: pip install 'subspan\[features\]'"):
        hog(np.zeros((1, 40, 40)))
