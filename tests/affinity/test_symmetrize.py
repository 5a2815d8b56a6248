import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from subspan.affinity import symmetric_affinity
from subspan.handover import InputError


def random_coefficients(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    return csr_array(
        random_array((40, 40), density=0.1, random_state=rng, data_sampler=rng.standard_normal), dtype=dtype
    )


def slow_affinity(coefficients, scale):
    magnitudes = np.abs(coefficients.toarray())
    np.fill_diagonal(magnitudes, 0)
    for row in magnitudes:
        size = {None: 1.0, "max": row.max(), "l2": np.sqrt((row**2).sum())}[scale]
        if size > 0:
            row /= size
    return (magnitudes + magnitudes.T) / 2


@pytest.mark.parametrize("scale", [None, "max", "l2"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_the_dense_formula(scale, dtype):
    coefficients = random_coefficients(dtype)
    affinity = symmetric_affinity(coefficients, scale)
    assert affinity.dtype == dtype
    np.testing.assert_allclose(
        affinity.toarray(), slow_affinity(coefficients, scale), rtol=10 * np.finfo(dtype).eps
    )


def test_result_is_clean_and_exactly_symmetric():
    coefficients = random_coefficients()
    coefficients.data[::5] = 0.0
    affinity = symmetric_affinity(coefficients, "l2")
    assert (affinity != affinity.T).nnz == 0
    assert np.all(affinity.data > 0)
    assert np.all(affinity.diagonal() == 0)
    assert affinity.has_sorted_indices
    assert affinity.has_canonical_format


def test_input_is_not_written_to():
    coefficients = random_coefficients()
    before = coefficients.copy()
    symmetric_affinity(coefficients, "max")
    assert np.array_equal(before.data, coefficients.data)
    assert np.array_equal(before.indices, coefficients.indices)


def test_duplicate_entries_are_summed_before_the_magnitude():
    twice = csr_array((np.array([3.0, -1.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    assert symmetric_affinity(twice).toarray().tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_empty_rows_and_empty_matrix_are_left_alone():
    assert symmetric_affinity(csr_array((5, 5)), "max").nnz == 0
    one = csr_array((np.array([-2.0]), (np.array([3]), np.array([0]))), shape=(5, 5))
    assert symmetric_affinity(one, "l2").toarray()[[0, 3], [3, 0]].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_scaling_survives_extreme_coefficients(size):
    coefficients = csr_array(np.array([[0.0, 3.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]) * size)
    np.testing.assert_allclose(symmetric_affinity(coefficients, "l2").toarray()[0], [0.0, 0.3, 0.4])


def test_unknown_scale_is_refused():
    with pytest.raises(InputError, match="scale='sum'"):
        symmetric_affinity(random_coefficients(), "sum")
