"""What an experiment hands out: tables as CSV and Markdown, figures as numbers, caption and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from subspan.execution.files import whole_file
from subspan.grids import Field, Grid


@dataclass(frozen=True)
class Table:
    """A table of the paper: every number in one grid, and several grids for a person."""

    name: str
    title: str
    numbers: Grid
    grids: Sequence[Grid]
    notes: Sequence[str]


@dataclass(frozen=True)
class Curve:
    """Points of one line, or heights of one group of bars, or one row of an image."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    # Standard deviations over the trials; empty if there was one trial only.
    deviations: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """One set of axes. In an image x runs to the right, curves upwards, and y is the intensity."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    kind: Literal["lines", "bars", "image"] = "lines"
    logarithmic: Literal["", "x", "y", "xy"] = ""
    # Whether the vertical axis begins at zero, for what is to look as stable as it is.
    from_zero: bool = False
    # What the curves differ in, such as "delta".
    legend: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure of the paper."""

    name: str
    title: str
    caption: str
    panels: Sequence[Panel]
    notes: Sequence[str]
    # Panels side by side.
    n_columns: int

    @property
    def numbers(self) -> Grid:
        """Everything that is drawn."""
        lines: list[list[Field]] = []
        for panel in self.panels:
            for curve in panel.curves:
                deviations: Sequence[Field] = curve.deviations or [""] * len(curve.x)
                lines += [
                    [panel.title, curve.label, x, y, deviation]
                    for x, y, deviation in zip(curve.x, curve.y, deviations, strict=True)
                ]
        return Grid(["panel", "curve", "x", "y", "sd"], lines)


Document = Table | Figure


def write_document(document: Document, folder: Path) -> list[Path]:
    """Write the files of a table or figure and say which."""
    return _write_table(document, folder) if isinstance(document, Table) else _write_figure(document, folder)


def _write_table(table: Table, folder: Path) -> list[Path]:
    parts = [f"# {table.title}", *(grid.markdown() for grid in table.grids), _bullets(table.notes)]
    return [
        _write(folder / f"{table.name}.csv", table.numbers.csv().encode()),
        _write(folder / f"{table.name}.md", "\n\n".join(parts).encode() + b"\n"),
    ]


def _write_figure(figure: Figure, folder: Path) -> list[Path]:
    # Imported here: tables need no matplotlib.
    from subspan.reproduction.drawing import draw_figure

    picture = f"![{figure.title}]({figure.name}.svg)"
    parts = [f"# {figure.title}", picture, figure.caption, _bullets(figure.notes)]
    return [
        _write(folder / f"{figure.name}.csv", figure.numbers.csv().encode()),
        _write(folder / f"{figure.name}.md", "\n\n".join(parts).encode() + b"\n"),
        *(_write(folder / f"{figure.name}.{kind}", draw_figure(figure, kind)) for kind in ("svg", "png")),
    ]


def _bullets(notes: Sequence[str]) -> str:
    return "\n".join(f"- {note}" for note in notes)


def _write(path: Path, content: bytes) -> Path:
    with whole_file(path) as file:
        file.write(content)
    return path
