"""Largest eigenpairs of a symmetric operator, with evidence that none was missed.

The search moves a block of as many vectors as pairs are wanted, and three more. So repeated and nearly
repeated eigenvalues are found, which a solver with a single starting vector misses without a word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from subspan.embedding.search import CountedProduct, Product, RitzPairs, search
from subspan.execution.steps import steps

# Up to this size, or with more than a fifth of the spectrum wanted, a dense solver is faster.
DENSE_SIZE = 600
DENSE_SHARE = 5
GUARD_VECTORS = 3
# Residual asked of the first pair beyond the wanted ones: enough to see the gap.
LOOSE_TOL = 1e-2
PROBE_WIDTH = 4
PROBE_STEPS = 6
# One step of the search, and the probe.
FEWEST_PRODUCTS = PROBE_STEPS + 1
# A probe that exceeds the smallest wanted eigenvalue by more than this has found a missed pair.
PROBE_EXCESS = 1e-4


@dataclass(frozen=True)
class Eigenpairs:
    """The wanted pairs, largest first, then the few beyond them that came with the search."""

    n_wanted: int
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    residuals: NDArray[np.float64]
    converged: bool
    # Largest eigenvalue seen outside the wanted pairs minus the smallest wanted one; 0 without either.
    probe_excess: float
    n_products: int


def leading_eigenpairs(
    product: Product,
    size: int,
    n_wanted: int,
    *,
    locked: NDArray[np.float64] | None = None,
    start: NDArray[np.float64] | None = None,
    row_cost: float = np.inf,
    seed: int = 0,
    tol: float = 1e-6,
    max_products: int = 2000,
) -> Eigenpairs:
    """Largest eigenpairs of a symmetric operator inside the complement of known eigenvectors.

    Parameters
    ----------
    product : callable
        Maps an array of shape (size, b) to the operator times that array.
    size : int
        Order of the operator.
    n_wanted : int
        Number of pairs, counted outside `locked`.
    locked : array of shape (size, c), optional
        Orthonormal eigenvectors that are known already; the search stays orthogonal to them.
    start : array of shape (size, b), optional
        Vectors near the wanted ones, for example from an earlier, looser call.
    row_cost : float
        Multiplications in a row of the product. Few of them, as in a very sparse graph, call for more
        products and a smaller basis.
    seed : int
        Fixes the random start and the probe.
    tol : float
        Largest ||S v - theta v|| of a wanted pair, which also bounds the error of each eigenvalue.
    max_products : int
        Largest number of products with a block; then the best so far is returned, not converged.

    Returns
    -------
    Eigenpairs
        The wanted pairs and up to three beyond them. Of those only the first has been iterated, to a
        residual of 1e-2; the others are what the search had at its end.

    Notes
    -----
    After the search a fresh random block, orthogonal to what was found, is iterated a few times. If it
    shows a larger eigenvalue than the smallest wanted one, the search goes on with that block included.

    Examples
    --------
    >>> import numpy as np
    >>> spectrum = np.linspace(-1.0, 0.5, 1000)
    >>> spectrum[:4] = [0.9, 0.8, 0.8, 0.8]
    >>> pairs = leading_eigenpairs(lambda block: spectrum[:, None] * block, 1000, 4)
    >>> pairs.values[:4].round(6).tolist(), pairs.converged
    ([0.9, 0.8, 0.8, 0.8], True)
    """
    counted = CountedProduct(product, row_cost)
    known = np.empty((size, 0)) if locked is None else locked
    n_pairs = min(n_wanted + GUARD_VECTORS, size - known.shape[1])
    if size <= DENSE_SIZE or n_pairs * DENSE_SHARE > size:
        pairs = _dense_pairs(counted, known, n_pairs)
        # The whole spectrum is known here: what a probe could find is the next pair.
        beyond = pairs.values[n_wanted : n_wanted + 1]
        excess = float(beyond[0] - pairs.values[n_wanted - 1]) if n_wanted and beyond.size else 0.0
    else:
        begin = np.empty((size, 0)) if start is None else start
        rng = np.random.default_rng(seed)
        limit = max_products - PROBE_STEPS
        with steps("products", max_products, at_most=True) as counted.watcher:
            pairs, excess = _probed_pairs(counted, limit, known, begin, _tolerances(n_wanted, tol), rng)
    converged = bool(np.all(pairs.residuals[:n_wanted] <= tol)) and excess <= PROBE_EXCESS
    return Eigenpairs(
        min(n_wanted, n_pairs), pairs.values, pairs.vectors, pairs.residuals, converged, excess, counted.used
    )


def _tolerances(n_wanted: int, tol: float) -> NDArray[np.float64]:
    """Largest residual for each pair of the block: the wanted ones, one to show the gap, guards."""
    guards = np.full(GUARD_VECTORS - 1, np.inf)
    return np.concatenate([np.full(n_wanted, tol), [max(tol, LOOSE_TOL)], guards])


def _dense_pairs(product: CountedProduct, locked: NDArray[np.float64], n_pairs: int) -> RitzPairs:
    matrix = product(np.eye(len(locked)))
    # Moves the known eigenvectors below the rest of the spectrum; projected out they would be zeros,
    # which is above a negative eigenvalue.
    drop = 1.0 + 2.0 * np.abs(matrix).sum(axis=1).max()
    values, vectors = eigh((matrix + matrix.T) / 2 - drop * (locked @ locked.T))
    values, vectors = values[::-1][:n_pairs], vectors[:, ::-1][:, :n_pairs]
    return RitzPairs(values, vectors, np.linalg.norm(matrix @ vectors - vectors * values, axis=0))


def _probed_pairs(
    product: CountedProduct,
    limit: int,
    locked: NDArray[np.float64],
    start: NDArray[np.float64],
    tolerances: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[RitzPairs, float]:
    """Search, probe what is left, and search again with the probe while it finds a missed pair."""
    n_wanted = tolerances.size - GUARD_VECTORS
    while True:
        pairs = search(product, limit, locked, start, tolerances, rng)
        if n_wanted == 0:
            return pairs, 0.0
        found = np.hstack([locked, pairs.vectors[:, :n_wanted]])
        probe = _probe(product, found, rng)
        excess = float(probe.values[0] - pairs.values[n_wanted - 1])
        if excess <= PROBE_EXCESS or product.used >= limit:
            return pairs, excess
        start = np.hstack([pairs.vectors, probe.vectors])


def _probe(product: CountedProduct, found: NDArray[np.float64], rng: np.random.Generator) -> RitzPairs:
    nothing = np.empty((len(found), 0))
    # Tolerances no residual meets, so that every step is taken.
    return search(product, product.used + PROBE_STEPS, found, nothing, np.full(PROBE_WIDTH, -1.0), rng)
