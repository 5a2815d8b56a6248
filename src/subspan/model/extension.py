"""Places of new rows in the embedding of a fit.

The rows of the embedding are those of eigenvectors of D^-1 A, scaled to unit length. Such a vector is at each
point the mean over its neighbours, weighted by the edges, divided by the eigenvalue. So it is known at a new
row as soon as the edges of that row are known, and these are the magnitudes of its code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.affinity.symmetrize import makes_share
from subspan.execution.tiles import norms_of
from subspan.handover import Embedding
from subspan.model.coding import RowCodes

Doubles = NDArray[np.float64]

# A mean over neighbours tells nothing about an eigenvector of a smaller eigenvalue.
SMALLEST_EIGENVALUE = 1e-6
# How far from 1 the only coefficient of a copy may be.
COPY = 1e-6


@dataclass(frozen=True, eq=False)
class Extension:
    """The eigenvectors of D^-1 A at the atoms of a model, and their eigenvalues."""

    # A row for each atom, a column for each eigenvalue.
    vectors: Doubles
    eigenvalues: Doubles

    @classmethod
    def of(cls, embedding: Embedding, rows: NDArray[np.int64]) -> Extension:
        """The eigenvectors at some rows of an embedding that has lengths."""
        assert embedding.lengths is not None
        vectors = embedding.vectors[rows] * embedding.lengths[rows, None]
        return cls(vectors.astype(np.float64), embedding.eigenvalues[: vectors.shape[1]].astype(np.float64))

    def fits(self, n_atoms: int) -> bool:
        """Whether these are finite vectors at so many atoms, and as many eigenvalues."""
        n_rows, n_vectors = self.vectors.shape
        finite = np.isfinite(self.vectors).all() and np.isfinite(self.eigenvalues).all()
        return bool(finite) and n_rows == n_atoms and len(self.eigenvalues) == n_vectors > 0

    def at_atoms(self, atoms: NDArray[np.int64]) -> Doubles:
        """Rows of the embedding."""
        return _unit(self.vectors[atoms])

    def at_codes(self, codes: RowCodes, keep: float) -> Doubles:
        """Rows with these codes, of which the largest coefficients count that make a share `keep` of the sum.

        A copy of an atom up to rounding is where the atom is: an edge to it alone would tell too little.

        Examples
        --------
        >>> extension = Extension(np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([1.0, 0.5]))
        >>> picks = np.array([[0, 1], [0, 1]], np.int32)
        >>> codes = RowCodes(picks, np.array([[0.8, 0.0], [-0.5, 0.5]]), np.array([1, 2]))
        >>> extension.at_codes(codes, 1.0).round(3).tolist()
        [[0.447, 0.894], [1.0, 0.0]]
        """
        edges = np.where(np.arange(codes.picks.shape[1]) < codes.counts[:, None], np.abs(codes.values), 0.0)
        if keep < 1:
            edges = np.where(makes_share(edges, keep), edges, 0.0)
        tells = np.abs(self.eigenvalues) > SMALLEST_EIGENVALUE
        spread = self.vectors * np.where(tells, 1 / np.where(tells, self.eigenvalues, 1.0), 0.0)
        out = np.zeros((len(edges), spread.shape[1]))
        # One atom of each code after the other: the sum of a row does not depend on the rows beside it.
        for place in range(edges.shape[1]):
            out += edges[:, place, None] * spread[codes.picks[:, place]]
        copies = (codes.counts == 1) & (np.abs(edges[:, 0] - 1) < COPY)
        out[copies] = self.vectors[codes.picks[copies, 0]]
        return _unit(out)


def _unit(rows: Doubles) -> Doubles:
    """Rows of length 1; those of zeros stay."""
    lengths = norms_of(rows)
    unit: Doubles = rows / np.where(lengths == 0, 1, lengths)[:, None]
    return unit
