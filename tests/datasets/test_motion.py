"""Tracks of moving bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from subspan.datasets import load_hopkins, make_rigid_motions
from subspan.handover import InputError


def test_each_body_is_a_flat_of_three_dimensions_off_the_origin() -> None:
    X, y = make_rigid_motions(3, [20, 30, 40], 15, random_state=1)
    assert np.bincount(y).tolist() == [20, 30, 40]
    for body in range(3):
        tracks = X[y == body]
        values = np.linalg.svd(tracks - tracks.mean(axis=0), compute_uv=False)
        assert values[2] > 1e-3
        assert values[3] < 1e-12
        assert np.linalg.matrix_rank(tracks, tol=1e-9) == 4


def test_errors_and_gaps_leave_the_rest_as_it_was() -> None:
    clean, _ = make_rigid_motions(2, 200, 20, random_state=2)
    wrong, _ = make_rigid_motions(2, 200, 20, gross=0.1, missing=0.05, random_state=2)
    gaps = np.isnan(wrong)
    assert 0.045 < gaps.mean() < 0.055
    assert 0.09 < (wrong != clean)[~gaps].mean() < 0.115
    noisy, _ = make_rigid_motions(2, 200, 20, noise=0.01, random_state=2)
    assert 0.0095 < (noisy - clean).std() < 0.0105


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InputError, match="gross is a share of the coordinates, and must be below 1; got 1"):
        make_rigid_motions(gross=1)
    with pytest.raises(InputError, match="n_tracks has 1 entries, but n_bodies is 2"):
        make_rigid_motions(2, [3])


def test_the_release_and_our_file_are_the_same(tmp_path: Path) -> None:
    X, y = make_rigid_motions(2, 6, 4, random_state=3)
    points = np.ones((3, 12, 4))
    points[:2] = X.reshape(12, 4, 2).transpose(2, 0, 1)
    official, ours = tmp_path / "official" / "cars1", tmp_path / "ours"
    official.mkdir(parents=True)
    ours.mkdir()
    savemat(official / "cars1_truth.mat", {"x": points, "s": y[:, None] + 1})
    np.savez(ours / "hopkins_1.npz", names=np.array(["cars1"]), X_cars1=X, y_cars1=y + 1)
    for folder in (official.parent, ours):
        (sequence,) = load_hopkins(data_dir=folder)
        assert (sequence.name, sequence.n_motions) == ("cars1", 2)
        np.testing.assert_array_equal(sequence.data, X)
        np.testing.assert_array_equal(sequence.target, y)


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has neither files"):
        load_hopkins(data_dir=tmp_path)
    savemat(tmp_path / "a_truth.mat", {"x": np.ones((2, 3)), "s": np.ones(3)})
    with pytest.raises(InputError, match=r"a_truth.mat: x has shape \(2, 3\)"):
        load_hopkins(data_dir=tmp_path)
    (tmp_path / "a_truth.mat").write_text("nothing")
    with pytest.raises(InputError, match="is no sequence"):
        load_hopkins(data_dir=tmp_path)
