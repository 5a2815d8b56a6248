"""The files of a comparison: tables, the figure, and the labels of the first trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from subspan import __version__
from subspan.comparison import tables
from subspan.comparison.figure import draw_comparison
from subspan.comparison.place import check_place, is_file
from subspan.comparison.running import Outcome, Task
from subspan.execution.files import whole_file
from subspan.extras import MissingPackageError
from subspan.grids import Grid

FILE_STEM = "comparison"
PICTURES = ("svg", "png")


def write_comparison(place: Path, task: Task, outcomes: Sequence[Outcome]) -> list[str]:
    """Write one file, of the kind that its name says, or all of them to a folder; says which."""
    check_place(place)
    if is_file(place):
        _write(place, WRITERS[place.suffix.lower()](task, outcomes))
        return [f"written: {place}"]
    place.mkdir(parents=True, exist_ok=True)
    files = {f"{FILE_STEM}.csv": _csv(task, outcomes), f"{FILE_STEM}.tex": _latex(task, outcomes)}
    remarks = []
    if any(outcome.trials for outcome in outcomes):
        files["labels.csv"] = tables.labels_grid(outcomes).csv().encode()
        try:
            files |= {f"{FILE_STEM}.{kind}": _picture(kind)(task, outcomes) for kind in PICTURES}
        except MissingPackageError as error:
            remarks.append(f"No figure: {error}")
    has_figure = f"{FILE_STEM}.svg" in files
    files[f"{FILE_STEM}.md"] = _page(task, outcomes, has_figure).encode()
    for name, content in files.items():
        _write(place / name, content)
    return [f"written to {place}: {', '.join(sorted(files))}", *remarks]


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)


def _csv(_: Task, outcomes: Sequence[Outcome]) -> bytes:
    return tables.numbers(outcomes).csv().encode()


def _markdown(task: Task, outcomes: Sequence[Outcome]) -> bytes:
    return _page(task, outcomes, has_figure=False).encode()


def _latex(task: Task, outcomes: Sequence[Outcome]) -> bytes:
    # Line ends in a name would end the comment.
    heading = " ".join(_heading(task, outcomes).split())
    lines = [f"% {heading}", r"% Needs \usepackage{booktabs}."]
    lines += [f"% {line}" for line in tables.legend(task, outcomes)]
    return ("\n".join([*lines, tables.main_grid(task, outcomes).latex()]) + "\n").encode()


def _picture(kind: str) -> Callable[[Task, Sequence[Outcome]], bytes]:
    return lambda _, outcomes: draw_comparison([each for each in outcomes if each.trials], kind)


WRITERS: dict[str, Callable[[Task, Sequence[Outcome]], bytes]] = {
    ".csv": _csv,
    ".md": _markdown,
    ".tex": _latex,
    ".svg": _picture("svg"),
    ".png": _picture("png"),
}


def _heading(task: Task, outcomes: Sequence[Outcome]) -> str:
    rows, numbers = task.source.shape
    # A name in a code span is shown as it is, whatever it holds.
    data = task.source.name.replace("`", "'")
    return (
        f"`{data}`: {rows} rows of {numbers} numbers, {clusters_in_words(outcomes)}; "
        f"seeds {', '.join(map(str, task.seeds))}; subspan {__version__}."
    )


def clusters_in_words(outcomes: Sequence[Outcome]) -> str:
    """How many clusters were asked for."""
    asked = sorted({outcome.contestant.n_clusters for outcome in outcomes})
    return f"{', '.join(map(str, asked))} clusters"


def _page(task: Task, outcomes: Sequence[Outcome], has_figure: bool) -> str:
    parts = [
        "# Comparison of methods",
        _heading(task, outcomes),
        _escaped(tables.main_grid(task, outcomes)).markdown(),
        "\n".join(f"- {line}" for line in tables.legend(task, outcomes)),
    ]
    if has_figure:
        parts.append(f"![Comparison of methods]({FILE_STEM}.svg)")
    if sum(bool(outcome.trials) for outcome in outcomes) > 1:
        parts += ["## Agreement", tables.agreement_grid(outcomes).markdown()]
    settings = [f"- {each.name}: {_written(each)}" for each in outcomes if each.contestant.parameters]
    if settings:
        parts += ["## Parameters other than the defaults", "\n".join(settings)]
    return "\n\n".join(parts) + "\n"


def _written(outcome: Outcome) -> str:
    return ", ".join(f"{name} = {value}" for name, value in outcome.contestant.parameters.items())


def _escaped(grid: Grid) -> Grid:
    """The grid with sentences that cannot end a cell of a Markdown table."""
    width = len(grid.columns)
    lines = [[str(field).replace("|", "\\|") for field in line] for line in grid.lines]
    return Grid(grid.columns, [line + [""] * (width - len(line)) for line in lines], best=grid.best)
