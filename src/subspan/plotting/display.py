"""What all displays share: an axes to draw on, and names of clusters along it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from subspan.plotting.style import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Names of clusters along an axis: more would run into each other.
MAX_NAMES = 15
# Characters of a name: longer ones leave no room for the picture.
MAX_LETTERS = 16


class Display:
    """A plot of some numbers; a kind of plot says how it is drawn.

    Parameters
    ----------
    numbers : dataclass
        What the function of the same name in `subspan.plotting.numbers` returned.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where `plot` has drawn.
    figure_ : matplotlib Figure
        The figure around it.
    """

    # Width and height in inches of a figure of its own.
    _size: ClassVar[tuple[float, float]] = (5.6, 4.0)

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on `ax`, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        self
            With `ax_`, the axes that it has drawn on, and `figure_`, the figure around them.
        """
        pyplot = require_matplotlib("matplotlib.pyplot")
        if ax is None:
            ax = pyplot.figure(figsize=self._figure_size(), layout="constrained").subplots()
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _figure_size(self) -> tuple[float, float]:
        return self._size

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError

    def _describe(self, ax: Axes, title: str, x_label: str, y_label: str) -> None:
        """Say what there is to see."""
        ax.set_title(title, fontsize="medium", wrap=True)
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)


def shown_names(places: Sequence[float], names: Sequence[Any]) -> tuple[list[float], list[str]]:
    """Places and texts of the names along an axis that have room, at most about 15.

    Examples
    --------
    >>> shown_names([0.0, 50.0, 51.0, 100.0], ["a", "b", "c", "a very long name of a cluster"])
    ([0.0, 50.0, 100.0], ['a', 'b', 'a very long nam…'])
    """
    room = (places[-1] - places[0]) / MAX_NAMES
    shown: list[int] = []
    for number, place in enumerate(places):
        if not shown or place - places[shown[-1]] >= room:
            shown.append(number)
    return [places[number] for number in shown], [short_name(names[number]) for number in shown]


def short_name(name: Any) -> str:
    r"""A cluster's name as it is printed: no markup, no more letters than there is room for.

    Examples
    --------
    >>> short_name(-1), short_name("$x$")
    ('-1', '\\$x\\$')
    """
    text = " ".join(str(name).split())
    cut = text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"
    # What begins with an underscore matplotlib leaves unnamed.
    return escaped(" " * cut.startswith("_") + cut)


def escaped(text: str) -> str:
    """A text as it is printed: between dollars matplotlib would read mathematics."""
    return text.replace("$", r"\$")


def percent_label(share: float) -> str:
    """A share in per cent, with three digits.

    Examples
    --------
    >>> percent_label(0.875)
    '87.5 %'
    """
    return f"{100 * share:.3g} %"
