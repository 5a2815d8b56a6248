"""The files of a comparison: tables as CSV and Markdown, the figure, and the labels of the first trial."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from subspan import __version__
from subspan.cli import comparison_tables as tables
from subspan.cli.comparing import Outcome, Task
from subspan.cli.comparison_figure import draw_comparison
from subspan.execution.files import whole_file
from subspan.extras import MissingPackageError
from subspan.reproduction.documents import Grid

FILE_STEM = "comparison"
KINDS = ("svg", "png")


def write_comparison(folder: Path, task: Task, outcomes: Sequence[Outcome]) -> list[str]:
    """Write all files; says which, and which could not be made."""
    present = [outcome for outcome in outcomes if outcome.trials]
    files = {f"{FILE_STEM}.csv": tables.numbers(outcomes).csv().encode()}
    remarks = []
    if present:
        files["labels.csv"] = _labels(present).csv().encode()
        try:
            files |= {f"{FILE_STEM}.{kind}": draw_comparison(present, kind) for kind in KINDS}
        except MissingPackageError as error:
            remarks.append(f"No figure: {error}")
    has_figure = f"{FILE_STEM}.svg" in files
    files[f"{FILE_STEM}.md"] = _page(task, outcomes, has_figure).encode()
    for name, content in files.items():
        with whole_file(folder / name) as file:
            file.write(content)
    return [f"written to {folder}: {', '.join(sorted(files))}", *remarks]


def _labels(outcomes: Sequence[Outcome]) -> Grid:
    """Labels of the first trial of each method, side by side."""
    columns = [outcome.trials[0].labels.tolist() for outcome in outcomes]
    lines = [[row, *labels] for row, labels in enumerate(zip(*columns, strict=True))]
    return Grid(["row", *(outcome.method for outcome in outcomes)], lines)


def _page(task: Task, outcomes: Sequence[Outcome], has_figure: bool) -> str:
    rows, numbers = task.source.shape
    # A name in a code span is shown as it is, whatever it holds.
    data = task.source.name.replace("`", "'")
    parts = [
        "# Comparison of methods",
        f"`{data}`: {rows} rows of {numbers} numbers, {task.n_clusters} clusters; "
        f"seeds {', '.join(map(str, task.seeds))}; subspan {__version__}.",
        _escaped(tables.main_grid(task, outcomes)).markdown(),
        "\n".join(f"- {line}" for line in tables.legend(task, outcomes)),
    ]
    if has_figure:
        parts.append(f"![Comparison of methods]({FILE_STEM}.svg)")
    if sum(bool(outcome.trials) for outcome in outcomes) > 1:
        parts += ["## Agreement", tables.agreement_grid(outcomes).markdown()]
    settings = [f"- {outcome.method}: {_written(outcome)}" for outcome in outcomes if outcome.parameters]
    if settings:
        parts += ["## Parameters other than the defaults", "\n".join(settings)]
    return "\n\n".join(parts) + "\n"


def _written(outcome: Outcome) -> str:
    return ", ".join(f"{name} = {value}" for name, value in outcome.parameters.items())


def _escaped(grid: Grid) -> Grid:
    """The grid with sentences that cannot end a cell of a Markdown table."""
    width = len(grid.columns)
    lines = [[str(field).replace("|", "\\|") for field in line] for line in grid.lines]
    return Grid(grid.columns, [line + [""] * (width - len(line)) for line in lines])
