"""How good a clustering, its coefficients and its graph are, given the true classes.

Normalised mutual information and the adjusted Rand index are in `sklearn.metrics`.
"""

from subspan.metrics.accuracy import clustering_accuracy
from subspan.metrics.connectivity import Connectivity, connectivity
from subspan.metrics.representation import subspace_preserving_error

__all__ = ["Connectivity", "clustering_accuracy", "connectivity", "subspace_preserving_error"]
