"""Pictures of figures by matplotlib, without its global state."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from typing import Any

from subspan.plotting.style import COLOURS, MARKERS, STYLE, require_matplotlib
from subspan.reproduction.documents import Curve, Figure, Panel
from subspan.reproduction.published import number_in

# Width and height of a panel in inches.
PANEL_SIZE = (4.8, 3.2)
# Characters in a line of a legend's title.
LEGEND_WIDTH = 14


def draw_figure(figure: Figure, kind: str) -> bytes:
    """The figure as a file of `kind`, "svg" or "png"."""
    matplotlib = require_matplotlib()
    pictures = require_matplotlib("matplotlib.figure")
    n_rows = -(-len(figure.panels) // figure.n_columns)
    content = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        canvas = pictures.Figure(
            figsize=(figure.n_columns * PANEL_SIZE[0], n_rows * PANEL_SIZE[1]), layout="constrained"
        )
        grid = canvas.subplots(n_rows, figure.n_columns, squeeze=False)
        for position, axes in enumerate(grid.flat):
            if position < len(figure.panels):
                _draw_panel(axes, figure.panels[position], _letter(position, len(figure.panels)), matplotlib)
            else:
                axes.set_axis_off()
        # A date would make every file a new one.
        dateless = {"Date": None} if kind == "svg" else {}
        canvas.savefig(content, format=kind, dpi=150, metadata=dateless)
    return content.getvalue()


def _letter(position: int, n_panels: int) -> str:
    return f"({chr(ord('a') + position)}) " if n_panels > 1 else ""


def _draw_panel(axes: Any, panel: Panel, letter: str, matplotlib: Any) -> None:
    axes.set_title(letter + panel.title)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    {"lines": _draw_lines, "bars": _draw_bars, "image": _draw_image}[panel.kind](axes, panel, matplotlib)


def _draw_lines(axes: Any, panel: Panel, matplotlib: Any) -> None:
    styles = zip(panel.curves, _colours(panel.curves, matplotlib), strict=True)
    for position, (curve, colour) in enumerate(styles):
        axes.errorbar(
            curve.x,
            curve.y,
            yerr=curve.deviations or None,
            label=curve.label,
            color=colour,
            marker=MARKERS[position % len(MARKERS)],
            markersize=4,
            linewidth=1.2,
            capsize=2,
        )
    if "x" in panel.logarithmic:
        places = panel.curves[0].x
        axes.set_xscale("log")
        axes.set_xticks(places, [f"{x:g}" for x in places])
        axes.minorticks_off()
    if panel.from_zero:
        axes.set_ylim(0, 1.15 * axes.get_ylim()[1])
    if "y" in panel.logarithmic:
        axes.set_yscale("log")
    if len(panel.curves) > 1:
        _name_curves(axes, panel.legend)


def _name_curves(axes: Any, title: str) -> None:
    """A legend beside the axes: ten curves leave no room for it between them."""
    axes.legend(
        title=textwrap.fill(title, LEGEND_WIDTH) or None,
        fontsize=7,
        title_fontsize=7,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
    )


def _colours(curves: Sequence[Curve], matplotlib: Any) -> list[Any]:
    """Curves that stand for numbers get a ramp from dark to light, the others colours of their own."""
    ramp = matplotlib.colormaps["viridis"]
    n_numbers = sum(number_in(curve.label) is not None for curve in curves)
    # The light end of the ramp is hard to see on white.
    shades = iter([ramp(0.9 * i / max(n_numbers - 1, 1)) for i in range(n_numbers)])
    own = iter(COLOURS * (1 + len(curves) // len(COLOURS)))
    return [next(own) if number_in(curve.label) is None else next(shades) for curve in curves]


def _draw_bars(axes: Any, panel: Panel, matplotlib: Any) -> None:
    width = 0.8 / max(len(panel.curves), 1)
    styles = zip(panel.curves, _colours(panel.curves, matplotlib), strict=True)
    for position, (curve, colour) in enumerate(styles):
        shift = (position - (len(panel.curves) - 1) / 2) * width
        axes.bar([x + shift for x in curve.x], curve.y, width, label=curve.label, color=colour)
    axes.set_xticks(panel.curves[0].x)
    _name_curves(axes, panel.legend)


def _draw_image(axes: Any, panel: Panel, _: Any) -> None:
    picture = axes.imshow(
        [curve.y for curve in panel.curves],
        origin="lower",
        aspect="auto",
        cmap="gray",
        interpolation="nearest",
    )
    columns = panel.curves[0].x
    # Every fourth of many columns has room for its number.
    step = 4 if len(columns) > 8 else 1
    shown = range(step - 1, len(columns), step)
    axes.set_xticks(list(shown), [f"{columns[i]:g}" for i in shown])
    axes.set_yticks(range(len(panel.curves)), [curve.label for curve in panel.curves])
    axes.grid(visible=False)
    axes.figure.colorbar(picture, ax=axes)
