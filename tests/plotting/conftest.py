import pytest

import subspan.plotting
from subspan import S3COMPC, SubspaceClustering
from subspan.datasets import make_union_of_subspaces

# As `subspan.tuning.search` returns it.
SEARCHED = [
    {"n_neighbors": 5, "scale": "l2", "agreement": 0.9, "gap": 0.2, "left_out": 0},
    {"n_neighbors": 8, "scale": "l2", "agreement": 0.6, "gap": float("nan"), "left_out": 7},
]


@pytest.fixture(autouse=True)
def pyplot():
    """Figures in memory only, none of them left over."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="session")
def subspaces():
    """Points in three subspaces, and to which each belongs."""
    return make_union_of_subspaces(3, 3, 24, 40, noise=0.05, random_state=0)


@pytest.fixture(scope="session")
def model(subspaces):
    return S3COMPC(n_clusters=3, n_nonzero=3, n_subproblems=5, random_state=0).fit(subspaces[0])


@pytest.fixture(scope="session")
def front_door(subspaces):
    """Fitted to the same points; it had to find the number of subspaces."""
    return SubspaceClustering((2, 5), random_state=0).fit(subspaces[0])


@pytest.fixture
def fitted_for(model, front_door):
    """The fitted estimator that a display of a given name is drawn from."""
    return lambda name: front_door if name == "EvidenceDisplay" else model


@pytest.fixture
def draw(subspaces):
    """A function that draws the display of a given name from an estimator of these points."""
    X, y = subspaces
    more = {
        "ConfusionDisplay": (y,),
        "RepresentativesDisplay": (X,),
        "ResidualDisplay": (X,),
        "SingularValuesDisplay": (X,),
    }

    def from_estimator(name, estimator, **options):
        if name == "SearchDisplay":
            # Its estimator is not fitted, and a search takes long.
            return subspan.plotting.SearchDisplay.from_predictions(SEARCHED, **options)
        if name == "RepresentativesDisplay":
            options["image_shape"] = (4, 6)
        return getattr(subspan.plotting, name).from_estimator(estimator, *more.get(name, ()), **options)

    return from_estimator
