"""Where rows come from: blocks of rows out, whatever holds them."""

from subspan.sources.array import ArraySource
from subspan.sources.base import Source

__all__ = ["ArraySource", "Source"]
