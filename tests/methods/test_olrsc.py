"""OLRSC as a user meets it: what its numbers must satisfy, and rows that come piece by piece."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.methods.olrsc import OLRSC
from subspan.metrics import clustering_accuracy


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(4, 3, 30, 60, random_state=3)


def fitted(X: np.ndarray, **parameters) -> OLRSC:
    settings = {"n_basis": 12, "n_epochs": 1, "n_init": 2, "random_state": 0} | parameters
    return OLRSC(4, **settings).fit(X)


def distance_from_the_points(model: OLRSC, X: np.ndarray) -> float:
    """Of the basis from the combinations Z U of the points, relative to the basis."""
    combinations = model.representation_.right.T @ X
    return float(np.linalg.norm(model.basis_ - combinations) / np.linalg.norm(model.basis_))


def test_the_more_consistency_the_closer_the_basis_is_to_combinations_of_the_points(points):
    X, _ = points
    distances = [distance_from_the_points(fitted(X, consistency=weight), X) for weight in (0.1, 10.0, 1e5)]
    assert distances[0] > 10 * distances[1]
    assert distances[2] < 1e-4


def test_a_point_is_coded_on_the_basis_that_it_finds(points):
    """Where errors are too dear to be made, code and coefficients of the next point have closed forms."""
    X, _ = points
    model = OLRSC(4, n_basis=12, sparsity=1e6, reconstruction=2.0, consistency=0.7, n_init=2, random_state=0)
    D = model.partial_fit(X[:99]).basis_
    model.partial_fit(X[99:100]).label_stream()
    codes, U = model.representation_.left, model.representation_.right
    assert codes[99] == pytest.approx(np.linalg.solve(D @ D.T + np.eye(12) / 2.0, D @ X[99]))
    # lambda3 has grown with the root of the number of points; these are of unit norm.
    missing = D - U[:99].T @ X[:99]
    assert U[99] == pytest.approx(missing @ X[99] / (1 + 1 / (0.7 * np.sqrt(100))))


def test_signs_of_the_points_do_not_move_the_basis(points):
    X, _ = points
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(X))
    plain, flipped = fitted(X, n_epochs=2), fitted(X * signs[:, None], n_epochs=2)
    assert np.array_equal(flipped.basis_, plain.basis_)
    for part in ("left", "right"):
        one, other = (getattr(model.representation_, part) for model in (plain, flipped))
        assert np.array_equal(other, one * signs[:, None])
    assert np.array_equal(flipped.labels_, plain.labels_)


def test_lengths_of_the_points_do_not_matter_unless_they_are_kept(points):
    X, _ = points
    lengths = 2.0 ** np.random.default_rng(0).integers(-3, 4, (len(X), 1))
    assert np.array_equal(fitted(X * lengths).basis_, fitted(X).basis_)
    assert not np.array_equal(fitted(X * lengths, normalize=False).basis_, fitted(X).basis_)


def test_the_order_of_the_points_changes_the_basis_but_not_what_is_found(points):
    X, y = points
    order = np.random.default_rng(0).permutation(len(X))
    straight, shuffled = fitted(X, n_epochs=4), fitted(X[order], n_epochs=4)
    assert not np.allclose(straight.basis_, shuffled.basis_)
    assert clustering_accuracy(y[order], shuffled.labels_) >= 0.95
    assert clustering_accuracy(straight.labels_[order], shuffled.labels_) >= 0.95


def test_a_table_sorted_by_class_is_shuffled():
    X, y = make_union_of_subspaces(6, 3, 30, 200, noise=0.1, shuffle=False, random_state=0)
    shuffled, straight = (
        OLRSC(6, shuffle=shuffle, n_init=5, random_state=0).fit_predict(X) for shuffle in (True, False)
    )
    assert clustering_accuracy(y, shuffled) > clustering_accuracy(y, straight) + 0.05


def test_codes_reconstruct_the_points_better_with_every_epoch(points):
    X, _ = points

    def misfit(n_epochs: int) -> float:
        model = fitted(X, n_epochs=n_epochs)
        return float(np.linalg.norm(X - model.representation_.left @ model.basis_) / np.linalg.norm(X))

    misfits = [misfit(n_epochs) for n_epochs in (1, 2, 4)]
    assert misfits[0] > misfits[1] > misfits[2]


class TestStream:
    """OLRSC piece by piece."""

    @pytest.mark.parametrize("clustering", ["spectral", "codes"])
    def test_parts_are_what_fit_does_in_one_epoch(self, clustering, points):
        X, _ = points
        whole, parts = (
            OLRSC(4, n_basis=12, n_epochs=1, clustering=clustering, shuffle=False, random_state=0)
            for _ in range(2)
        )
        whole.fit(X)
        for part in np.split(X, [1, 70, 200]):
            parts.partial_fit(part)
        labels = parts.label_stream()
        assert np.array_equal(parts.basis_, whole.basis_)
        assert np.array_equal(parts.representation_.left, whole.representation_.left)
        assert np.array_equal(parts.representation_.right, whole.representation_.right)
        assert np.array_equal(labels, whole.labels_)

    def test_epochs(self, points):
        X, y = points
        whole, parts = (OLRSC(4, n_basis=12, n_epochs=3, shuffle=False, random_state=0) for _ in range(2))
        whole.fit(X)
        for epoch in range(3):
            for number, part in enumerate(np.split(X, [100, 180])):
                parts.partial_fit(part, new_epoch=epoch > 0 and number == 0)
        assert np.array_equal(parts.label_stream(), whole.labels_)
        assert clustering_accuracy(y, whole.labels_) >= 0.95
        assert (np.diff(whole.objective_) < 0).all()

    def test_fit_begins_anew_and_a_stream_goes_on(self, points):
        X, _ = points
        model = OLRSC(4, n_basis=12, n_epochs=1, random_state=0).partial_fit(X[::-1])
        model.fit(X)
        assert np.array_equal(model.basis_, OLRSC(4, n_basis=12, n_epochs=1, random_state=0).fit(X).basis_)
        with pytest.raises(InputError, match="no rows have been passed to partial_fit"):
            model.label_stream()
        before = model.basis_.copy()
        assert model.partial_fit(X[:30]).label_stream().shape == (30,)
        assert not np.array_equal(model.basis_, before)

    @pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
    @pytest.mark.parametrize("clustering", ["spectral", "codes"])
    def test_zero_rows(self, clustering, points):
        X, _ = points
        rows = X.copy()
        rows[[5, 100]] = 0
        with pytest.raises(InputError, match=r"^X: row 5 is zero"):
            OLRSC(4).partial_fit(rows)
        settings = {"n_basis": 12, "clustering": clustering, "zero_rows": "label", "shuffle": False}
        settings["random_state"] = 0
        labels = OLRSC(4, **settings).partial_fit(rows).label_stream()
        assert np.flatnonzero(labels == -1).tolist() == [5, 100]
        assert np.array_equal(OLRSC(4, n_epochs=1, **settings).fit(rows).labels_, labels)

    def test_other_columns_are_refused(self, points):
        model = OLRSC(4).partial_fit(points[0])
        with pytest.raises(InputError, match="X has 29 features, but OLRSC is expecting 30"):
            model.partial_fit(points[0][:, 1:])


def test_codes_need_no_graph():
    """Codes lie close together where points do: here around three directions."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1200)
    X = rng.standard_normal((3, 40))[y] + 0.2 * rng.standard_normal((1200, 40))
    model = OLRSC(3, n_basis=3, clustering="codes", memory_budget="20MB", random_state=0).fit(X)
    assert model.affinity_.shape == (1200, 1200)
    assert model.affinity_.nnz == 0
    assert isinstance(model.affinity_, csr_array)
    assert np.array_equal(model.embedding_, model.representation_.left)
    assert clustering_accuracy(y, model.labels_) == 1.0
    with pytest.raises(InputError, match=r"^memory_budget: 20 MB is too little; .* the graph is dense"):
        model.set_params(clustering="spectral").fit(X)


@pytest.mark.parametrize(
    ("parameters", "pattern"),
    [
        ({"n_basis": 0}, r"n_basis must .* got 0"),
        ({"reconstruction": 0}, r"reconstruction must .* got 0"),
        ({"n_epochs": 0}, r"n_epochs must .* got 0"),
        ({"clustering": "graph"}, r"clustering must .* got 'graph'"),
    ],
)
def test_bad_parameters(parameters, pattern, points):
    with pytest.raises(ValueError, match=pattern):
        OLRSC(4, **parameters).fit(points[0])


def test_weights_too_far_apart_are_refused():
    rows = np.random.default_rng(0).standard_normal((24, 2)) @ np.random.default_rng(1).standard_normal(
        (2, 4)
    )
    model = OLRSC(3, reconstruction=2.0**63, random_state=0)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(InputError, match=r"^reconstruction=9\.22.*e\+18, .*: codes are not finite"):
            learn(rows)
