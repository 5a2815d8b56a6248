"""The paper's figures on synthetic data: five subspaces of dimension 6 in a space of dimension 9."""

from __future__ import annotations

from collections.abc import Sequence

from subspan.reproduction.curves import curves, profile
from subspan.reproduction.documents import Curve, Figure, Panel
from subspan.reproduction.notes import CHOSEN_SIZES, SYNTHETIC_ENSC, SYNTHETIC_OUTER, TIME, remarks
from subspan.reproduction.plan import Cells, Coordinates, Experiment, Results, Scope, filled, trials
from subspan.reproduction.runs import Row, Run
from subspan.reproduction.settings import DROPOUTS, METHOD_OF_COLUMN, SIZES, SYNTHETIC
from subspan.reproduction.summary import METRICS

FIGURE_METHODS = ("SSCOMP", "EnSC", "S3COMP", "S3COMP-C")
# T in the figure that varies it.
SUBPROBLEMS = tuple(range(5, 101, 5))
# Points on each subspace where only one size is looked at, and where a few are. 30 are too few to be thinned
# out: at delta = 0.9 a sub-dictionary may keep less than s of them.
ONE_SIZE = 320
FEW_SIZES = (55, 98, 177, 320, 577, 1041)

SIZE_LABEL = "points on each subspace"
DROPOUT = "dropout rate δ"
ACCURACY = "clustering accuracy (%)"
CONNECTIVITY = "connectivity c"

accuracy = METRICS["accuracy"].value
least_connectivity = METRICS["connectivity_min"].value
error = METRICS["sre"].value


def one_size(scope: Scope) -> int:
    """Points on each subspace where only one size is looked at."""
    return 98 if scope.quick else ONE_SIZE


def few_sizes(scope: Scope) -> Sequence[int]:
    """Points on each subspace where a few sizes are compared."""
    return FEW_SIZES[:2] if scope.quick else FEW_SIZES


def dropouts(scope: Scope) -> Sequence[float]:
    """The rates delta that are compared."""
    return DROPOUTS[::4] if scope.quick else DROPOUTS


# ------------------------------------------------------------------------------------ fig-synthetic
def _methods_by_size(scope: Scope) -> Cells:
    sizes = SIZES[:4] if scope.quick else SIZES
    cells: dict[Coordinates, Sequence[Run]] = {
        (method, size): trials(METHOD_OF_COLUMN[method], SYNTHETIC[size], scope)
        for method in FIGURE_METHODS
        for size in sizes
    }
    return filled(cells)


def _show_methods_by_size(results: Results, scope: Scope) -> Figure:
    seconds = METRICS["seconds"].value
    panels = [
        Panel("accuracy", SIZE_LABEL, ACCURACY, curves(results, accuracy), logarithmic="x"),
        Panel("connectivity", SIZE_LABEL, CONNECTIVITY, curves(results, least_connectivity), logarithmic="x"),
        Panel("time", SIZE_LABEL, "time (s)", curves(results, seconds), logarithmic="xy"),
    ]
    caption = (
        "Methods on synthetic data of growing density: accuracy, connectivity of the weakest class, and "
        "time, over the number of points on each subspace."
    )
    notes = [TIME, SYNTHETIC_OUTER, SYNTHETIC_ENSC, *remarks(results, SYNTHETIC.values(), scope)]
    return Figure("fig-synthetic", "Methods on synthetic data", caption, panels, notes, n_columns=3)


# -------------------------------------------------------------------------------------- fig-delta-T
def _dropout_by_subproblems(scope: Scope) -> Cells:
    setting = SYNTHETIC[one_size(scope)]
    numbers = (5, 15, 50) if scope.quick else SUBPROBLEMS
    cells: dict[Coordinates, Sequence[Run]] = {
        (rate, number): trials("s3comp-c", setting, scope, dropout=rate, n_subproblems=number)
        for rate in dropouts(scope)
        for number in numbers
    }
    return filled(cells)


def _show_dropout_by_subproblems(results: Results, scope: Scope) -> Figure:
    def image(title: str, images: Sequence[Curve]) -> Panel:
        return Panel(title, "number of sub-problems T", DROPOUT, images, kind="image")

    panels = [
        image(ACCURACY, curves(results, accuracy)),
        image(CONNECTIVITY, curves(results, least_connectivity)),
        image("subspace-preserving rate (%)", curves(results, lambda row: 100 - error(row))),
    ]
    size = one_size(scope)
    caption = (
        f"S3COMP-C with {size} points on each subspace, for every number of sub-problems T and dropout rate "
        "δ: the brighter, the larger."
    )
    notes = [SYNTHETIC_OUTER, *remarks(results, [SYNTHETIC[size]], scope)]
    return Figure("fig-delta-T", "Sub-problems and dropout", caption, panels, notes, n_columns=3)


