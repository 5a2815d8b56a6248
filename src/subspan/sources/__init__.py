"""Where rows come from: blocks of rows out, whatever holds them."""

from subspan.sources.array import ArraySource, Packed, unpacked_source
from subspan.sources.base import Source
from subspan.sources.cubes import PixelSource
from subspan.sources.lifting import Lifted, lifted, with_constant
from subspan.sources.opening import open_source, read_in_pieces
from subspan.sources.scanning import Scan, in_memory, scan
from subspan.sources.views import Subset, UnitRows

__all__ = [
    "ArraySource",
    "Lifted",
    "Packed",
    "PixelSource",
    "Scan",
    "Source",
    "Subset",
    "UnitRows",
    "in_memory",
    "lifted",
    "open_source",
    "read_in_pieces",
    "scan",
    "unpacked_source",
    "with_constant",
]
