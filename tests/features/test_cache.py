from pathlib import Path

import numpy as np
import pytest

from subspan.features.cache import cache_folder, cache_key, cache_path, cached
from subspan.handover import InputError

ROWS = np.arange(12, dtype=np.float32).reshape(6, 2)
DOUBLED = 2 * ROWS


class Doubling:
    """Twice the rows in two blocks, counting how often it was asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        yield DOUBLED[:4]
        yield DOUBLED[4:]


def only_file(folder):
    (path,) = folder.iterdir()
    return path


def test_the_second_call_reads(tmp_path):
    compute = Doubling()
    for _ in range(2):
        features = cached("twice", ROWS, {"factor": 2}, compute, folder=tmp_path / "new")
        assert np.array_equal(features, DOUBLED)
        assert features.dtype == np.float32
        assert not features.flags.writeable
    assert compute.calls == 1
    assert np.array_equal(np.load(only_file(tmp_path / "new"), allow_pickle=False), DOUBLED)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-40])


def flip_a_bit(path):
    content = bytearray(path.read_bytes())
    content[-50] ^= 1
    path.write_bytes(content)


def flip_the_header(path):
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(content)


def empty(path):
    path.write_bytes(b"")


def replace_by_other_numbers(path):
    np.save(path, np.zeros((6, 2), np.float32))


@pytest.mark.parametrize("damage", [truncate, flip_a_bit, flip_the_header, empty, replace_by_other_numbers])
def test_damaged_files_are_computed_again(tmp_path, damage):
    compute = Doubling()
    cached("twice", ROWS, {}, compute, folder=tmp_path)
    damage(only_file(tmp_path))
    assert np.array_equal(cached("twice", ROWS, {}, compute, folder=tmp_path), DOUBLED)
    assert compute.calls == 2
    cached("twice", ROWS, {}, compute, folder=tmp_path)
    assert compute.calls == 2


def test_a_failure_leaves_nothing_behind(tmp_path):
    def fail():
        yield DOUBLED[:4]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("twice", ROWS, {}, fail, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_whatever_decides_the_result_is_in_the_key():
    variants = [
        cache_key(ROWS, {"factor": 2}),
        cache_key(ROWS, {"factor": 3}),
        cache_key(ROWS, {"divisor": 2}),
        cache_key(ROWS + 1, {"factor": 2}),
        cache_key(ROWS.reshape(3, 4), {"factor": 2}),
        cache_key(ROWS.view(np.int32), {"factor": 2}),
        cache_key(ROWS, {"factor": 2}, version=2),
    ]
    assert len(set(variants)) == len(variants)


def test_layout_and_order_of_parameters_are_not_in_the_key():
    key = cache_key(ROWS, {"a": 1, "b": 2})
    assert cache_key(np.asfortranarray(ROWS), {"b": 2, "a": 1}) == key
    assert cache_key(ROWS, {"a": 1, "b": 2}, bytes_at_once=16) == key


def test_the_folder_is_the_users_choice(tmp_path, monkeypatch):
    monkeypatch.setenv("SUBSPAN_CACHE", str(tmp_path))
    assert cache_path("twice", ROWS, {}).parent == tmp_path
    monkeypatch.delenv("SUBSPAN_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "subspan"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "subspan"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "subspan" / "cache"


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=r"cannot be made .* SUBSPAN_CACHE"):
        cached("twice", ROWS, {}, Doubling(), folder=tmp_path / "file" / "folder")
