"""Clusters against the true classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from subspan.plotting import fitted
from subspan.plotting.display import Display, percent_label, shown_names
from subspan.plotting.numbers import Confusion, confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Cells with room for their number.
MAX_WRITTEN = 15


class ConfusionDisplay(Display):
    """How many points of each true class are in each cluster; clusters stand below the class they match.

    Parameters
    ----------
    numbers : Confusion
        From `subspan.plotting.numbers.confusion`.

    Examples
    --------
    >>> from subspan.plotting import ConfusionDisplay
    >>> display = ConfusionDisplay.from_predictions(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    >>> display.ax_.get_title()
    '75 % of the points are in the cluster of their class'
    """

    numbers: Confusion
    _size = (5.6, 4.8)

    @classmethod
    def from_estimator(cls, estimator: Any, labels_true: ArrayLike, *, ax: Axes | None = None) -> Self:
        """Plot the clusters of a fitted estimator against the true classes.

        Parameters
        ----------
        estimator : fitted estimator
            Any method of subspan.
        labels_true : array-like of shape (n_points,)
            True class of every point.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls.from_predictions(labels_true, fitted.labels_of(estimator), ax=ax)

    @classmethod
    def from_predictions(
        cls, labels_true: ArrayLike, labels_pred: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Plot any labels against the true classes.

        Parameters
        ----------
        labels_true : array-like of shape (n_points,)
            True class of every point.
        labels_pred : array-like of shape (n_points,)
            Cluster of every point; -1 is never matched with a class.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(confusion(labels_true, labels_pred)).plot(ax)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        picture = ax.imshow(found.table, cmap="Blues", vmin=0, interpolation="nearest")
        if max(found.table.shape) <= MAX_WRITTEN:
            self._write_counts(ax)
        for names, set_ticks in ((found.clusters, ax.set_xticks), (found.classes, ax.set_yticks)):
            places, texts = shown_names(range(len(names)), names.tolist())
            set_ticks(places, texts)
        if max(len(label.get_text()) for label in ax.get_xticklabels()) > 2:
            ax.tick_params(axis="x", rotation=90)
        ax.figure.colorbar(picture, ax=ax, label="number of points")
        title = f"{percent_label(found.accuracy)} of the points are in the cluster of their class"
        self._describe(ax, title, "cluster, in the order of the classes", "true class")

    def _write_counts(self, ax: Axes) -> None:
        table = self.numbers.table
        for row, counts in enumerate(table):
            for column, count in enumerate(counts):
                colour = "white" if count > table.max() / 2 else "black"
                if count:
                    ax.text(column, row, str(count), ha="center", va="center", color=colour, fontsize="small")
