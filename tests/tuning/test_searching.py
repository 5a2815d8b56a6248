"""Settings compared without labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV

from subspan import LSR
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.tuning import Consensus, search

GRID = {"n_neighbors": [1, 4], "regularization": [0.01]}


@pytest.fixture(scope="module")
def union() -> tuple[np.ndarray, np.ndarray]:
    return make_union_of_subspaces(3, 3, 20, 25, noise=0.05, random_state=1)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_rows_are_sorted_by_agreement_with_the_consensus(union):
    X, y = union
    estimator = LSR(3, random_state=0)
    rows = search(X, estimator, GRID)
    assert [row["n_neighbors"] for row in rows] == [4, 1]
    # The consensus is right here, so agreement with it is agreement with the truth.
    for row in rows:
        model = clone(estimator).set_params(n_neighbors=row["n_neighbors"], regularization=0.01).fit(X)
        assert row["agreement"] == pytest.approx(adjusted_rand_score(y, model.labels_))
    assert estimator.n_neighbors is None


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_scikit_learns_search_takes_the_scorer(union):
    X, y = union
    everything = np.arange(len(X))
    found = GridSearchCV(LSR(3, random_state=0), GRID, scoring=Consensus(y), cv=[(everything, everything)])
    assert found.fit(X).best_params_["n_neighbors"] == 4


def test_other_rows_are_refused(union):
    model = LSR(3, random_state=0).fit(union[0][:60])
    with pytest.raises(InputError, match="labels of 60 rows, the consensus of 75"):
        Consensus(union[1])(model)
