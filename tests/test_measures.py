"""Numbers of a fitted estimator, against dense linear algebra."""

import numpy as np
import pytest

from subspan import SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.measures import leading_eigenvalues


def test_leading_eigenvalues_are_those_of_the_whole_graph():
    X, _ = make_union_of_subspaces(8, 2, 30, 12, random_state=0)
    with pytest.warns(UserWarning, match="components"):
        model = SSCOMP(3, n_nonzero=2, random_state=0).fit(X)
    graph = model.affinity_.toarray()
    roots = np.sqrt(graph.sum(axis=1))
    expected = np.linalg.eigvalsh(graph / np.outer(roots, roots))[::-1][:15]
    # Eight components for three clusters: the fit leaves five of them out, the spectrum must not.
    assert np.sum(expected > 1 - 1e-9) >= 8
    np.testing.assert_allclose(leading_eigenvalues(model), expected, atol=1e-5)
