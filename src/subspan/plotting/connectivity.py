"""How well the graph holds each cluster together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from subspan.plotting.display import short_name, shown_names
from subspan.plotting.graph_display import GraphDisplay
from subspan.plotting.numbers import ClusterConnectivity, cluster_connectivity
from subspan.plotting.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ConnectivityDisplay(GraphDisplay):
    """Algebraic connectivity of each cluster: the larger, the harder it is to split; at 0 it falls apart.

    Parameters
    ----------
    numbers : ClusterConnectivity
        From `subspan.plotting.numbers.cluster_connectivity`.

    Examples
    --------
    >>> import numpy as np
    >>> from subspan.plotting import ConnectivityDisplay
    >>> graph = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    >>> display = ConnectivityDisplay.from_predictions(graph, ["a", "a", "a", "b", "b", "b"])
    >>> [float(bar.get_height()) for bar in display.ax_.patches]
    [1.5, 1.5]
    """

    numbers: ClusterConnectivity
    _measure = staticmethod(cluster_connectivity)

    def _draw(self, ax: Axes) -> None:
        found = self.numbers
        places = np.arange(len(found.values))
        ax.bar(places, found.values, color=COLOURS[5])
        ax.set_ylim(bottom=0)
        apart = places[found.values == 0]
        if len(apart):
            # A bar of no height would be taken for no bar.
            label = f"falls apart: {len(apart)}"
            ax.plot(apart, np.zeros(len(apart)), "X", color=COLOURS[4], clip_on=False, label=label)
            ax.legend()
        shown, names = shown_names(places.tolist(), found.clusters.tolist())
        ax.set_xticks(shown, names, rotation=90 if max(map(len, names)) > 2 else 0)
        ax.grid(alpha=0.3, axis="y")
        weakest = int(np.argmin(found.values))
        title = f"Weakest cluster: {short_name(found.clusters[weakest])}, with {found.values[weakest]:.3g}"
        self._describe(ax, title, "cluster", "algebraic connectivity")
