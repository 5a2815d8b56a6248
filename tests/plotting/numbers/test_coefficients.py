import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, random_array

from subspan import LSR
from subspan.datasets import make_union_of_subspaces
from subspan.handover import Factors, InputError
from subspan.plotting.numbers import residuals, support_sizes
from subspan.plotting.numbers.residuals import ROWS_AT_ONCE

N_POINTS = 2 * ROWS_AT_ONCE + 30


class OnDisk:
    """Coefficients of which rows in succession can be had, like those of a work directory."""

    def __init__(self, matrix):
        self.matrix, self.shape = csr_array(matrix), matrix.shape

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        return self.matrix[rows]

    def tocsr(self):
        raise MemoryError


FORMS = {"csr": csr_array, "coo": coo_array, "on disk": OnDisk}
DENSE = {"dense": lambda matrix: matrix.toarray()}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def form(request):
    return request.param


@pytest.fixture(params=(FORMS | DENSE).values(), ids=FORMS | DENSE)
def any_form(request):
    return request.param


def coefficients(n_points=N_POINTS, seed=0):
    rng = np.random.default_rng(seed)
    return random_array((n_points, n_points), density=0.01, random_state=rng, format="csr")


def points(n_points=N_POINTS):
    return np.random.default_rng(3).standard_normal((n_points, 12)) * 5


def test_support_sizes_count_what_is_not_zero(form):
    matrix = coefficients()
    matrix.data[::7] = 0
    dense = matrix.toarray()
    found = support_sizes(form(matrix))
    assert found.sizes.tolist() == (dense != 0).sum(axis=1).tolist()
    assert found.counts.sum() == N_POINTS
    for left, right, count in zip(found.edges[:-1], found.edges[1:], found.counts, strict=True):
        assert ((found.sizes > left) & (found.sizes < right)).sum() == count
    assert found.n_empty == (found.sizes == 0).sum()


def test_many_sizes_share_bars():
    matrix = csr_array(np.tri(400, 400, -1))
    found = support_sizes(matrix)
    assert len(found.counts) <= 51
    assert found.counts.sum() == 400
    assert set(np.diff(found.edges)) == {8.0}


def test_dense_coefficients_have_no_support():
    with pytest.raises(InputError, match="every point is represented by all others"):
        support_sizes(np.ones((3, 3)))


@pytest.mark.parametrize("normalize", [True, False])
def test_residuals_equal_the_whole_product(any_form, normalize):
    X, matrix = points(), coefficients()
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if normalize else X
    expected = np.linalg.norm(rows - matrix.toarray() @ rows, axis=1)
    found = residuals(X, any_form(matrix), normalize=normalize)
    np.testing.assert_allclose(found.norms, expected)
    assert found.counts.tolist() == np.histogram(expected, 50, (0, expected.max()))[0].tolist()
    assert found.median == pytest.approx(np.median(expected))


def test_some_residuals_are_those_of_their_rows(form):
    X, matrix = points(), coefficients()
    every, some = residuals(X, matrix), residuals(X, form(matrix), max_points=100)
    assert len(some.rows) == 100
    np.testing.assert_allclose(some.norms, every.norms[some.rows])


def test_points_without_coefficients_keep_their_norm_and_zero_rows_have_none():
    X = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 5.0]])
    found = residuals(X, csr_array((3, 3)))
    np.testing.assert_array_equal(found.norms, [1.0, np.nan, 1.0])
    assert found.counts.sum() == 2
    assert residuals(X, csr_array((3, 3)), normalize=False).norms[2] == 5.0


def test_residuals_of_factors_leave_out_copies():
    rng = np.random.default_rng(0)
    X = points(40)
    X[[5, 9]] = X[2]
    point = np.arange(40)
    point[[5, 9]] = 2
    factors = Factors(rng.standard_normal((40, 3)), rng.standard_normal((40, 3)), point)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    expected = np.linalg.norm(unit - factors.rows(0, 40) @ unit, axis=1)
    np.testing.assert_allclose(residuals(X, factors).norms, expected)
    np.testing.assert_allclose(
        residuals(X, factors, max_points=7).norms, expected[residuals(X, factors, max_points=7).rows]
    )


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_residuals_of_a_method_with_copies_and_zero_rows():
    X, _ = make_union_of_subspaces(3, 2, 20, 30, random_state=0)
    X[[10, 50]] = X[3]
    X[20] = 0
    model = LSR(n_clusters=3, zero_rows="label", random_state=0).fit(X)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    unit = X / np.where(lengths > 0, lengths, 1)
    expected = np.linalg.norm(unit - model.representation_.rows(0, len(X)) @ unit, axis=1)
    expected[20] = np.nan
    np.testing.assert_allclose(residuals(X, model.representation_).norms, expected, atol=1e-10)


def test_residuals_of_a_file(tmp_path):
    X, matrix = points().astype(np.float32), coefficients()
    np.save(tmp_path / "points.npy", X)
    found = residuals(tmp_path / "points.npy", matrix)
    np.testing.assert_array_equal(found.norms, residuals(X, matrix).norms)


def test_coefficients_of_other_points_are_refused():
    with pytest.raises(InputError, match=r"coefficients have shape \(3, 3\), but X has 4 rows"):
        residuals(np.ones((4, 2)), csr_array((3, 3)))
    with pytest.raises(InputError, match="coefficients must be a matrix"):
        residuals(np.ones((4, 2)), None)
