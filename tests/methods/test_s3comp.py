"""S3COMP and S3COMP-C as a user meets them: against the paper's algorithms, SSC-OMP and each other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from bits import assert_same_bits
from oracles import Pursuit, consensus_omp
from scipy.sparse import csr_array
from scipy.stats import ortho_group

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.handover import DataWarning, InputError
from subspan.sources.checks import unit_rows


@pytest.fixture(scope="module")
def points():
    """A few subspaces under noise, one point of them twice."""
    X, _ = make_union_of_subspaces(4, 3, 30, 70, noise=0.4, random_state=0)
    return np.vstack([X, X[:1]])


@pytest.fixture(scope="module")
def few() -> np.ndarray:
    return make_union_of_subspaces(3, 3, 12, 30, noise=0.2, random_state=1)[0]


def coefficients(X: np.ndarray, method: type[S3COMP] = S3COMP, **parameters) -> csr_array:
    settings = {"n_nonzero": 3, "n_subproblems": 6, "n_init": 1, "random_state": 0} | parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return method(3, **settings).fit(X).representation_


class TestWithoutDropout:
    """One dictionary of all points: what is found does not depend on chance."""

    @pytest.mark.parametrize("selection", ["psi", "greedy"])
    @pytest.mark.parametrize("normalize", [True, False])
    def test_one_pass_is_algorithm_1(self, few, selection, normalize):
        X = few * np.random.default_rng(0).uniform(0.5, 2, (len(few), 1))
        C = coefficients(X, dropout=0.0, damping=0.4, selection=selection, normalize=normalize).toarray()
        expected, narrowest = consensus_omp(
            unit_rows(X) if normalize else X, [np.arange(len(X))], Pursuit(3, 0.4, 1e-3, selection),
            rows=range(len(X)), max_iter=1, tol=0.0,
        )  # fmt: skip
        clear = narrowest > 1e-10
        assert clear.mean() > 0.9
        assert C[clear] == pytest.approx(expected[clear], abs=1e-11)

    @pytest.mark.parametrize("max_iter", [2, 5])
    def test_consensus_is_algorithm_2(self, few, max_iter):
        C = coefficients(few, S3COMPC, dropout=0.0, damping=0.4, max_iter=max_iter, tol=0.01).toarray()
        expected, narrowest = consensus_omp(
            unit_rows(few), [np.arange(len(few))], Pursuit(3, 0.4, 1e-3),
            rows=range(len(few)), max_iter=max_iter, tol=0.01,
        )  # fmt: skip
        clear = narrowest > 1e-10
        assert clear.mean() > 0.9
        assert C[clear] == pytest.approx(expected[clear], abs=1e-11)

    def test_nor_damping_it_is_ssc_omp(self, few):
        plain = SSCOMP(3, n_nonzero=3, n_init=1, random_state=0).fit(few).representation_
        assert_same_bits(coefficients(few, dropout=0.0, damping=0.0), plain)
        assert_same_bits(coefficients(few, S3COMPC, dropout=0.0, damping=0.0, max_iter=1), plain)

    def test_every_dictionary_that_keeps_all_points_is_the_same(self, few):
        once = coefficients(few, dropout=0.0)
        often = coefficients(few, dictionary_size=len(few), n_subproblems=5)
        assert np.array_equal(once.indices, often.indices)
        assert once.data == pytest.approx(often.data, rel=1e-14)

    @pytest.mark.parametrize("method", [S3COMP, S3COMPC])
    def test_rows_in_another_order(self, few, method):
        order = np.random.default_rng(0).permutation(len(few))
        C = coefficients(few, method, dropout=0.0).toarray()
        permuted = coefficients(few[order], method, dropout=0.0).toarray()
        assert permuted == pytest.approx(C[np.ix_(order, order)], abs=1e-12)


def test_the_pull_fades_as_the_consensus_comes_to_rest(few):
    """With one dictionary the passes are proximal steps: in the end there is no damping left."""
    X = unit_rows(few)
    settings = {"dropout": 0.0, "damping": 0.3, "residual_tol": 0.0, "tol": 0.0, "selection": "greedy"}
    C = coefficients(few, S3COMPC, max_iter=150, **settings).toarray()
    settled = np.abs(coefficients(few, S3COMPC, max_iter=149, **settings).toarray() - C).max(axis=1) < 1e-12
    assert settled.mean() > 0.8
    for j in np.flatnonzero(settled):
        support = np.flatnonzero(C[j])
        exact = np.linalg.lstsq(X[support].T, X[j], rcond=None)[0]
        assert C[j, support] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("method", [S3COMP, S3COMPC])
class TestBoth:
    """Properties of one pass and of consensus, sub-dictionaries drawn at random."""

    def test_no_more_atoms_than_the_pursuits_pick(self, few, method):
        C = coefficients(few, method, n_nonzero=2, n_subproblems=4)
        n_atoms = np.diff(C.indptr)
        assert 2 < n_atoms.max() <= 8
        assert not C.diagonal().any()

    @pytest.mark.parametrize("size", [5, 12])
    def test_only_atoms_of_the_dictionaries_are_used(self, few, method, size):
        parameters = {"dictionary_size": size, "n_subproblems": 2}
        n_used = len(np.unique(coefficients(few, method, **parameters).indices))
        assert size < n_used <= 2 * size
        covered = coefficients(few, method, cover=True, **parameters)
        assert len(np.unique(covered.indices)) > 2 * size

    def test_signs_and_powers_of_two_leave_every_bit(self, few, method):
        rng = np.random.default_rng(0)
        signs = rng.choice([-1.0, 1.0], len(few))
        C = coefficients(few, method)
        changed = coefficients(few * (signs * 2.0 ** rng.integers(-9, 9, len(few)))[:, None], method)
        assert np.array_equal(changed.toarray(), C.toarray() * np.outer(signs, signs))

    def test_rotation_changes_nothing(self, few, method):
        rotated = coefficients(few @ ortho_group.rvs(12, random_state=0), method)
        assert rotated.toarray() == pytest.approx(coefficients(few, method).toarray(), abs=1e-9)

    def test_copies_take_no_part(self, few, method):
        several = coefficients(np.vstack([few, 4 * few[:20]]), method).toarray()
        assert np.array_equal(several[: len(few), : len(few)], coefficients(few, method).toarray())
        assert not several[:, len(few) :].any()
        assert np.array_equal(several[len(few) :], several[:20])

    def test_orthogonal_subspaces_are_not_connected(self, method):
        X, y = make_union_of_subspaces(3, 4, 12, 30, orthogonal=True, random_state=0)
        C = np.abs(coefficients(X, method).toarray())
        assert C[y[:, None] != y].max() < 1e-12 < C.max()


def test_one_pass_of_consensus_is_s3comp(few):
    for parameters in ({}, {"average": "chosen"}, {"candidates": "all"}, {"cover": True, "dropout": 0.8}):
        one, other = coefficients(few, **parameters), coefficients(few, S3COMPC, max_iter=1, **parameters)
        assert_same_bits(one, other)


def test_averages_differ_by_the_share_that_chose_an_atom(few):
    """S3COMP* divides by the number of sub-problems that chose the atom instead of by all, here seven."""
    every, chosen = (coefficients(few, average=average, n_subproblems=7) for average in ("all", "chosen"))
    assert np.array_equal(every.indices, chosen.indices)
    n_chose = 7 * every.data / chosen.data
    assert n_chose == pytest.approx(np.round(n_chose), abs=1e-9)
    assert set(np.round(n_chose)) <= set(range(1, 8))
    assert len(set(np.round(n_chose))) > 3


def test_more_damping_means_smaller_coefficients(few):
    sizes = [np.abs(coefficients(few, damping=damping).data).max() for damping in (0.1, 1.0, 10.0)]
    assert sizes[0] > sizes[1] > sizes[2]


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
    [
        ({"tol": 0.2, "damping": 0.5}, 30),
        ({"tol": 0.0, "dropout": 0.8, "n_jobs": 2}, 30),
        ({"n_subproblems": 4}, 6),
    ],
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
