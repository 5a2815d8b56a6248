"""One file for each published method: its parameters, its paper, an example and a short body."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from subspan.methods.registry import PLACES

if TYPE_CHECKING:
    from subspan.methods.ensc import ElasticNetSC
    from subspan.methods.esc import ESC
    from subspan.methods.lrsc import LRSC
    from subspan.methods.lsr import LSR
    from subspan.methods.olrsc import OLRSC
    from subspan.methods.s3comp import S3COMP, S3COMPC
    from subspan.methods.scc import SCC
    from subspan.methods.sr_ssc import SRSSC
    from subspan.methods.ssc_omp import SSCOMP

__all__ = ["ESC", "LRSC", "LSR", "OLRSC", "S3COMP", "S3COMPC", "SCC", "SRSSC", "SSCOMP", "ElasticNetSC"]


def __getattr__(name: str) -> object:
    # Estimators are imported when first asked for, so that the command line knows their names at once.
    for place in PLACES.values():
        if place.estimator == name and name in __all__:
            return getattr(importlib.import_module(place.module), name)
    raise AttributeError(f"module 'subspan.methods' has no attribute {name!r}")
