"""Hopkins155: methods with one setting for all sequences, and what was published about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from subspan.grids import Field, Grid
from subspan.reproduction.documents import Table
from subspan.reproduction.notes import QUICK, origins
from subspan.reproduction.plan import Cells, Experiment, Results, Scope, filled
from subspan.reproduction.runs import HOPKINS, Data, Row, Value, make_run
from subspan.reproduction.summary import Summary, over

NAME, TITLE = "table-hopkins", "Tracks of moving bodies: sequences of Hopkins155"
TRIALS = 3
QUICK_SEQUENCES = 2
# Of these numbers of motions the publications give a mean error.
PUBLISHED_FOR = (2, 3)


@dataclass(frozen=True)
class MotionSetting:
    """A method with the one setting that all sequences get."""

    title: str
    # In `subspan.methods.registry`.
    method: str
    parameters: Mapping[str, Value]
    # Mean errors in percent by number of motions, over all sequences of the release.
    published: Mapping[int, float]


SETTINGS = (
    MotionSetting(
        "SSC",
        "ensc",
        {"affine": True, "tau": 1.0, "alpha": 0.01, "keep": 0.85, "scale": "max"},
        {2: 1.5, 3: 4.4},
    ),
    MotionSetting("SCC", "scc", {"dim": 3}, {2: 1.4, 3: 4.9}),
    MotionSetting("LSR", "lsr", {"affine": True, "regularization": 0.01, "keep": 0.5}, {}),
    MotionSetting(
        "S3COMP-C",
        "s3comp-c",
        {
            "affine": True,
            "n_nonzero": 12,
            "damping": 1e-3,
            "residual_tol": 1e-6,
            "keep": 0.9,
            "scale": "max",
            "n_components": None,
        },
        {},
    ),
    MotionSetting("SubspaceClustering", "auto", {}, {}),
)
NOTES = (
    "Error: the share of the tracks that are in the wrong cluster, mean over the sequences. Each fit is told "
    "the number of motions, and nothing else differs from sequence to sequence.",
    "The published errors are means over all 120 sequences with two motions and all 35 with three. LRR with "
    "its post-processing, which is not here, has 2.1 and 4.0.",
    "The settings were chosen with the labels of 32 of the sequences: expect more errors on others.",
)


def _cells(scope: Scope) -> Cells:
    data = Data(HOPKINS, n_sequences=QUICK_SEQUENCES if scope.quick else None)
    n_trials = scope.trials or (1 if scope.quick else TRIALS)
    return filled(
        {
            (setting.title,): [
                make_run(data, setting.method, setting.parameters, seed) for seed in range(n_trials)
            ]
            for setting in SETTINGS
            if setting.method in scope.methods
        }
    )


def _show(results: Results, scope: Scope) -> Table:
    measured = [(setting, results[setting.title,]) for setting in SETTINGS if (setting.title,) in results]
    rows = [row for _, rows in measured for row in rows]
    numbers = sorted({each["n_motions"] for row in rows for each in row["sequences"]})
    notes = [*([QUICK] if scope.quick else []), *NOTES, *origins(rows)]
    return Table(NAME, TITLE, _by_sequence(measured), [_summary(measured, numbers), _settings()], notes)


def _summary(measured: Sequence[tuple[MotionSetting, Sequence[Row]]], numbers: Sequence[int]) -> Grid:
    columns = ["method", "trials"]
    for number in numbers:
        published = [f"{number} motions, published %"] if number in PUBLISHED_FOR else []
        columns += [*published, f"{number} motions, ours %", "median %"]
    lines: list[list[Field]] = [
        [
            setting.title,
            len(rows),
            *(text for number in numbers for text in _texts(setting, rows, number)),
        ]
        for setting, rows in measured
    ]
    return Grid(columns, lines)


def _texts(setting: MotionSetting, rows: Sequence[Row], number: int) -> list[str]:
    published = [str(setting.published.get(number, "-"))] if number in PUBLISHED_FOR else []
    middle = fmean(median(errors(row, number)) for row in rows)
    return [*published, mean_error(rows, number).text(1), f"{middle:.1f}"]


def errors(row: Row, n_motions: int) -> list[float]:
    """Errors of a run in percent, of the sequences with this number of motions."""
    return [100 * each["error"] for each in row["sequences"] if each["n_motions"] == n_motions]


def mean_error(rows: Sequence[Row], n_motions: int) -> Summary:
    """Mean over the sequences; its mean and deviation over the trials."""
    return over(rows, lambda row: fmean(errors(row, n_motions)))


def _by_sequence(measured: Sequence[tuple[MotionSetting, Sequence[Row]]]) -> Grid:
    lines: list[list[Field]] = []
    for setting, rows in measured:
        for of_sequence in zip(*(row["sequences"] for row in rows), strict=True):
            error = fmean(100 * each["error"] for each in of_sequence)
            first = of_sequence[0]
            lines.append(
                [setting.title, first["name"], first["n_motions"], first["n_tracks"], round(error, 2)]
            )
    return Grid(["method", "sequence", "motions", "tracks", "error"], lines)


def _settings() -> Grid:
    lines: list[list[Field]] = [
        [setting.title, ", ".join(f"{name}={value}" for name, value in setting.parameters.items()) or "none"]
        for setting in SETTINGS
    ]
    return Grid(["method", "parameters"], lines, "Settings")


MOTION = Experiment(NAME, TITLE, _cells, _show)
