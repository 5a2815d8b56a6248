"""Scalable subspace clustering.

>>> from subspan import S3COMPC
>>> S3COMPC(n_clusters=38)
S3COMPC(n_clusters=38)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subspan.comparison.comparing import compare
    from subspan.diagnosis import diagnose
    from subspan.methods import (
        ESC,
        LRSC,
        LSR,
        OLRSC,
        S3COMP,
        S3COMPC,
        SCC,
        SRSSC,
        SSCOMP,
        ElasticNetSC,
    )
    from subspan.model import Model, load
    from subspan.tuning import SubspaceClustering, estimate_n_clusters

__version__ = "0.1.0"

__all__ = [
    "ESC",
    "LRSC",
    "LSR",
    "OLRSC",
    "S3COMP",
    "S3COMPC",
    "SCC",
    "SRSSC",
    "SSCOMP",
    "ElasticNetSC",
    "Model",
    "SubspaceClustering",
    "__version__",
    "compare",
    "diagnose",
    "estimate_n_clusters",
    "load",
]

# What is not a method of its own; all others are in `subspan.methods`.
ROOMS = {
    "compare": "subspan.comparison.comparing",
    "diagnose": "subspan.diagnosis",
    "SubspaceClustering": "subspan.tuning",
    "estimate_n_clusters": "subspan.tuning",
    "Model": "subspan.model",
    "load": "subspan.model",
}


def __getattr__(name: str) -> object:
    # Estimators are imported when first asked for, so that the command line answers at once.
    if name in __all__:
        return getattr(importlib.import_module(ROOMS.get(name, "subspan.methods")), name)
    raise AttributeError(f"module 'subspan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
