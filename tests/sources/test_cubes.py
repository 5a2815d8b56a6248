"""Pixels of cubes, in every format, against the plain array."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

from subspan import LSR
from subspan.handover import InputError
from subspan.sources import PixelSource, open_source

CUBE = np.random.default_rng(0).random((4, 5, 6))
MASK = np.arange(20).reshape(4, 5) % 3


def stored(folder: Path, kind: str) -> Path:
    path = folder / f"cube{kind}"
    if kind == ".npy":
        np.save(path, np.asfortranarray(CUBE))
    elif kind == ".npz":
        np.savez(path, scene=CUBE, classes=MASK)
    elif kind == ".mat":
        scipy.io.savemat(path, {"scene": CUBE, "classes": MASK})
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as file:
            file["scene"] = CUBE
    return path


@pytest.mark.parametrize("kind", [".npy", ".npz", ".mat", ".h5"])
def test_pixels_are_rows_line_by_line(tmp_path: Path, kind: str) -> None:
    source = open_source(stored(tmp_path, kind))
    assert isinstance(source, PixelSource)
    assert (source.shape, source.map_shape) == ((20, 6), (4, 5))
    assert np.array_equal(source.rows(0, 20), CUBE.reshape(20, 6))
    assert source.names[7] == "line 1, column 2"


def test_a_cube_of_matlab_as_hdf5_has_its_axes_the_other_way_round(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "cube.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["scene"] = CUBE.T
    assert np.array_equal(open_source(path).rows(0, 20), CUBE.reshape(20, 6))


def test_a_mask_leaves_pixels_out_and_the_map_puts_labels_back() -> None:
    source = open_source(CUBE, mask=MASK)
    assert np.array_equal(source.rows(0, 20), CUBE[MASK > 0])
    labels = np.arange(source.shape[0])
    found = source.label_map(labels)
    assert np.array_equal(found[MASK > 0], labels)
    assert (found[MASK == 0] == -1).all()
    assert np.array_equal(source.of_map(found), labels)
    # Another mask with as many pixels is other data.
    others = open_source(CUBE, mask=MASK[::-1, ::-1])
    assert others.fingerprint() != source.fingerprint()


def test_a_fit_takes_pixels_and_the_array_itself_is_answered_with_a_hint() -> None:
    model = LSR(2, random_state=0).fit(open_source(CUBE))
    assert np.array_equal(model.labels_, LSR(2, random_state=0).fit(CUBE.reshape(20, 6)).labels_)
    with pytest.raises(InputError, match=r"pixels of an image with bands, give subspan.sources.open_source"):
        LSR(2).fit(CUBE)


@pytest.mark.parametrize(
    ("data", "mask", "words"),
    [
        (CUBE[0], MASK, "mask: is for cubes of lines, columns and bands, which X is not."),
        (CUBE, MASK[:3], r"mask: has shape \(3, 5\), but X has 4 x 5 pixels."),
        (CUBE, 0 * MASK, "mask: leaves no pixel of X."),
    ],
)
def test_a_wrong_mask_is_one_sentence(data: np.ndarray, mask: np.ndarray, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_source(data, mask=mask)


def test_a_cut_file_is_one_sentence(tmp_path: Path) -> None:
    path = stored(tmp_path, ".npy")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match=r"announces an array of shape \(4, 5, 6\)"):
        open_source(path)
