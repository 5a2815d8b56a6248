import numpy as np
import pytest

import subspan.plotting
from subspan import LSR
from subspan.plotting import (
    AffinityDisplay,
    ConfusionDisplay,
    ConnectivityDisplay,
    ConvergenceDisplay,
    EmbeddingDisplay,
    EvidenceDisplay,
    RepresentativesDisplay,
    ResidualDisplay,
    SearchDisplay,
    SingularValuesDisplay,
    SpectrumDisplay,
    SupportDisplay,
    numbers,
)
from subspan.tuning import Candidate, NumberOfClusters, search


@pytest.mark.parametrize("name", subspan.plotting.__all__)
def test_every_display_says_what_it_shows(name, fitted_for, draw):
    display = draw(name, fitted_for(name))
    assert display.ax_.get_title()
    assert display.ax_.get_xlabel()
    assert display.ax_.get_ylabel()
    assert display.figure_ is display.ax_.figure
    display.figure_.canvas.draw()


@pytest.mark.parametrize("name", subspan.plotting.__all__)
def test_every_display_draws_where_it_is_told(name, fitted_for, draw, pyplot):
    figure, axes = pyplot.subplots(1, 2)
    display = draw(name, fitted_for(name), ax=axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert not axes[0].has_data()
    assert axes[1].has_data()
    assert pyplot.get_fignums() == [figure.number]
    again = display.plot()
    assert again is display
    assert display.figure_ is not figure


def test_spectrum(model):
    display = SpectrumDisplay.from_estimator(model)
    expected = numbers.spectrum(model.eigenvalues_, 3)
    curve, clusters = display.ax_.lines
    np.testing.assert_array_equal(curve.get_ydata(), expected.eigenvalues)
    np.testing.assert_array_equal(curve.get_xdata(), np.arange(1, len(expected.eigenvalues) + 1))
    assert clusters.get_xdata() == [3.5, 3.5]
    (band,) = display.ax_.patches
    assert band.get_height() == pytest.approx(expected.gap)
    assert f"after {expected.gap_after} eigenvalues" in display.ax_.get_title()


def test_evidence(front_door):
    display = EvidenceDisplay.from_estimator(front_door)
    expected = numbers.number_evidence(front_door.n_clusters_tried_)
    shared, cost, curve, best, chosen = display.ax_.lines
    assert curve.get_xdata().tolist() == [2, 3, 4, 5]
    np.testing.assert_array_equal(curve.get_ydata(), expected.evidence)
    np.testing.assert_allclose(shared.get_ydata() - cost.get_ydata(), curve.get_ydata())
    assert best.get_xdata()[0] == chosen.get_xdata()[0] == front_door.n_clusters_ == 3
    assert display.ax_.get_title() == "The data show 3 clusters."


def test_no_evidence_has_no_mark():
    nothing = NumberOfClusters((Candidate(2, 0.1, 0.2, 0.9, 0.0), Candidate(3, 0.1, 0.2, 0.8, 0.0)), 0.1)
    display = EvidenceDisplay.from_predictions(nothing)
    assert len(display.ax_.lines) == 4
    assert display.ax_.get_title() == "The data show no clusters."


def test_search(subspaces):
    X, _ = subspaces
    estimator = LSR(3, random_state=0)
    display = SearchDisplay.from_estimator(estimator, X, {"n_neighbors": [1, 6], "regularization": [0.1]})
    rows = search(X, estimator, {"n_neighbors": [1, 6], "regularization": [0.1]})
    assert [bar.get_width() for bar in display.ax_.patches] == [row["agreement"] for row in rows]
    (gaps,) = display.ax_.lines
    np.testing.assert_array_equal(gaps.get_xdata(), [row["gap"] for row in rows])
    texts = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert [text.partition(" ")[0] for text in texts] == ["n_neighbors=6", "n_neighbors=1"]
    # The best one is on top.
    assert display.ax_.yaxis_inverted()


def test_affinity(model):
    display = AffinityDisplay.from_estimator(model)
    expected = numbers.ordered_affinity(model.affinity_, model.labels_)
    (picture,) = display.ax_.images
    np.testing.assert_array_equal(picture.get_array(), expected.grid)
    assert picture.get_extent() == [0, 120, 120, 0]
    corners = {tuple(corner) for line in display.ax_.lines for corner in line.get_xydata()}
    assert {(place, place) for place in expected.boundaries} <= corners
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["0", "1", "2"]


def test_squares_do_not_hide_many_clusters():
    labels = np.arange(51).repeat(2)
    graph = (labels[:, None] == labels).astype(float)
    assert len(AffinityDisplay.from_predictions(graph, labels).ax_.lines) == 0
    assert len(AffinityDisplay.from_predictions(graph, labels // 2).ax_.lines) == 2


def test_embedding(model):
    display = EmbeddingDisplay.from_estimator(model)
    expected = numbers.embedding_plane(model.embedding_, model.labels_)
    assert len(display.ax_.collections) == 3
    for number, cloud in enumerate(display.ax_.collections):
        points = expected.coordinates[expected.cluster == number]
        np.testing.assert_array_equal(cloud.get_offsets(), points)
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["0", "1", "2"]


def test_embedding_tells_many_clusters_apart():
    corners = np.eye(30).repeat(2, axis=0)
    display = EmbeddingDisplay.from_predictions(corners, np.arange(30).repeat(2))
    looks = {
        (cloud.get_paths()[0].vertices.tobytes(), cloud.get_facecolor().tobytes())
        for cloud in display.ax_.collections
    }
    assert len(looks) == 30


def test_embedding_of_very_many_clusters_has_no_legend():
    display = EmbeddingDisplay.from_predictions(np.eye(60), np.arange(60))
    assert display.ax_.get_legend() is None


def test_connectivity(model):
    display = ConnectivityDisplay.from_estimator(model)
    expected = numbers.cluster_connectivity(model.affinity_, model.labels_)
    assert [bar.get_height() for bar in display.ax_.patches] == expected.values.tolist()
    assert display.ax_.get_legend() is None


def test_clusters_that_fall_apart_are_marked():
    apart = np.kron(np.eye(3), np.ones((2, 2)) - np.eye(2))
    display = ConnectivityDisplay.from_predictions(apart, ["a", "a", "b", "b", "b", "b"])
    (marks,) = display.ax_.lines
    assert marks.get_xydata().tolist() == [[1, 0]]
    assert display.ax_.get_title() == "Weakest cluster: b, with 0"


def test_convergence(model):
    display = ConvergenceDisplay.from_estimator(model)
    curve, tolerance = display.ax_.lines
    assert curve.get_ydata().tolist() == list(model.changes_)
    assert tolerance.get_ydata() == [model.tol, model.tol]
    assert display.ax_.get_yscale() == "log"


def test_convergence_to_no_change_at_all():
    display = ConvergenceDisplay.from_predictions([0.0, 0.0])
    assert display.ax_.get_yscale() == "linear"
    assert display.ax_.get_title() == "Change of 0 after 2 iterations"


def test_support(model):
    display = SupportDisplay.from_estimator(model)
    expected = numbers.support_sizes(model.representation_)
    assert [bar.get_height() for bar in display.ax_.patches] == expected.counts.tolist()
    assert [bar.get_x() for bar in display.ax_.patches] == expected.edges[:-1].tolist()


def test_residuals(model, subspaces):
    X, _ = subspaces
    display = ResidualDisplay.from_estimator(model, X)
    expected = numbers.residuals(X, model.representation_)
    assert [bar.get_height() for bar in display.ax_.patches] == expected.counts.tolist()
    assert display.ax_.lines[0].get_xdata() == [expected.median] * 2
    assert "unit norm" in display.ax_.get_xlabel()
    raw = ResidualDisplay.from_predictions(X, model.representation_, normalize=False)
    assert "unit norm" not in raw.ax_.get_xlabel()


def test_singular_values_of_few_clusters(model, subspaces):
    display = SingularValuesDisplay.from_estimator(model, subspaces[0])
    expected = numbers.singular_values(subspaces[0], model.labels_)
    curves = display.ax_.lines[:3]
    np.testing.assert_array_equal([curve.get_ydata() for curve in curves], expected.energy)
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["0", "1", "2"]


def test_singular_values_of_many_clusters():
    X = np.random.default_rng(0).standard_normal((120, 40))
    display = SingularValuesDisplay.from_predictions(X, np.arange(120) % 12)
    *curves, median, _ = display.ax_.lines
    energy = np.array([curve.get_ydata() for curve in curves])
    np.testing.assert_array_equal(energy, display.numbers.energy)
    np.testing.assert_array_equal(median.get_ydata(), np.median(energy, axis=0))


def test_dimensions_beyond_those_shown_are_called_so():
    display = SingularValuesDisplay.from_predictions(np.eye(80), np.zeros(80))
    assert display.ax_.get_title() == "Directions with 95 % of a cluster's energy: over 30"


def test_confusion():
    true, found = ["x", "x", "y", "y", "y", "z"], [5, 5, 1, 1, 5, 9]
    display = ConfusionDisplay.from_predictions(true, found)
    expected = numbers.confusion(true, found)
    (picture,) = display.ax_.images
    np.testing.assert_array_equal(picture.get_array(), expected.table)
    written = {(*text.get_position(), int(text.get_text())) for text in display.ax_.texts}
    rows, columns = expected.table.nonzero()
    assert written == {
        (column, row, expected.table[row, column]) for row, column in zip(rows, columns, strict=True)
    }
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["5", "1", "9"]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["x", "y", "z"]


def test_confusion_of_many_classes_is_not_written_on():
    display = ConfusionDisplay.from_predictions(np.arange(40), np.arange(40))
    assert not display.ax_.texts
    assert len(display.ax_.get_xticks()) <= 16


@pytest.mark.parametrize("image_shape", [(4, 6), (2, 4, 3)])
def test_representatives_are_the_tiles(model, subspaces, image_shape):
    X, _ = subspaces
    display = RepresentativesDisplay.from_estimator(model, X, image_shape=image_shape, n_shown=2)
    found = numbers.representatives(model.affinity_, model.labels_, 2)
    mosaic = display.ax_.images[0].get_array()
    height, width = image_shape[:2]
    for row, rows in enumerate(found.rows):
        for column, tile in enumerate(numbers.tiles(X, rows, image_shape)):
            top, left = row * (height + 1), column * (width + 1)
            np.testing.assert_array_equal(mosaic[top : top + height, left : left + width], tile)
    assert mosaic.shape[:2] == (3 * (height + 1) - 1, 2 * (width + 1) - 1)
    sizes = np.bincount(model.labels_)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [f"{number} ({size})" for number, size in enumerate(sizes)]


def test_representatives_of_the_largest_of_many_clusters():
    labels = np.repeat(np.arange(30), np.arange(1, 31))
    n_points = len(labels)
    graph = (labels[:, None] == labels).astype(float)
    display = RepresentativesDisplay.from_predictions(
        np.ones((n_points, 4)), graph, labels, image_shape=(2, 2)
    )
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [f"{number} ({number + 1})" for number in range(10, 30)]
    assert display.ax_.get_title().startswith("The 20 largest clusters")


def test_names_are_no_markup():
    names = np.array(["$\\frac$", "_hidden", "a name that is far too long for a legend", "\nline\tbreaks "])
    display = EmbeddingDisplay.from_predictions(np.eye(4), names)
    display.figure_.canvas.draw()
    shown = {text.get_text() for text in display.ax_.get_legend().get_texts()}
    assert shown == {r"\$\frac\$", " _hidden", "a name that is …", "line breaks"}


def test_without_matplotlib_the_answer_is_how_to_install_it(model, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'subspan\[plots\]'"):
        SpectrumDisplay.from_estimator(model)


def test_numbers_and_displays_are_imported_without_matplotlib():
    import subprocess
    import sys

    code = (
        "import sys, subspan.plotting as plotting\n"
        "from subspan.plotting import numbers\n"
        "[getattr(plotting, name) for name in plotting.__all__]\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_that_do_not_exist_are_not_made_up():
    with pytest.raises(AttributeError, match="no attribute 'PieDisplay'"):
        _ = subspan.plotting.PieDisplay
    assert dir(subspan.plotting) == sorted(subspan.plotting.__all__)
