"""Eigenvalues that crowd just below 1: the certificate says the truth, whatever the weight of the links."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.hierarchies import angle_to, dense_truth, hierarchy, random_hierarchy
from sklearn.metrics import adjusted_rand_score

from subspan.embedding import spectral_embedding
from subspan.labeling import label_embedding


@pytest.mark.parametrize("as_array", [False, True], ids=["sparse", "dense"])
@pytest.mark.parametrize("seed", range(2))
def test_groups_of_cliques_are_told_apart(seed, as_array):
    # A dense graph has no factor: its search takes many products.
    made = hierarchy(seed, n_groups=5, n_cliques=6, size=25 if as_array else 50, inside=1e-5, between=1e-7)
    embedding = spectral_embedding(made.graph.toarray() if as_array else made.graph, 5, seed=seed)
    assert embedding.certificate.converged
    gap, truth = dense_truth(made.graph, 5)
    assert embedding.certificate.gap == pytest.approx(gap, rel=0.5)
    assert angle_to(embedding, made.graph, truth) < 1e-3
    assert adjusted_rand_score(made.group, label_embedding(embedding.vectors, 5)) == 1.0


@pytest.mark.parametrize("as_array", [False, True], ids=["sparse", "dense"])
def test_links_that_rounding_hides_are_not_told_apart(as_array):
    made = hierarchy(0, n_groups=5, n_cliques=6, size=25, inside=1e-13, between=1e-14)
    embedding = spectral_embedding(made.graph.toarray() if as_array else made.graph, 5)
    assert not embedding.certificate.converged
    assert "do not tell them apart" in embedding.certificate.doubt
    assert embedding.certificate.n_products < 1000


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_called_converged_is_what_a_dense_solver_finds(seed):
    made, n_clusters = random_hierarchy(seed)
    embedding = spectral_embedding(made.graph, n_clusters, seed=seed)
    gap, truth = dense_truth(made.graph, n_clusters)
    if embedding.certificate.converged:
        assert angle_to(embedding, made.graph, truth) < 1.1e-3
    assert embedding.certificate.n_products < 200
    # And what can be told apart is told apart.
    assert embedding.certificate.converged or gap < 1e-8


def test_points_of_hardly_any_weight_follow_their_neighbours():
    made = hierarchy(0, n_groups=1, n_cliques=6, size=120, inside=1e-2, between=0.0)
    light = np.arange(made.clique.size) % 10 == 0
    scale = np.where(light, 1e-14, 1.0)
    graph = (made.graph.multiply(np.minimum(scale[:, None], scale))).tocsr()
    embedding = spectral_embedding(graph, 6)
    assert embedding.certificate.converged
    assert adjusted_rand_score(made.clique, label_embedding(embedding.vectors, 6)) == 1.0
