import os

import pytest

from subspan.execution.files import ABANDONED, whole_file


def write_and_fail(path, error):
    with whole_file(path) as file:
        file.write(b"half")
        raise error


def test_nothing_is_seen_before_the_end(tmp_path):
    path = tmp_path / "numbers.bin"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new and longer")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new and longer"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_failure_keeps_the_old_file(tmp_path, error):
    path = tmp_path / "numbers.bin"
    path.write_bytes(b"old")
    with pytest.raises(error):
        write_and_fail(path, error)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_meet(tmp_path):
    path = tmp_path / "numbers.bin"
    with whole_file(path) as first, whole_file(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"


def test_what_killed_writers_left_is_swept(tmp_path):
    path = tmp_path / "numbers.bin"
    stray, recent = tmp_path / "numbers.bin.0123abcd.part", tmp_path / "numbers.bin.89abcdef.part"
    for partial in (stray, recent):
        partial.write_bytes(b"half")
    long_ago = stray.stat().st_mtime - ABANDONED - 60
    os.utime(stray, (long_ago, long_ago))
    with whole_file(path) as file:
        file.write(b"whole")
    assert {found.name for found in tmp_path.iterdir()} == {"numbers.bin", "numbers.bin.89abcdef.part"}


def test_a_partial_file_that_vanishes_meanwhile_is_no_failure(tmp_path):
    path = tmp_path / "numbers.bin"
    # Listed, and gone when looked at: what another writer that ends just then makes of its file.
    (tmp_path / "numbers.bin.gone.part").symlink_to(tmp_path / "nowhere")
    with whole_file(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"
