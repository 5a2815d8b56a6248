"""Stage 3: the leading eigenvectors of the normalised affinity, and evidence that they are the right ones."""

from subspan.embedding.atoms import atom_embedding
from subspan.embedding.components import ordered_components
from subspan.embedding.eigen import Eigenpairs, leading_eigenpairs
from subspan.embedding.shared import gap_dimension, largest_dimension
from subspan.embedding.spectral import spectral_embedding

__all__ = [
    "Eigenpairs",
    "atom_embedding",
    "gap_dimension",
    "largest_dimension",
    "leading_eigenpairs",
    "ordered_components",
    "spectral_embedding",
]
