"""The graph with the points of each cluster side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subspan.plotting.display import percent_label, shown_names
from subspan.plotting.graph_display import GraphDisplay
from subspan.plotting.numbers import OrderedAffinity, ordered_affinity
from subspan.plotting.style import COLOURS, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of the non-zero cells that are told apart by their colour.
BRIGHTEST = 0.99
# Lines around more clusters would hide them.
MAX_SQUARES = 50


class AffinityDisplay(GraphDisplay):
    """The affinity with its points ordered by cluster: squares along the diagonal, and little else, are good.

    Of more than 400 points, neighbours share a cell, which shows their mean weight. The colour grows with the
    square root of the weight, so that weak links between clusters can be seen.

    Parameters
    ----------
    numbers : OrderedAffinity
        From `subspan.plotting.numbers.ordered_affinity`.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.plotting import AffinityDisplay
    >>> graph = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    >>> AffinityDisplay.from_predictions(graph, [0, 0, 0, 1, 1, 1]).ax_.get_title()
    '100 % of the weight lies inside clusters'
    """

    numbers: OrderedAffinity
    _size = (5.6, 4.8)
    _measure = staticmethod(ordered_affinity)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        colors = require_matplotlib("matplotlib.colors")
        n_points = int(found.edges[-1])
        # A few strong cells would make all others pale.
        brightest = np.quantile(found.grid[found.grid > 0], BRIGHTEST)
        norm = colors.PowerNorm(0.5, vmin=0, vmax=brightest)
        picture = ax.imshow(found.grid, cmap="Blues", norm=norm, extent=(0, n_points, n_points, 0))
        if len(found.clusters) <= MAX_SQUARES:
            # Two flights of stairs are the squares on the diagonal.
            stairs = np.repeat(found.boundaries, 2)
            for x, y in ((stairs[1:], stairs[:-1]), (stairs[:-1], stairs[1:])):
                ax.plot(x, y, color=COLOURS[4], linewidth=0.6)
        middles = (found.boundaries[:-1] + found.boundaries[1:]) / 2
        places, names = shown_names(middles.tolist(), found.clusters.tolist())
        ax.set_xticks(places, names, rotation=90 if max(map(len, names)) > 2 else 0)
        ax.set_yticks(places, names)
        ax.figure.colorbar(picture, ax=ax, label="mean weight", extend="max")
        title = f"{percent_label(found.inside_total)} of the weight lies inside clusters"
        self._describe(ax, title, "cluster of the point", "cluster of the point")