# --------------------------------------------------------------- fig-dropout, fig-sre-dropout
def _sizes_by_dropout(scope: Scope) -> Cells:
    cells: dict[Coordinates, Sequence[Run]] = {
        (size, rate): trials("s3comp-c", SYNTHETIC[size], scope, dropout=rate)
        for size in few_sizes(scope)
        for rate in dropouts(scope)
    }
    return filled(cells)


def _show_sizes_by_dropout(results: Results, scope: Scope) -> Figure:
    panels = [
        Panel("accuracy", DROPOUT, ACCURACY, curves(results, accuracy), legend=SIZE_LABEL),
        Panel("connectivity", DROPOUT, CONNECTIVITY, curves(results, least_connectivity), legend=SIZE_LABEL),
    ]
    caption = (
        "S3COMP-C over the dropout rate, one curve for each number of points on a subspace: (a) accuracy, "
        "(b) connectivity of the weakest class."
    )
    settings = [SYNTHETIC[size] for size in few_sizes(scope)]
    notes = [SYNTHETIC_OUTER, CHOSEN_SIZES, *remarks(results, settings, scope)]
    return Figure("fig-dropout", "Effect of the dropout rate", caption, panels, notes, n_columns=2)


def _show_error_by_dropout(results: Results, scope: Scope) -> Figure:
    label = "subspace-preserving error (%)"
    panels = [Panel("error", DROPOUT, label, curves(results, error), legend=SIZE_LABEL)]
    caption = (
        "Subspace-preserving error of S3COMP-C over the dropout rate, one curve for each number of points on "
        "a subspace."
    )
    settings = [SYNTHETIC[size] for size in few_sizes(scope)]
    notes = [SYNTHETIC_OUTER, CHOSEN_SIZES, *remarks(results, settings, scope)]
    return Figure("fig-sre-dropout", "Dropout and error", caption, panels, notes, n_columns=1)


# ----------------------------------------------------------------------------------- fig-eigenvalues
def _spectra(scope: Scope) -> Cells:
    setting = SYNTHETIC[one_size(scope)]
    cells: dict[Coordinates, Sequence[Run]] = {("SSCOMP", 0.0): trials("ssc-omp", setting, scope)}
    for method in ("S3COMP", "S3COMP-C"):
        for rate in dropouts(scope):
            cells[method, rate] = trials(METHOD_OF_COLUMN[method], setting, scope, dropout=rate)
    return filled(cells)


def laplacian(row: Row) -> list[float]:
    """Smallest eigenvalues of the normalised Laplacian, smallest first."""
    return [1.0 - value for value in row["eigenvalues"]]


def _show_spectra(results: Results, scope: Scope) -> Figure:
    spectra: dict[str, list[Curve]] = {"SSCOMP": [], "S3COMP": [], "S3COMP-C": []}
    for (method, rate), rows in results.items():
        label = str(rate) if rate else str(method)
        spectra[str(method)].append(profile(label, rows, laplacian))
    panels = [
        Panel(method, "number", "eigenvalue", spectra[method] + spectra["SSCOMP"], legend="δ")
        for method in ("S3COMP", "S3COMP-C")
        if spectra[method]
    ]
    size = one_size(scope)
    caption = (
        f"The 15 smallest eigenvalues of the normalised Laplacian with {size} points on each of five "
        "subspaces, for several dropout rates, and those of SSC-OMP: a gap after the fifth shows five "
        "well-connected clusters."
    )
    notes = [SYNTHETIC_OUTER, *remarks(results, [SYNTHETIC[size]], scope)]
    return Figure("fig-eigenvalues", "Eigenvalues of the graphs", caption, panels, notes, n_columns=2)


SYNTHETIC_FIGURES = (
    Experiment(
        "fig-synthetic",
        "Methods on synthetic data: accuracy, connectivity, time",
        _methods_by_size,
        _show_methods_by_size,
    ),
    Experiment(
        "fig-delta-T",
        "S3COMP-C for every number of sub-problems T and dropout rate",
        _dropout_by_subproblems,
        _show_dropout_by_subproblems,
    ),
    Experiment(
        "fig-dropout",
        "S3COMP-C over the dropout rate: accuracy, connectivity",
        _sizes_by_dropout,
        _show_sizes_by_dropout,
    ),
    Experiment(
        "fig-eigenvalues",
        "Smallest eigenvalues of the Laplacians for several dropout rates",
        _spectra,
        _show_spectra,
    ),
    Experiment(
        "fig-sre-dropout",
        "S3COMP-C over the dropout rate: subspace-preserving error",
        _sizes_by_dropout,
        _show_error_by_dropout,
    ),
)
