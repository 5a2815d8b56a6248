"""Parameters of the methods, each declared once: for constructor, checks, docstring and command line.

Nothing scientific is imported here, so that the command line can show its help at once.
"""

from subspan.parameters.declaring import changed, parameter
from subspan.parameters.kinds import (
    above_zero,
    boolean,
    folder,
    generator,
    memory_size,
    one_of,
    real,
    share,
    span,
    whole,
)
from subspan.parameters.listing import Parameter, check_parameters, declared
from subspan.parameters.shared import InBlocks, OffOrigin, Prepares, Shared

__all__ = [
    "InBlocks",
    "OffOrigin",
    "Parameter",
    "Prepares",
    "Shared",
    "above_zero",
    "boolean",
    "changed",
    "check_parameters",
    "declared",
    "folder",
    "generator",
    "memory_size",
    "one_of",
    "parameter",
    "real",
    "share",
    "span",
    "whole",
]
