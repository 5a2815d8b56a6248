"""Numbers that belong to the atoms of a dictionary, wherever they are kept."""

from __future__ import annotations

from subspan.kernels.jit import part
from subspan.kernels.state import Dictionary


@part
def atom_at(dictionary: Dictionary, position: int) -> int:
    """Where the atom at `position` of the dictionary stands among all atoms in memory."""
    return dictionary.columns[position] if dictionary.columns.shape[0] > 0 else position


@part
def number_at(dictionary: Dictionary, position: int) -> int:
    """Number of the atom at `position` of the dictionary."""
    return dictionary.numbers[position] if dictionary.numbers.shape[0] > 0 else position


@part
def gram_place(dictionary: Dictionary, position: int) -> int:
    """Row and column of the atom at `position` in the Gram matrix, which may be that of all atoms."""
    return dictionary.columns[position] if dictionary.coarse.shape[0] > 0 else position
