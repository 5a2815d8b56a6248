"""The paper's figures on real data."""

from __future__ import annotations

from collections.abc import Sequence

from subspan.datasets.catalog import TRAFFIC_SIGNS
from subspan.reproduction.curves import curves, profile
from subspan.reproduction.documents import Figure, Panel
from subspan.reproduction.notes import CHOSEN_SIZES, remarks
from subspan.reproduction.plan import Cells, Coordinates, Experiment, Results, Scope, filled, trials
from subspan.reproduction.runs import Row, Run
from subspan.reproduction.settings import METHOD_OF_COLUMN, REAL, SYNTHETIC, Setting
from subspan.reproduction.summary import METRICS
from subspan.reproduction.synthetic_figures import ACCURACY, SIZE_LABEL, few_sizes

# Outer iterations that are followed one by one.
ITERATIONS = 10
ITERATION = "outer iteration"
# Classes whose connectivity the paper draws.
GRAPHS = ("SSCOMP", "S3COMP", "S3COMP-C")
# Order of the panels in the paper.
PANELS = ("EYaleB", "COIL100", "GTSRB", "MNIST4000", "MNIST10000", "MNIST70000")

ALL_ITERATIONS = f"All points go through all outer iterations (tol = 0), up to {ITERATIONS}."


def iterated(setting: Setting, scope: Scope, n_iterations: int) -> list[Run]:
    """Trials of S3COMP-C with a fixed number of outer iterations.

    The coefficients after few iterations are on the way to those after many: with one seed the runs for
    1, 2, ... are one and the same course, and are carried out as such.
    """
    return trials("s3comp-c", setting, scope, max_iter=n_iterations, tol=0.0)


def _notes(results: Results, settings: Sequence[Setting], scope: Scope) -> list[str]:
    return [ALL_ITERATIONS, *remarks(results, settings, scope)]


# --------------------------------------------------------------------------------- fig-convergence
def _courses(scope: Scope) -> Cells:
    cells: dict[Coordinates, Sequence[Run]] = {
        ("synthetic", size): iterated(SYNTHETIC[size], scope, ITERATIONS) for size in few_sizes(scope)
    }
    for setting in REAL.values():
        cells["real", setting.title] = iterated(setting, scope, ITERATIONS)
    return filled(cells)


def changes(row: Row) -> Sequence[float]:
    """Relative change of the coefficients, from the second iteration on: in the first they come from zero."""
    values: Sequence[float] = row["changes"][1:]
    return values


def _show_courses(results: Results, scope: Scope) -> Figure:
    def panel(kind: str, title: str, legend: str) -> Panel:
        courses = [
            profile(str(name), rows, changes, first=2) for (of, name), rows in results.items() if of == kind
        ]
        return Panel(title, ITERATION, "relative change of C", courses, legend=legend)

    panels = [panel("synthetic", "synthetic data", SIZE_LABEL), panel("real", "real data", "")]
    caption = (
        "How much the coefficients of S3COMP-C change from one outer iteration to the next, relative to "
        "their norm: (a) synthetic data by points on each subspace, (b) real data."
    )
    settings = [*(SYNTHETIC[size] for size in few_sizes(scope)), *REAL.values()]
    notes = [CHOSEN_SIZES, *_notes(results, settings, scope)]
    return Figure("fig-convergence", "Convergence", caption, panels, notes, n_columns=2)


# -------------------------------------------------------------------------- fig-gtsrb-connectivity
def _graphs(scope: Scope) -> Cells:
    cells: dict[Coordinates, Sequence[Run]] = {
        (method,): trials(METHOD_OF_COLUMN[method], REAL["GTSRB"], scope) for method in GRAPHS
    }
    return filled(cells)


def _show_graphs(results: Results, scope: Scope) -> Figure:
    bars = [
        profile(str(method), rows, lambda row: row["connectivity"]["per_class"])
        for (method,), rows in results.items()
    ]
    panels = [Panel("GTSRB", "class", "second smallest eigenvalue", bars, kind="bars")]
    names = ", ".join(f"{number} {name}" for number, name in enumerate(TRAFFIC_SIGNS.values(), start=1))
    caption = (
        "Connectivity of each class of GTSRB: the second smallest eigenvalue of the normalised Laplacian of "
        f"the graph within the class. Classes: {names}."
    )
    notes = remarks(results, [REAL["GTSRB"]], scope)
    return Figure(
        "fig-gtsrb-connectivity", "Connectivity of traffic signs", caption, panels, notes, n_columns=1
    )


# ---------------------------------------------------------------------- fig-iterations, fig-support
def _by_iteration(scope: Scope) -> Cells:
    cells: dict[Coordinates, Sequence[Run]] = {
        (setting.title, number): iterated(setting, scope, number)
        for setting in REAL.values()
        for number in ((1, 2, ITERATIONS) if scope.quick else range(1, ITERATIONS + 1))
    }
    return filled(cells)


def _show_quality_by_iteration(results: Results, scope: Scope) -> Figure:
    error = "subspace-preserving error (%)"
    panels = [
        Panel("accuracy", ITERATION, ACCURACY, curves(results, METRICS["accuracy"].value)),
        Panel("error", ITERATION, error, curves(results, METRICS["sre"].value)),
    ]
    caption = "S3COMP-C on real data after each outer iteration: (a) accuracy, (b) subspace-preserving error."
    notes = _notes(results, list(REAL.values()), scope)
    return Figure("fig-iterations", "Outer iterations", caption, panels, notes, n_columns=2)


def _show_support_by_iteration(results: Results, scope: Scope) -> Figure:
    by_title = {curve.label: curve for curve in curves(results, lambda row: row["support_size"])}
    panels = [
        Panel(title, ITERATION, "mean support size", [by_title[title]], from_zero=True)
        for title in PANELS
        if title in by_title
    ]
    caption = (
        "Mean number of points that represent a point in the consensus of S3COMP-C, after each outer "
        "iteration, on each real data set."
    )
    notes = _notes(results, list(REAL.values()), scope)
    return Figure("fig-support", "Support size", caption, panels, notes, n_columns=3)


REAL_FIGURES = (
    Experiment("fig-convergence", "Relative change of C over the outer iterations", _courses, _show_courses),
    Experiment("fig-gtsrb-connectivity", "Connectivity of each class of GTSRB", _graphs, _show_graphs),
    Experiment(
        "fig-iterations",
        "Accuracy and error of S3COMP-C after each outer iteration",
        _by_iteration,
        _show_quality_by_iteration,
    ),
    Experiment(
        "fig-support",
        "Support size of S3COMP-C after each outer iteration",
        _by_iteration,
        _show_support_by_iteration,
    ),
)
