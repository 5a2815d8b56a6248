import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import subspan.plotting
from subspan import LSR, OLRSC, S3COMPC
from subspan.handover import InputError
from subspan.methods import registry
from subspan.plotting import (
    ConvergenceDisplay,
    RepresentativesDisplay,
    ResidualDisplay,
    SpectrumDisplay,
    SupportDisplay,
    numbers,
)

DENSE = "has dense coefficients, so every point is represented by all others"
ONE_PASS = "found its coefficients in one pass, so nothing converged"
NO_COEFFICIENTS = "finds its graph without coefficients, so there are none to look at"
NO_GRAPH = "clustering='codes' cuts no graph, so there is none to look at"
TOLD = "was told the number of clusters, so it tried none"
HANDED_IN = "affinity='precomputed', so a graph was handed in and no coefficients are known"

# What a plot makes no sense for, and why.
SENSELESS = {
    **{
        (method, "ConvergenceDisplay"): ONE_PASS
        for method in ("s3comp", "ssc-omp", "ensc", "lsr", "lrsc", "sr-ssc", "esc")
    },
    **{(method, "EvidenceDisplay"): TOLD for method in registry.METHODS},
    **{(method, "SupportDisplay"): DENSE for method in ("lsr", "lrsc", "olrsc")},
    **{
        (method, f"{plot}Display"): NO_COEFFICIENTS
        for method in ("auto", "scc")
        for plot in ("Support", "Residual", "Convergence")
    },
}


@pytest.fixture(scope="module", params=registry.METHODS)
def fitted(request, subspaces):
    """A method by its name, fitted."""
    parameters = {"scc": {"dim": 3, "affine": False}}.get(request.param, {})
    estimator = registry.get(request.param)(n_clusters=3, random_state=0, **parameters)
    return request.param, estimator.fit(subspaces[0])


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_every_method_has_its_plots_or_a_reason(fitted, draw):
    method, estimator = fitted
    for name in subspan.plotting.__all__:
        reason = SENSELESS.get((method, name))
        if reason is None:
            assert draw(name, estimator).ax_.has_data(), name
        else:
            with pytest.raises(InputError, match=f"^{type(estimator).__name__}: {reason}"):
                draw(name, estimator)


GRAPH_PLOTS = ("SpectrumDisplay", "AffinityDisplay", "ConnectivityDisplay")


def test_codes_without_a_graph(subspaces, draw):
    X, _ = subspaces
    estimator = OLRSC(n_clusters=3, clustering="codes", random_state=0).fit(X)
    for name in GRAPH_PLOTS:
        with pytest.raises(InputError, match=f"^OLRSC: {NO_GRAPH}"):
            draw(name, estimator)
    display = RepresentativesDisplay.from_estimator(estimator, X, image_shape=(4, 6), n_shown=1)
    unit = estimator.embedding_ / np.linalg.norm(estimator.embedding_, axis=1, keepdims=True)
    for cluster, rows in enumerate(display.numbers.rows):
        members = np.flatnonzero(estimator.labels_ == cluster)
        cosines = unit[members] @ unit[members].mean(axis=0)
        assert rows.tolist() == [members[cosines.argmax()]]


def test_a_graph_that_was_handed_in(model):
    estimator = S3COMPC(n_clusters=3, affinity="precomputed", random_state=0).fit(model.affinity_)
    for name in ("ConvergenceDisplay", "SupportDisplay"):
        with pytest.raises(InputError, match=f"^S3COMPC: {HANDED_IN}"):
            getattr(subspan.plotting, name).from_estimator(estimator)
    display = SpectrumDisplay.from_estimator(estimator)
    np.testing.assert_allclose(display.numbers.eigenvalues, model.eigenvalues_, atol=1e-2)


def test_coefficients_that_were_handed_in(model):
    estimator = S3COMPC(n_clusters=3, affinity="precomputed_representation", random_state=0)
    estimator.fit(model.representation_)
    with pytest.raises(InputError, match=r"^S3COMPC: its coefficients were handed in, so nothing converged"):
        ConvergenceDisplay.from_estimator(estimator)
    display = SupportDisplay.from_estimator(estimator)
    np.testing.assert_array_equal(display.numbers.sizes, np.diff(model.representation_.indptr))


# A search fits for itself.
@pytest.mark.parametrize("name", sorted(set(subspan.plotting.__all__) - {"SearchDisplay"}))
def test_an_estimator_has_to_be_fitted(name, draw):
    with pytest.raises(NotFittedError, match="not fitted"):
        draw(name, LSR(n_clusters=3))


def test_rows_as_they_are_where_the_method_took_them_so(subspaces):
    X = subspaces[0] * np.linspace(1, 5, len(subspaces[0]))[:, None]
    estimator = S3COMPC(n_clusters=3, normalize=False, random_state=0).fit(X)
    display = ResidualDisplay.from_estimator(estimator, X)
    expected = numbers.residuals(X, estimator.representation_, normalize=False)
    np.testing.assert_array_equal(display.numbers.norms, expected.norms)
