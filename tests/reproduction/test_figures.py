"""What the figures show, on made-up results: numbers, not pixels."""

import pytest

from subspan.reproduction.catalog import EXPERIMENTS
from subspan.reproduction.documents import Curve, Figure, Panel, write_document
from subspan.reproduction.plan import Scope
from subspan.reproduction.settings import DROPOUTS, SIZES

# Panels, curves in the first one, points on the first curve.
SHAPES = {
    "fig-synthetic": (3, 4, len(SIZES)),
    "fig-delta-T": (3, len(DROPOUTS), 20),
    "fig-convergence": (2, 6, 9),
    "fig-gtsrb-connectivity": (1, 3, 14),
    "fig-dropout": (2, 6, len(DROPOUTS)),
    "fig-eigenvalues": (2, len(DROPOUTS) + 1, 15),
    "fig-sre-dropout": (1, 6, len(DROPOUTS)),
    "fig-iterations": (2, 6, 10),
    "fig-support": (6, 1, 10),
}


def show(name, invent, options):
    experiment = EXPERIMENTS[name]
    return experiment.show(invent(experiment.cells(options)), options)


@pytest.mark.parametrize("name", SHAPES)
def test_layout(name, invent):
    options = Scope(trials=2)
    figure = show(name, invent, options)
    n_panels, n_curves, n_points = SHAPES[name]
    assert figure.name == name
    assert len(figure.panels) == n_panels
    assert len(figure.panels[0].curves) == n_curves
    first = figure.panels[0].curves[0]
    assert len(first.x) == len(first.y) == len(first.deviations) == n_points
    assert len(figure.numbers.lines) == sum(len(c.x) for panel in figure.panels for c in panel.curves)
    assert figure.caption.endswith(".")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_can_be_shown_quickly_and_in_part(name, invent):
    for options in (
        Scope(quick=True, trials=1),
        Scope(quick=True, methods=frozenset({"s3comp-c"})),
    ):
        document = show(name, invent, options)
        assert document.name == name
        assert document.numbers.lines


def test_runs_are_shared_between_experiments():
    options = Scope()
    runs = {
        name: {run for trials in experiment.cells(options).values() for run in trials}
        for name, experiment in EXPERIMENTS.items()
    }
    assert runs["fig-sre-dropout"] == runs["fig-dropout"]
    assert runs["fig-support"] == runs["fig-iterations"]
    assert runs["fig-gtsrb-connectivity"] < runs["table-gtsrb"] | runs["table-connectivity"]
    # The paper gives no connectivity for these two.
    with_graph = {run for run in runs["table-mnist70000"] if run.method not in ("esc", "sr-ssc")}
    assert with_graph < runs["table-connectivity"]
    # Real data up to the tenth iteration; the synthetic ones are its own.
    assert {run for run in runs["fig-convergence"] if run.data.name != "synthetic"} < runs["fig-iterations"]
    assert runs["fig-delta-T"] & runs["fig-dropout"] & runs["fig-synthetic"] & runs["fig-delta-T"]


def test_values_are_those_of_the_rows(make_row):
    options = Scope(trials=2)
    experiment = EXPERIMENTS["fig-eigenvalues"]
    results = {
        cell: [make_row(eigenvalues=[1.0, 0.75, 0.5]) for _ in runs]
        for cell, runs in experiment.cells(options).items()
    }
    figure = experiment.show(results, options)
    assert list(figure.panels[1].curves[0].y) == [0.0, 0.25, 0.5]
    assert figure.panels[1].curves[-1].label == "SSCOMP"
    convergence = EXPERIMENTS["fig-convergence"]
    results = {cell: [make_row(changes=[1.0, 0.4, 0.2])] for cell in convergence.cells(options)}
    curve = convergence.show(results, options).panels[0].curves[0]
    assert (list(curve.x), list(curve.y)) == ([2.0, 3.0], [0.4, 0.2])


@pytest.fixture
def figure():
    curves = [
        Curve("0.1", [1, 2, 3], [1.0, 4.0, 9.0], [0.1, 0.1, 0.1]),
        Curve("SSCOMP", [1, 2, 3], [1.0, 2.0, 3.0]),
    ]
    panels = [
        Panel("lines", "x", "y", curves, logarithmic="xy"),
        Panel("bars", "x", "y", curves, kind="bars"),
    ]
    panels.append(Panel("image", "x", "y", curves, kind="image"))
    return Figure("fig-test", "Test", "Three kinds of panels.", panels, ["A note."], n_columns=2)


def test_pictures_and_numbers_are_written_the_same_each_time(figure, tmp_path):
    pytest.importorskip("matplotlib")
    names = ["fig-test.csv", "fig-test.md", "fig-test.svg", "fig-test.png"]
    contents = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        assert [path.name for path in write_document(figure, folder)] == names
        contents.append([(folder / name).read_bytes() for name in names])
    assert contents[0] == contents[1]
    numbers, text, svg, png = contents[0]
    assert numbers.splitlines()[:2] == [b"panel,curve,x,y,sd", b"lines,0.1,1,1.0,0.1"]
    assert b"Three kinds of panels." in text
    assert b"- A note." in text
    assert svg.startswith(b"<?xml")
    assert png.startswith(b"\x89PNG")


def test_curves_that_stand_for_numbers_get_a_ramp():
    matplotlib = pytest.importorskip("matplotlib")
    from subspan.plotting.style import COLOURS
    from subspan.reproduction.drawing import _colours

    labels = ["0.1", "SSCOMP", "0.9", "EnSC"]
    colours = _colours([Curve(label, [], []) for label in labels], matplotlib)
    assert [colours[1], colours[3]] == list(COLOURS[:2])
    assert sum(colours[0][:3]) < sum(colours[2][:3])
