"""Builders: the official releases of the data sets turned into files of the data folder."""

from subspan.datasets.official.build import build_dataset

__all__ = ["build_dataset"]
