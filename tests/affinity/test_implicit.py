import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from subspan.affinity import ImplicitAffinity, symmetric_affinity


@pytest.mark.parametrize("scale", [None, "max", "l2"])
def test_its_rows_make_up_the_affinity(scale):
    C = csr_array(random_array((50, 50), density=0.2, random_state=np.random.default_rng(0)))
    C.data -= 0.5
    implicit = ImplicitAffinity(C, scale)
    rows = np.vstack([implicit.magnitudes(start, start + 20).toarray() for start in range(0, 50, 20)])
    np.fill_diagonal(before_scaled := rows.copy(), 0)
    assert np.array_equal(rows, before_scaled)
    if C.diagonal().any() and scale is not None:
        # The diagonal counts for nothing, not even for the scale of its row.
        C.setdiag(0)
        C.eliminate_zeros()
    expected = symmetric_affinity(C, scale)
    assert rows + rows.T == pytest.approx(expected.toarray())
    assert np.array_equal(implicit.tocsr().toarray(), expected.toarray())
    assert implicit.shape == expected.shape


def test_coefficients_are_left_alone():
    C = csr_array(np.array([[1.0, -2.0], [3.0, 0.0]]))
    ImplicitAffinity(C).magnitudes(0, 2)
    assert C.toarray().tolist() == [[1.0, -2.0], [3.0, 0.0]]
