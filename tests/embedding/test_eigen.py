import numpy as np
import pytest
from scipy.linalg import eigh, qr, subspace_angles

from subspan.embedding import leading_eigenpairs


def operator(spectrum, seed=0):
    """Symmetric matrix of the given spectrum in a random basis, and that basis."""
    rng = np.random.default_rng(seed)
    basis, _ = qr(rng.standard_normal((len(spectrum), len(spectrum))))
    return (basis * spectrum) @ basis.T, basis


BULK = np.linspace(-1.0, 0.5, 690)
SPECTRA = {
    "separated": [1.0, 0.95, 0.9, 0.85, 0.8, 0.75],
    "all equal": [0.9] * 6,
    "nearly equal": 0.9 - 1e-9 * np.arange(6),
    "pairs": [0.99, 0.99, 0.9, 0.9, 0.8, 0.8],
    "equal across the cut": [0.9, 0.8] + [0.7] * 8,
    "no gap": [0.51, 0.508, 0.506, 0.504, 0.502, 0.501],
}


@pytest.mark.parametrize("name", SPECTRA)
def test_equals_the_dense_spectrum(name):
    spectrum = np.concatenate([SPECTRA[name], BULK[::-1]])
    matrix, basis = operator(spectrum)
    pairs = leading_eigenpairs(lambda block: matrix @ block, len(spectrum), 6)
    # Of ten equal values no six are the leading ones: found, but not told apart.
    assert pairs.converged == (name != "equal across the cut")
    # The next value is known to half the gap.
    assert pairs.gap == pytest.approx(spectrum[5] - spectrum[6], abs=1e-10, rel=0.5)
    assert pairs.n_wanted == 6
    assert pairs.values.size == 9
    np.testing.assert_allclose(pairs.values[:6], spectrum[:6], atol=1e-6)
    vectors = pairs.vectors[:, :6]
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-12)
    residuals = np.linalg.norm(matrix @ vectors - vectors * pairs.values[:6], axis=0)
    assert residuals.max() <= 1.01e-6
    eigenspace = basis[:, : 10 if name == "equal across the cut" else 6]
    assert np.sin(subspace_angles(vectors, eigenspace).max()) < 1e-3


def test_extra_values_show_the_gap():
    spectrum = np.concatenate([[0.9, 0.8, 0.6], BULK])
    matrix, _ = operator(spectrum)
    pairs = leading_eigenpairs(lambda block: matrix @ block, len(spectrum), 2)
    assert pairs.values[2] == pytest.approx(0.6, abs=1e-3)
    assert np.all(np.diff(pairs.values) <= 0)


def test_locked_vectors_are_left_out():
    spectrum = np.concatenate([SPECTRA["pairs"], BULK])
    matrix, basis = operator(spectrum)
    pairs = leading_eigenpairs(lambda block: matrix @ block, len(spectrum), 3, locked=basis[:, :3])
    np.testing.assert_allclose(pairs.values[:3], [0.9, 0.8, 0.8], atol=1e-6)
    assert np.abs(basis[:, :3].T @ pairs.vectors).max() < 1e-12


@pytest.mark.parametrize("size", [12, 600, 700])
def test_locked_vectors_in_small_problems_with_a_negative_rest(size):
    # All eigenvalues but the locked one are negative: a projected-out vector must not come back as zero.
    matrix = (np.ones((size, size)) - np.eye(size)) / (size - 1)
    locked = np.full((size, 1), size**-0.5)
    pairs = leading_eigenpairs(lambda block: matrix @ block, size, 4, locked=locked)
    assert not pairs.converged
    assert pairs.gap == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(pairs.values[:4], -1.0 / (size - 1), atol=1e-9)
    assert np.abs(locked.T @ pairs.vectors).max() < 1e-10


@pytest.mark.parametrize("size", [1, 2, 5, 40, 600])
def test_dense_path_returns_what_there_is(size):
    matrix, _ = operator(np.linspace(-1.0, 1.0, size), seed=size)
    pairs = leading_eigenpairs(lambda block: matrix @ block, size, 5)
    assert pairs.converged
    assert pairs.n_wanted == min(5, size)
    np.testing.assert_allclose(pairs.values, eigh(matrix, eigvals_only=True)[::-1][:8], atol=1e-12)


def test_large_share_of_the_spectrum():
    matrix, _ = operator(np.linspace(-1.0, 1.0, 650))
    pairs = leading_eigenpairs(lambda block: matrix @ block, 650, 200)
    np.testing.assert_allclose(pairs.values[:200], np.linspace(1.0, -1.0, 650)[:200], atol=1e-10)


def test_nothing_wanted_still_shows_the_largest_eigenvalue():
    spectrum = np.concatenate([[1.0, 0.7], BULK])
    matrix, basis = operator(spectrum)
    pairs = leading_eigenpairs(lambda block: matrix @ block, len(spectrum), 0, locked=basis[:, :1])
    assert pairs.converged
    assert pairs.n_wanted == 0
    assert pairs.values[0] == pytest.approx(0.7, abs=1e-3)


def test_probe_finds_and_mends_what_the_start_missed():
    spectrum = np.concatenate([[0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65], BULK])
    matrix, basis = operator(spectrum)
    # Exact eigenvectors, full width, without the leading two: every residual is zero at once.
    wrong = basis[:, 2:7]
    blind = leading_eigenpairs(lambda block: matrix @ block, len(spectrum), 2, start=wrong, max_products=7)
    assert not blind.converged
    assert blind.probe_excess > 0.1
    mended = leading_eigenpairs(lambda block: matrix @ block, len(spectrum), 2, start=wrong)
    assert mended.converged
    assert mended.probe_excess <= 0
    np.testing.assert_allclose(mended.values[:2], [0.95, 0.9], atol=1e-6)


def test_good_start_saves_products():
    matrix, basis = operator(np.concatenate([SPECTRA["no gap"], BULK]))
    cold = leading_eigenpairs(lambda block: matrix @ block, len(matrix), 6)
    warm = leading_eigenpairs(lambda block: matrix @ block, len(matrix), 6, start=cold.vectors)
    assert warm.converged
    assert warm.n_products < cold.n_products / 2
    assert np.abs(basis[:, :6].T @ warm.vectors[:, :6]).max() > 0.9


@pytest.mark.parametrize("cap", [7, 20, 50])
def test_cap_on_products_holds(cap):
    calls = 0
    spectrum = 1.0 - np.geomspace(1e-9, 1.0, 2000)

    def product(block):
        nonlocal calls
        calls += 1
        return spectrum[:, None] * block

    pairs = leading_eigenpairs(product, 2000, 3, tol=1e-12, max_products=cap)
    assert not pairs.converged
    assert pairs.n_products == calls <= cap
    assert np.all(np.isfinite(pairs.vectors))


def test_seed_fixes_every_bit():
    matrix, _ = operator(np.concatenate([SPECTRA["pairs"], BULK]))
    first, second, other = (
        leading_eigenpairs(lambda block: matrix @ block, len(matrix), 4, seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.vectors, second.vectors)
    assert not np.array_equal(first.vectors, other.vectors)
