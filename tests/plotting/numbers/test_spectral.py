import numpy as np
import pytest
from sklearn.decomposition import PCA

from subspan.handover import InputError
from subspan.plotting.numbers import convergence, embedding_plane, spectrum


def test_the_widest_gap_is_found_behind_the_first_eigenvalue():
    values = [1.0, 0.8, 0.78, 0.6, 0.55]
    assert spectrum(values).gap_after == 3
    assert spectrum(values, 2).gap_after == 3
    assert spectrum(values, 1).gap_after == 1
    assert spectrum([1.0, 0.5], 2).gap_after == 1


def test_of_equal_gaps_the_first_counts():
    assert spectrum([1.0, 1.0, 0.5, 0.0]).gap_after == 2


def test_gap_behind_the_clusters():
    assert spectrum([1.0, 0.9, 0.5], 2).gap_at_n_clusters == pytest.approx(0.4)
    assert spectrum([1.0, 0.9, 0.5], 3).gap_at_n_clusters is None
    assert spectrum([1.0, 0.9, 0.5]).gap_at_n_clusters is None


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0], "eigenvalues: a gap needs at least two"),
        ([], "eigenvalues must be a sequence of numbers"),
        ([[1.0, 0.5]], r"eigenvalues must be a sequence of numbers, got shape \(1, 2\)"),
        (["one", "two"], "eigenvalues must hold numbers"),
        ([1.0, np.nan], "eigenvalues holds NaN or infinity"),
    ],
)
def test_wrong_eigenvalues_are_refused(values, sentence):
    with pytest.raises(InputError, match=sentence):
        spectrum(values)


def test_eigenvalues_have_to_be_sorted():
    with pytest.raises(InputError, match="sorted"):
        spectrum([0.5, 1.0])


def test_convergence_numbers_its_iterations():
    found = convergence((1.0, 0.5), 0.1)
    assert found.iterations.tolist() == [1, 2]
    assert found.reached is False
    assert convergence((1.0, 0.1), 0.1).reached is True
    assert convergence([1.0]).reached is None
    with pytest.raises(InputError, match="changes must be a sequence"):
        convergence([])


def random_embedding(n_points=300, n_components=5):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n_points, n_components)) * [5, 3, 1, 1, 1], rng.integers(0, 4, n_points)


def test_plane_is_that_of_principal_components():
    vectors, labels = random_embedding()
    vectors[7] = 0
    plane = embedding_plane(vectors, labels)
    kept = np.delete(vectors, 7, axis=0)
    pca = PCA(2, svd_solver="full").fit(kept / np.linalg.norm(kept, axis=1, keepdims=True))
    expected = pca.transform(kept / np.linalg.norm(kept, axis=1, keepdims=True))
    np.testing.assert_allclose(np.abs(plane.coordinates), np.abs(expected), atol=1e-10)
    np.testing.assert_allclose(plane.shares, pca.explained_variance_ratio_)
    assert 7 not in plane.rows
    assert plane.n_embedded == 299
    assert plane.clusters[plane.cluster].tolist() == labels[plane.rows].tolist()


def test_thinned_plane_shows_some_points_of_the_same_plane():
    vectors, labels = random_embedding()
    labels[123] = 9
    all_points, some = embedding_plane(vectors, labels), embedding_plane(vectors, labels, 50)
    assert len(some.rows) <= 50
    assert 9 in some.clusters[some.cluster]
    assert some.n_embedded == 300
    np.testing.assert_array_equal(some.coordinates, all_points.coordinates[some.rows])


def test_an_embedding_in_one_dimension_lies_on_a_line():
    plane = embedding_plane([[1.0], [-1.0], [2.0]], [0, 1, 0])
    assert plane.shares == (1.0, 0.0)
    assert plane.coordinates[:, 1].tolist() == [0, 0, 0]
    assert plane.coordinates[0, 0] == plane.coordinates[2, 0] != plane.coordinates[1, 0]


def test_wrong_embeddings_are_refused():
    with pytest.raises(InputError, match="only zero rows"):
        embedding_plane(np.zeros((2, 2)), [0, 1])
    with pytest.raises(InputError, match="embedding must be a table of numbers"):
        embedding_plane(np.zeros(2), [0, 1])
    with pytest.raises(InputError, match="labels has 3 labels, but embedding has 2 rows"):
        embedding_plane(np.ones((2, 2)), [0, 1, 1])
