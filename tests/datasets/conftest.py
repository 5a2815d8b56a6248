import os
from pathlib import Path

import numpy as np
import pytest

from subspan.datasets.catalog import TRAFFIC_SIGNS

# Where a checkout keeps the data files, unless SUBSPAN_DATA says otherwise.
BESIDE_THE_REPOSITORY = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def paper_data():
    """Folder of the real data files."""
    folder = Path(os.environ.get("SUBSPAN_DATA", BESIDE_THE_REPOSITORY))
    if not folder.is_dir():
        pytest.skip("the paper's data sets are not here: set SUBSPAN_DATA to their folder")
    return folder


def store(folder, name, images, y, *, order="C", **more):
    """Write a data file in the shared format, without the help of the library."""
    X = np.stack([image.ravel(order=order) for image in images])
    shape = np.array(images.shape[1:])
    np.savez(folder / f"{name}.npz", X=X, y=y, image_shape=shape, pixel_order=np.array(order), **more)


def random_images(n_images, height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (n_images, height, width)).astype(np.uint8)


@pytest.fixture
def small_data(tmp_path):
    """A data folder with small stand-ins of all four sets."""
    folder = tmp_path / "small"
    folder.mkdir()
    store(folder, "extended_yale_b", random_images(6, 48, 42), np.repeat([1, 2, 38], 2), order="F")
    store(
        folder,
        "coil100",
        random_images(4, 32, 32),
        np.repeat([1, 100], 2),
        order="F",
        angle=np.array([0, 5, 0, 5]),
    )
    store(folder, "mnist", random_images(40, 28, 28), np.arange(40) % 10)
    kinds = np.repeat(list(TRAFFIC_SIGNS), 2)
    store(folder, "gtsrb", random_images(len(kinds), 40, 40), kinds, track=np.arange(len(kinds)) % 2)
    return folder
