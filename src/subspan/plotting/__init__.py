"""Plots of a clustering, as displays in the manner of scikit-learn.

Each has `from_estimator`, which takes a fitted estimator, and `from_predictions`, which takes results of any
origin. The numbers behind them are in `subspan.plotting.numbers` and need no matplotlib.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subspan.plotting.affinity import AffinityDisplay
    from subspan.plotting.confusion import ConfusionDisplay
    from subspan.plotting.connectivity import ConnectivityDisplay
    from subspan.plotting.convergence import ConvergenceDisplay
    from subspan.plotting.embedding import EmbeddingDisplay
    from subspan.plotting.evidence import EvidenceDisplay
    from subspan.plotting.representatives import RepresentativesDisplay
    from subspan.plotting.residual import ResidualDisplay
    from subspan.plotting.search import SearchDisplay
    from subspan.plotting.singular_values import SingularValuesDisplay
    from subspan.plotting.spectrum import SpectrumDisplay
    from subspan.plotting.support import SupportDisplay

__all__ = [
    "AffinityDisplay",
    "ConfusionDisplay",
    "ConnectivityDisplay",
    "ConvergenceDisplay",
    "EmbeddingDisplay",
    "EvidenceDisplay",
    "RepresentativesDisplay",
    "ResidualDisplay",
    "SearchDisplay",
    "SingularValuesDisplay",
    "SpectrumDisplay",
    "SupportDisplay",
]

# Display and the module that holds it.
_HOMES = {
    "AffinityDisplay": "subspan.plotting.affinity",
    "ConfusionDisplay": "subspan.plotting.confusion",
    "ConnectivityDisplay": "subspan.plotting.connectivity",
    "ConvergenceDisplay": "subspan.plotting.convergence",
    "EmbeddingDisplay": "subspan.plotting.embedding",
    "EvidenceDisplay": "subspan.plotting.evidence",
    "RepresentativesDisplay": "subspan.plotting.representatives",
    "ResidualDisplay": "subspan.plotting.residual",
    "SearchDisplay": "subspan.plotting.search",
    "SingularValuesDisplay": "subspan.plotting.singular_values",
    "SpectrumDisplay": "subspan.plotting.spectrum",
    "SupportDisplay": "subspan.plotting.support",
}


def __getattr__(name: str) -> object:
    # Displays are imported when first asked for, and matplotlib when one of them draws.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'subspan.plotting' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
