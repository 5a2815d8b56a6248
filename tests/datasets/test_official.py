import gzip
import struct
import sys

import numpy as np
import pytest

from subspan.datasets import build_dataset, load_coil100, load_extended_yale_b, load_gtsrb, load_mnist
from subspan.datasets.catalog import TRAFFIC_SIGNS
from subspan.extras import MissingPackageError
from subspan.handover import InputError

RNG = np.random.default_rng(0)


def save_image(path, pixels):
    image = pytest.importorskip("PIL.Image")
    path.parent.mkdir(parents=True, exist_ok=True)
    image.fromarray(pixels).save(path)


def grey_blocks(height, width, side=4):
    """An image of constant squares, and the small image that averaging them must give."""
    small = RNG.integers(0, 256, (height // side, width // side)).astype(np.uint8)
    return np.kron(small, np.ones((side, side), np.uint8)), small


# ------------------------------------------------------------------------------------------- MNIST


def idx_bytes(array):
    header = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


@pytest.fixture
def digits():
    return {
        "train-images-idx3-ubyte": RNG.integers(0, 256, (30, 28, 28)),
        "train-labels-idx1-ubyte": np.arange(30) % 10,
        "t10k-images-idx3-ubyte": RNG.integers(0, 256, (10, 28, 28)),
        "t10k-labels-idx1-ubyte": np.arange(10),
    }


def write_digits(folder, digits, *, packed=True):
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in digits.items():
        content = idx_bytes(array)
        (folder / (f"{name}.gz" if packed else name)).write_bytes(
            gzip.compress(content) if packed else content
        )


@pytest.mark.parametrize(("packed", "folder"), [(True, "."), (False, "MNIST/raw")])
def test_mnist_is_training_then_test(tmp_path, digits, packed, folder):
    write_digits(tmp_path / "release" / folder, digits, packed=packed)
    stored = build_dataset("mnist", tmp_path / "release", data_dir=tmp_path / "data")
    assert (stored.n_rows, stored.n_columns, stored.n_classes) == (40, 784, 10)
    bunch = load_mnist(data_dir=tmp_path / "data")
    expected = np.concatenate([digits["train-images-idx3-ubyte"], digits["t10k-images-idx3-ubyte"]])
    assert np.array_equal(bunch.images, expected)
    assert bunch.target.tolist() == [*(np.arange(30) % 10), *range(10)]


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-30])


def repack(path, content):
    path.write_bytes(gzip.compress(content))


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("train-images-idx3-ubyte", cut_short, "train-images-idx3-ubyte.gz is damaged or cut short"),
        (
            "t10k-labels-idx1-ubyte",
            lambda path: path.write_bytes(b"text"),
            "t10k-labels-idx1-ubyte.gz is damaged",
        ),
        (
            "t10k-labels-idx1-ubyte",
            lambda path: repack(path, b"\0\0\x0d\x01\0\0\0\1"),
            "not an idx file of unsigned",
        ),
        ("t10k-labels-idx1-ubyte", lambda path: repack(path, b"\0\0\x08\x01"), "not an idx file of unsigned"),
        (
            "t10k-labels-idx1-ubyte",
            lambda path: repack(path, idx_bytes(np.arange(9))),
            "10 images, but .* 9 labels",
        ),
        (
            "t10k-labels-idx1-ubyte",
            lambda path: repack(path, idx_bytes(np.full(10, 11))),
            "label 11 at row 0",
        ),
        (
            "t10k-labels-idx1-ubyte",
            lambda path: repack(path, idx_bytes(np.arange(10)) + b"more"),
            "10 bytes announced, more than 10 there",
        ),
        (
            "t10k-labels-idx1-ubyte",
            lambda path: repack(path, idx_bytes(np.arange(10))[:-4]),
            "10 bytes announced, only 6 there",
        ),
        (
            "train-images-idx3-ubyte",
            lambda path: repack(path, idx_bytes(np.zeros((30, 32, 32)))),
            r"shape \(32, 32\) instead of \(28, 28\)",
        ),
        (
            "train-labels-idx1-ubyte",
            lambda path: path.unlink(),
            r"No file train-labels.idx1-ubyte\* was found",
        ),
    ],
)
def test_wrong_digits_are_named_and_nothing_is_written(tmp_path, digits, name, damage, message):
    write_digits(tmp_path / "release", digits)
    damage(tmp_path / "release" / f"{name}.gz")
    with pytest.raises(InputError, match=message):
        build_dataset("mnist", tmp_path / "release", data_dir=tmp_path / "data")
    assert not (tmp_path / "data").exists()


