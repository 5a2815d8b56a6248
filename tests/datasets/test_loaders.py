import pickle
import zipfile

import numpy as np
import pytest

from subspan.datasets import load_coil100, load_extended_yale_b, load_gtsrb, load_mnist
from subspan.datasets.catalog import find_dataset
from subspan.datasets.loaders import sample_per_class
from subspan.datasets.stored import read_arrays
from subspan.handover import InputError

LOADERS = {
    "extended_yale_b": load_extended_yale_b,
    "coil100": load_coil100,
    "mnist": load_mnist,
    "gtsrb": load_gtsrb,
}


@pytest.mark.parametrize("name", LOADERS)
def test_data_and_images_are_the_same_pixels(small_data, name):
    bunch = LOADERS[name](data_dir=small_data)
    stored = np.load(small_data / f"{name}.npz")
    assert np.array_equal(bunch.data.reshape(bunch.images.shape), bunch.images)
    assert bunch.images.shape[1:] == bunch.image_shape
    for image, row in zip(bunch.images, stored["X"], strict=True):
        assert np.array_equal(image, row.reshape(bunch.image_shape, order=str(stored["pixel_order"])))
    assert bunch.DESCR
    assert bunch.filename == str(small_data / f"{name}.npz")


@pytest.mark.parametrize("name", LOADERS)
def test_targets_count_from_zero_and_name_the_classes(small_data, name):
    bunch = LOADERS[name](data_dir=small_data)
    labels = np.load(small_data / f"{name}.npz")["y"]
    assert np.array_equal(bunch.class_ids[bunch.target], labels)
    assert bunch.target.dtype == np.int64
    assert len(bunch.target_names) == len(bunch.class_ids) == len(np.unique(labels))


def test_names_say_what_the_class_is(small_data):
    signs = load_gtsrb(data_dir=small_data)
    assert signs.target_names[signs.target[signs.class_ids[signs.target] == 14]].tolist() == ["stop", "stop"]
    assert load_extended_yale_b(data_dir=small_data).target_names.tolist() == [
        "person 1",
        "person 2",
        "person 38",
    ]
    assert load_coil100(data_dir=small_data).angle.tolist() == [0, 5, 0, 5]


def test_the_folder_can_come_from_the_environment(small_data, monkeypatch):
    monkeypatch.setenv("SUBSPAN_DATA", str(small_data))
    X, y = load_coil100(return_X_y=True)
    assert X.shape == (4, 1024)
    assert y.tolist() == [0, 0, 1, 1]
    monkeypatch.delenv("SUBSPAN_DATA")
    with pytest.raises(InputError, match="set SUBSPAN_DATA"):
        load_coil100()


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_file_is_answered_with_what_to_do(tmp_path, name):
    pattern = rf"no {name}.npz in .*: get the .* and run 'subspan datasets build {name} --from PATH'"
    with pytest.raises(InputError, match=pattern):
        LOADERS[name](data_dir=tmp_path)


def cut(path):
    path.write_bytes(path.read_bytes()[:3000])


def text(path):
    path.write_text("not a zip archive")


def no_labels(path):
    np.savez(path, X=np.zeros((2, 784), np.uint8))


def wrong_shape(path):
    np.savez(path, X=np.zeros((2, 784), np.uint8), y=np.zeros(2), image_shape=[28, 27], pixel_order="C")


def objects(path):
    np.savez(path, X=np.array([{}, {}]), y=np.zeros(2), image_shape=[28, 28], pixel_order="C")


@pytest.mark.parametrize("damage", [cut, text, no_labels, wrong_shape, objects])
def test_damaged_files_are_refused_in_a_sentence(small_data, damage):
    damage(small_data / "mnist.npz")
    with pytest.raises(InputError, match=r"mnist.npz is not a sound file of MNIST .* make it again with"):
        load_mnist(data_dir=small_data)


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("a pickle was read",)

    with zipfile.ZipFile(tmp_path / "mnist.npz", "w") as archive:
        archive.writestr("X.npy", pickle.dumps(Trap()))
    with pytest.raises(InputError, match="not a sound file"):
        load_mnist(data_dir=tmp_path)


def test_an_archive_that_unpacks_to_too_much_is_refused(small_data):
    with pytest.raises(InputError, match="would unpack to"):
        read_arrays(find_dataset("mnist"), small_data, most_bytes=1000)


def test_a_sample_has_as_many_of_each_digit(small_data):
    everything = load_mnist(data_dir=small_data)
    sample = load_mnist(3, random_state=5, data_dir=small_data)
    assert np.bincount(sample.target).tolist() == [3] * 10
    assert (np.diff(sample.index) > 0).all()
    assert np.array_equal(sample.images, everything.images[sample.index])
    assert np.array_equal(sample.data, everything.data[sample.index])
    assert np.array_equal(sample.target, everything.target[sample.index])


def test_samples_are_fixed_by_the_seed_for_good():
    target = np.arange(60) % 3
    drawn = [sample_per_class(target, 4, seed).tolist() for seed in range(20)]
    assert drawn[3] == sample_per_class(target, 4, 3).tolist()
    assert len({tuple(rows) for rows in drawn}) == 20
    # Written down once: what a seed means must never change.
    assert drawn[0] == [0, 1, 2, 9, 11, 13, 20, 21, 25, 38, 43, 54]


def test_every_row_is_drawn_equally_often():
    target = np.zeros(20, np.int64)
    counts = sum(np.bincount(sample_per_class(target, 5, seed), minlength=20) for seed in range(2000))
    # 500 expected of each, with a standard deviation of 19.
    assert np.abs(counts - 500).max() < 100


@pytest.mark.parametrize(
    ("n_per_class", "seed", "message"),
    [
        (5, 0, "n_per_class=5 must lie between 1 and 4, the number of images of class 0"),
        (0, 0, "n_per_class=0"),
        (2, -1, "random_state"),
    ],
)
def test_impossible_samples_are_refused(small_data, n_per_class, seed, message):
    with pytest.raises(InputError, match=message):
        load_mnist(n_per_class, random_state=seed, data_dir=small_data)


@pytest.mark.parametrize(
    ("name", "shape", "sizes"),
    [
        ("extended_yale_b", (2414, 48, 42), {59, 60, 62, 63, 64}),
        ("coil100", (7200, 32, 32), {72}),
        ("gtsrb", (12390, 40, 40), {210, 240, 300, 360, 390, 420, 630, 780, 1110, 1200, 2070, 2100, 2160}),
    ],
)
def test_the_real_files(paper_data, name, shape, sizes):
    bunch = LOADERS[name](data_dir=paper_data)
    assert bunch.images.shape == shape
    assert set(np.bincount(bunch.target).tolist()) == sizes


def test_real_images_stand_upright(paper_data):
    faces = load_extended_yale_b(data_dir=paper_data).images.astype(float)
    mean = faces.mean(axis=0)
    # A face is nearly its own mirror image from left to right, not from top to bottom.
    assert np.corrcoef(mean.ravel(), mean[:, ::-1].ravel())[0, 1] > 0.9
    assert np.corrcoef(mean.ravel(), mean[::-1].ravel())[0, 1] < 0.8


def test_the_real_digits(paper_data):
    digits = load_mnist(400, random_state=1, data_dir=paper_data)
    assert digits.data.shape == (4000, 784)
    assert np.bincount(digits.target).tolist() == [400] * 10
