"""Settings of a method side by side, without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from subspan.plotting.display import Display, escaped
from subspan.plotting.numbers import SettingScores, setting_scores
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from subspan.base import SubspaceMethod


class SearchDisplay(Display):
    """How far each setting of a method agrees with the consensus, and the gap of its spectrum; best on top.

    Parameters
    ----------
    numbers : SettingScores
        From `subspan.plotting.numbers.setting_scores`.

    Examples
    --------
    >>> from subspan.plotting import SearchDisplay
    >>> rows = [
    ...     {"n_neighbors": 5, "agreement": 0.7, "gap": 0.1, "left_out": 0},
    ...     {"n_neighbors": 8, "agreement": 0.9, "gap": 0.2, "left_out": 3},
    ... ]
    >>> SearchDisplay.from_predictions(rows).ax_.get_title()
    'The best of 2 agrees to 0.90 with the consensus'
    """

    numbers: SettingScores

    @classmethod
    def from_estimator(
        cls,
        estimator: SubspaceMethod,
        X: ArrayLike,
        grid: Mapping[str, Sequence[Any]],
        *,
        ax: Axes | None = None,
    ) -> Self:
        """Search the settings of a grid by `subspan.tuning.search`, and plot them.

        Parameters
        ----------
        estimator : estimator of this package
            With the number of clusters and all that the grid leaves alone. It is not changed.
        X : array-like of shape (n_samples, n_features)
            The points.
        grid : dict
            Values to try, by name of the parameter.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        from subspan.tuning import search

        return cls.from_predictions(search(X, estimator, grid), ax=ax)

    @classmethod
    def from_predictions(cls, rows: Sequence[Mapping[str, Any]], *, ax: Axes | None = None) -> Self:
        """Plot what `subspan.tuning.search` returned.

        Parameters
        ----------
        rows : sequence of dict
            A row for each setting.
        ax : matplotlib Axes, optional
            A new figure by default.
        """
        return cls(setting_scores(rows)).plot(ax)

    def _figure_size(self) -> tuple[float, float]:
        return 7.0, 1.3 + 0.24 * len(self.numbers.names)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        places = np.arange(len(found.names))
        ax.barh(places, found.agreement, height=0.6, color=COLOURS[2])
        ax.plot(found.gap, places, "D", markersize=4, color=COLOURS[4])
        names = [
            escaped(name) + (f" ({left_out} left out)" if left_out else "")
            for name, left_out in zip(found.names, found.left_out, strict=True)
        ]
        ax.set_yticks(places, names, fontsize="small")
        ax.invert_yaxis()
        ax.set_xlim(min(0.0, float(found.agreement.min())), 1.0)
        ax.grid(alpha=0.3, axis="x")
        title = f"The best of {found.n_settings} agrees to {found.agreement[0]:.2f} with the consensus"
        shown = f"the best {len(places)} settings" if len(places) < found.n_settings else "settings"
        self._describe(ax, title, "bar: adjusted Rand index; diamond: gap of the spectrum", shown)