# ---------------------------------------------------------------------------------------- COIL-100


def test_coil_is_grey_block_means_by_object_and_angle(tmp_path):
    expected = {}
    for number in (2, 10, 1):
        for angle in (0, 5, 100, 355):
            large, expected[number, angle] = grey_blocks(128, 128)
            save_image(tmp_path / "coil-100" / f"obj{number}__{angle}.png", np.stack([large] * 3, axis=2))
    build_dataset("coil100", tmp_path, data_dir=tmp_path)
    bunch = load_coil100(data_dir=tmp_path)
    views = list(zip(bunch.class_ids[bunch.target].tolist(), bunch.angle.tolist(), strict=True))
    assert views == sorted(expected)
    for image, view in zip(bunch.images, views, strict=True):
        assert np.array_equal(image, expected[view])


def test_colours_weigh_as_the_eye_sees_them(tmp_path):
    pixels = np.zeros((128, 128, 3), np.uint8)
    pixels[:, :, 1] = 200
    save_image(tmp_path / "obj1__0.png", pixels)
    build_dataset("coil100", tmp_path, data_dir=tmp_path)
    assert set(load_coil100(data_dir=tmp_path).data.ravel().tolist()) == {round(0.587 * 200)}


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("obj1__5.png", cut_short, "obj1__5.png is not a sound PNG image"),
        ("obj1__5.png", lambda path: path.write_text("no image"), "obj1__5.png .* cannot be recognised"),
        (
            "obj1__5.png",
            lambda path: save_image(path, np.zeros((64, 128), np.uint8)),
            "128 x 64 pixels instead of",
        ),
        (
            "obj1__5.png",
            lambda path: path.rename(path.with_name("obj1__five.png")),
            "obj1__five.png is not named",
        ),
    ],
)
def test_wrong_views_are_named(tmp_path, name, damage, message):
    for angle in (0, 5):
        save_image(
            tmp_path / "views" / f"obj1__{angle}.png", RNG.integers(0, 256, (128, 128, 3)).astype(np.uint8)
        )
    damage(tmp_path / "views" / name)
    with pytest.raises(InputError, match=message):
        build_dataset("coil100", tmp_path / "views", data_dir=tmp_path)
    assert not (tmp_path / "coil100.npz").exists()


# ----------------------------------------------------------------------------------------- Yale B


def test_faces_are_block_means_without_ambient_and_bad_ones(tmp_path):
    expected = []
    # The release has no person 14.
    for person in (1, 13, 15):
        folder = tmp_path / "CroppedYale" / f"yaleB{person:02d}"
        for light in ("A+000E+00", "A-110E+65"):
            large, small = grey_blocks(192, 168)
            save_image(folder / f"yaleB{person:02d}_P00{light}.pgm", large)
            expected.append(small)
        save_image(folder / f"yaleB{person:02d}_P00_Ambient.pgm", np.zeros((480, 640), np.uint8))
        (folder / f"yaleB{person:02d}_P00A+050E-40.pgm.bad").write_bytes(b"damaged")
        (folder / f"yaleB{person:02d}_P00.info").write_text("a list")
    build_dataset("extended_yale_b", tmp_path / "CroppedYale", data_dir=tmp_path)
    bunch = load_extended_yale_b(data_dir=tmp_path)
    assert np.array_equal(bunch.images, expected)
    assert bunch.target.tolist() == [0, 0, 1, 1, 2, 2]
    assert bunch.class_ids.tolist() == [1, 2, 3]
    assert bunch.person.tolist() == [1, 1, 13, 13, 15, 15]


def test_a_face_that_is_cut_short_is_named(tmp_path):
    path = tmp_path / "yaleB01" / "yaleB01_P00A+000E+00.pgm"
    save_image(path, np.zeros((192, 168), np.uint8))
    cut_short(path)
    with pytest.raises(InputError, match=r"yaleB01_P00A\+000E\+00.pgm is not a sound PPM image: .*truncated"):
        build_dataset("extended_yale_b", tmp_path, data_dir=tmp_path)


def test_a_folder_with_ambient_images_only_is_refused(tmp_path):
    save_image(tmp_path / "yaleB01_P00_Ambient.pgm", np.zeros((480, 640), np.uint8))
    with pytest.raises(InputError, match="no image named like yaleB01_P00A"):
        build_dataset("extended_yale_b", tmp_path, data_dir=tmp_path)


