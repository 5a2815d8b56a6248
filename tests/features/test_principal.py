import numpy as np
import pytest

from subspan.features import pca
from subspan.features.principal import ROWS, _add_products
from subspan.handover import InputError


def table(dtype=np.float64, n_rows=90, n_columns=40):
    rng = np.random.default_rng(0)
    spread = np.linspace(5, 0.1, n_columns)
    return (rng.standard_normal((n_rows, n_columns)) * spread + 3).astype(dtype)


def slow_components(X, n_components, center):
    X = X.astype(np.float64)
    X = X - X.mean(axis=0) if center else X
    axes = np.linalg.svd(X, full_matrices=False)[2][:n_components].T
    largest = np.abs(axes).argmax(axis=0)
    return X @ (axes * np.sign(axes[largest, np.arange(n_components)]))


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agrees_with_the_singular_value_decomposition(center, dtype):
    # Two blocks of rows, the last one shorter.
    X = table(dtype, ROWS + 90)
    scores = pca(X, 12, center=center)
    assert scores.dtype == dtype
    np.testing.assert_allclose(
        scores, slow_components(X, 12, center), atol=1e-9 if dtype == np.float64 else 1e-4
    )


def test_products_of_columns_in_several_tasks():
    X = table()
    scatter = np.zeros((40, 40))
    _add_products(scatter, X, 2, columns=16)
    np.testing.assert_allclose(np.triu(scatter), np.triu(X.T @ X), rtol=1e-12)


def test_uncentred_components_keep_inner_products():
    X = table()
    scores = pca(X, 40, center=False)
    np.testing.assert_allclose(scores @ scores.T, X @ X.T, rtol=1e-10)


def test_threads_and_memory_maps_change_nothing(tmp_path):
    X = table(np.float32, 2 * ROWS + 90)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert np.array_equal(pca(X, 9, n_jobs=1), pca(mapped, 9, n_jobs=3))


def test_whole_numbers_are_taken_as_numbers():
    X = np.random.default_rng(1).integers(0, 9, (30, 6))
    np.testing.assert_allclose(pca(X, 3), slow_components(X, 3, center=True), atol=1e-9)


@pytest.mark.parametrize(
    ("X", "n_components", "message"),
    [
        (np.ones(5), 1, r"two axes .* shape \(5,\)"),
        (np.ones((5, 4)), 5, "n_components=5 must lie between 1 and 4"),
        (np.ones((5, 4)), 0, "n_components=0 must lie between 1 and 4"),
        (np.ones((5, 4), complex), 2, "real numbers, got type complex128"),
        (np.array([[1.0, 2.0], [np.inf, 0.0]]), 1, "first at row 1, column 0"),
    ],
)
def test_bad_input_is_named(X, n_components, message):
    with pytest.raises(InputError, match=message):
        pca(X, n_components)
