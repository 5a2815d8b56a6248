"""Orthonormal bases from blocks of vectors that may be dependent, tiny or empty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

# A unit column is in the known space if less than this remains after projection.
SMALLEST_REMAINDER = 1e-10
# Eigenvalue of the Gram matrix of unit columns below which a direction counts as dependent. Its root,
# 1e-6, is far above rounding errors.
SMALLEST_GRAM_EIGENVALUE = 1e-12


def orthonormal_directions(
    block: NDArray[np.float64], known: Sequence[NDArray[np.float64]] = ()
) -> NDArray[np.float64]:
    """Orthonormal basis of the part of `block` that is orthogonal to the known orthonormal vectors.

    Directions that depend on the known ones or on each other are left out, so the result may have
    fewer columns than `block`, or none.

    Parameters
    ----------
    block : array of shape (n, b)
        Vectors in columns, of any length.
    known : sequence of arrays of shape (n, m_i)
        Orthonormal columns, mutually orthogonal between arrays.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.eye(4)[:, :1]
    >>> block = np.array([[1.0, 2.0, 5.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> np.abs(orthonormal_directions(block, [known])).round(12).ravel().tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    # Twice, because the first pass leaves rounding errors relative to the long original columns.
    block = _unit_columns(block, smallest=0.0)
    for _ in range(2):
        for basis in known:
            block = block - basis @ (basis.T @ block)
        block = _whitened(_unit_columns(block, smallest=SMALLEST_REMAINDER))
    return block


def _unit_columns(block: NDArray[np.float64], smallest: float) -> NDArray[np.float64]:
    norms = np.linalg.norm(block, axis=0)
    kept = norms > smallest
    unit: NDArray[np.float64] = block[:, kept] / norms[kept]
    return unit


def _whitened(block: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotate and rescale so that the Gram matrix becomes the identity; only matrix products."""
    if block.shape[1] == 0:
        return block
    eigenvalues, rotation = eigh(block.T @ block)
    kept = eigenvalues > SMALLEST_GRAM_EIGENVALUE
    white: NDArray[np.float64] = block @ (rotation[:, kept] / np.sqrt(eigenvalues[kept]))
    return white
