"""Data to try the methods on."""

from subspan.datasets.synthetic import make_union_of_subspaces

__all__ = ["make_union_of_subspaces"]