# ------------------------------------------------------------------------------------------ GTSRB

COLUMNS = "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId"


def write_signs(root, n_images=2):
    """Two images of each class, in two tracks, listed in reverse; class 0 is not among the fourteen."""
    for kind in (0, *TRAFFIC_SIGNS):
        lines = [COLUMNS]
        for track in reversed(range(n_images)):
            name = f"{track:05d}_00000.ppm"
            width, height = 50 + kind, 60
            shade = np.full((height, width, 3), 2 * kind + track, np.uint8)
            save_image(root / f"{kind:05d}" / name, shade)
            lines.append(f"{name};{width};{height};5;5;45;55;{kind}")
        (root / f"{kind:05d}" / f"GT-{kind:05d}.csv").write_text("\n".join(lines) + "\n")


def test_signs_are_the_fourteen_classes_by_track(tmp_path):
    write_signs(tmp_path / "GTSRB" / "Final_Training" / "Images")
    build_dataset("gtsrb", tmp_path / "GTSRB", data_dir=tmp_path)
    bunch = load_gtsrb(data_dir=tmp_path)
    assert bunch.images.shape == (28, 40, 40)
    assert bunch.class_ids.tolist() == list(TRAFFIC_SIGNS)
    assert bunch.track.tolist() == [0, 1] * 14
    shades = 2 * bunch.class_ids[bunch.target] + bunch.track
    assert np.array_equal(bunch.images, np.broadcast_to(shades[:, None, None], (28, 40, 40)))


def test_signs_keep_their_border_and_their_directions(tmp_path):
    write_signs(tmp_path, n_images=1)
    pixels = np.zeros((60, 64, 3), np.uint8)
    pixels[:30, :32] = 255
    save_image(tmp_path / "00014" / "00000_00000.ppm", pixels)
    build_dataset("gtsrb", tmp_path, data_dir=tmp_path)
    image = load_gtsrb(data_dir=tmp_path).images[2]
    assert (image[:19, :19] == 255).all()
    assert not image[21:].any()
    assert not image[:, 21:].any()


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: edit(folder / "GT-00014.csv", ";14\n", ";15\n"), "GT-00014.csv, line 2, .* class 14"),
        (
            lambda folder: edit(folder / "GT-00014.csv", "00000_00000", "../00000_00000"),
            "GT-00014.csv, line 3",
        ),
        (lambda folder: edit(folder / "GT-00014.csv", "Width", "Breadth"), "GT-00014.csv, line 2, .*'Width'"),
        (lambda folder: edit(folder / "GT-00014.csv", ";64;", ";65;"), "64 x 60 pixels instead of 65 x 60"),
        (lambda folder: (folder / "GT-00014.csv").write_text(COLUMNS + "\n"), "GT-00014.csv lists no images"),
        (lambda folder: (folder / "GT-00014.csv").unlink(), "No file 00014/GT-00014.csv was found"),
        (lambda folder: (folder / "00001_00000.ppm").unlink(), "00001_00000.ppm is not a sound PPM image"),
        (lambda folder: cut_short(folder / "00001_00000.ppm"), "00001_00000.ppm is not a sound PPM image"),
    ],
)
def test_wrong_signs_are_named(tmp_path, damage, message):
    write_signs(tmp_path)
    damage(tmp_path / "00014")
    with pytest.raises(InputError, match=message):
        build_dataset("gtsrb", tmp_path, data_dir=tmp_path)


# -------------------------------------------------------------------------------------- all of them


@pytest.mark.parametrize("name", ["extended_yale_b", "coil100", "mnist", "gtsrb"])
def test_an_empty_folder_is_told_what_it_should_hold(tmp_path, name):
    with pytest.raises(InputError, match=r"No file .* was found in .*: PATH has to hold the"):
        build_dataset(name, tmp_path, data_dir=tmp_path)
    with pytest.raises(InputError, match=r"archive.zip is not a folder: unpack the"):
        build_dataset(name, tmp_path / "archive.zip", data_dir=tmp_path)


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="no data set 'cifar'; there are extended_yale_b, coil100"):
        build_dataset("cifar", tmp_path)


def test_a_missing_package_is_answered_with_the_command(tmp_path, monkeypatch):
    save_image(tmp_path / "obj1__0.png", np.zeros((128, 128, 3), np.uint8))
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingPackageError, match=r"needs pillow: pip install 'subspan\[images\]'"):
        build_dataset("coil100", tmp_path, data_dir=tmp_path)
