"""Data to try the methods on: synthetic subspaces, and the data sets of the paper."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subspan.datasets.loaders import load_coil100, load_extended_yale_b, load_gtsrb, load_mnist
    from subspan.datasets.motion import load_hopkins, make_rigid_motions
    from subspan.datasets.official import build_dataset
    from subspan.datasets.paper import paper_features
    from subspan.datasets.synthetic import make_union_of_subspaces

__all__ = [
    "build_dataset",
    "load_coil100",
    "load_extended_yale_b",
    "load_gtsrb",
    "load_hopkins",
    "load_mnist",
    "make_rigid_motions",
    "make_union_of_subspaces",
    "paper_features",
]

# Function and the module that holds it.
_HOMES = {
    "build_dataset": "subspan.datasets.official",
    "load_coil100": "subspan.datasets.loaders",
    "load_extended_yale_b": "subspan.datasets.loaders",
    "load_gtsrb": "subspan.datasets.loaders",
    "load_hopkins": "subspan.datasets.motion",
    "load_mnist": "subspan.datasets.loaders",
    "make_rigid_motions": "subspan.datasets.motion",
    "make_union_of_subspaces": "subspan.datasets.synthetic",
    "paper_features": "subspan.datasets.paper",
}


def __getattr__(name: str) -> object:
    # Functions are imported when first asked for: the command line reads the catalog without waiting.
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'subspan.datasets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
