"""A course is what fits with 1, 2, ... outer iterations are, one by one."""

import warnings

import numpy as np
import pytest

from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError


@pytest.fixture(scope="module")
def points():
    """A few subspaces under noise, one point of them twice."""
    X, _ = make_union_of_subspaces(4, 3, 30, 70, noise=0.4, random_state=0)
    return np.vstack([X, X[:1]])


def assert_same_fit(one, other):
    np.testing.assert_array_equal(one.labels_, other.labels_)
    ours, theirs = one.representation_, other.representation_
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
    np.testing.assert_array_equal(one.eigenvalues_, other.eigenvalues_)
    assert (one.n_iter_, one.changes_, one.counts_) == (other.n_iter_, other.changes_, other.counts_)
    assert one.get_params() == other.get_params()


# Points of the first come to rest on the way, at different times; those of the last have few dimensions.
@pytest.mark.parametrize(
    ("parameters", "n_features"),
    [({"tol": 0.2}, 30), ({"tol": 0.0, "dropout": 0.8, "n_jobs": 2}, 30), ({"n_subproblems": 4}, 6)],
)
@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_each_model_is_that_of_a_fit(points, parameters, n_features):
    X = points[:, :n_features]
    guide = S3COMPC(4, n_nonzero=3, max_iter=5, random_state=3, **parameters)
    models = list(guide.course(X))
    assert [model.max_iter for model in models] == [1, 2, 3, 4, 5]
    for model in models:
        alone = S3COMPC(4, n_nonzero=3, max_iter=model.max_iter, random_state=3, **parameters).fit(X)
        assert_same_fit(model, alone)
    assert len({model.changes_ for model in models}) == 5
    assert not hasattr(guide, "labels_"), "the estimator itself is only the pattern"


def test_points_that_rest_stay_as_they_are(points):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = list(S3COMPC(4, n_nonzero=3, max_iter=4, tol=10.0, random_state=0).course(points))
    assert [model.n_iter_ for model in models] == [1, 2, 2, 2]
    for model in models[2:]:
        assert_same_fit(model.set_params(max_iter=2), models[1])


@pytest.mark.parametrize("parameters", [{"affinity": "precomputed"}, {"work_dir": "somewhere"}])
def test_what_a_course_cannot_use_is_refused(points, parameters):
    (name,) = parameters
    with pytest.raises(InputError, match=rf"^{name}='\w+': a course"):
        next(S3COMPC(4, random_state=0, **parameters).course(points))
