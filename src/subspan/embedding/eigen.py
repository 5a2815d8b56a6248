"""Largest eigenpairs of a symmetric operator, with evidence that none was missed.

The search uses a block of as many vectors as pairs are wanted, and three more. So it finds repeated and
nearly repeated eigenvalues, which a solver with a single starting vector may miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from subspan.embedding.search import BlockSearch, CountedProducts, Doubles, Goal, Product, RitzPairs
from subspan.execution.steps import steps

# Residual of the wanted pairs, and products with a block, unless the caller says otherwise.
TOL = 1e-6
MOST_PRODUCTS = 2000
# Up to this size, or with more than a fifth of the spectrum wanted, a dense solver is faster.
DENSE_SIZE = 600
DENSE_SHARE = 5
# Most vectors of the basis, in blocks; then the search restarts with the best third.
BLOCKS_ON_ALL = 8
KEPT_SHARE = 3
CHEAP_COLUMNS = 256
GUARD_VECTORS = 3
PROBE_WIDTH = 4
PROBE_STEPS = 6
# One step of the search, and the probe, which on the atoms needs one product more.
FEWEST_PRODUCTS = PROBE_STEPS + 2


@dataclass(frozen=True)
class Eigenpairs:
    """The wanted pairs, largest first, then a few more that the search found."""

    n_wanted: int
    values: Doubles
    vectors: Doubles
    residuals: Doubles
    converged: bool
    # Largest eigenvalue seen outside the wanted pairs minus the smallest wanted one; 0 without either.
    probe_excess: float
    n_products: int
    # Distance from the smallest wanted eigenvalue to the next one.
    gap: float


class RayleighRitz:
    """Pairs of a symmetric operator S in a space: those of V^T S V."""

    images = ("image",)

    def pairs(self, small: Sequence[Doubles], count: int) -> tuple[Doubles, Doubles]:
        """The largest eigenpairs of the small matrix."""
        (whole,) = small
        values, rotation = eigh((whole + whole.T) / 2)
        return values[::-1][:count], rotation[:, ::-1][:, :count]

    def residuals(self, values: Doubles, vectors: Doubles, images: Sequence[Doubles]) -> Doubles:
        """S v - theta v for each pair."""
        return images[0] - vectors * values

    def shrunk(self, small: Sequence[Doubles], count: int) -> tuple[Doubles, Sequence[Doubles]]:
        """The Ritz vectors, in which the small matrix is diagonal."""
        values, rotation = self.pairs(small, count)
        return rotation, [np.diag(values)]


def leading_eigenpairs(
    product: Product,
    size: int,
    n_wanted: int,
    *,
    locked: Doubles | None = None,
    locked_value: float = 1.0,
    start: Doubles | None = None,
    row_cost: float = np.inf,
    invert: Product | None = None,
    seed: int = 0,
    tol: float = TOL,
    max_products: int = MOST_PRODUCTS,
    certain: bool = True,
) -> Eigenpairs:
    """Largest eigenpairs of a symmetric operator that are orthogonal to known eigenvectors.

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
    locked_value : float
        Their smallest eigenvalue, in case that no others are wanted: the gap begins there.
    start : array of shape (size, b), optional
        Vectors near the wanted ones, for example from an earlier, looser call.
    row_cost : float
        Multiplications in a row of the product. Few of them, as in a very sparse graph, call for more
        products and a smaller basis.
    invert : callable, optional
        Product with the inverse of c I - S for a c above all eigenvalues, where that is cheap.
    seed : int
        Fixes the random start and the probe.
    tol : float
        Largest ||S v - theta v|| of a wanted pair, which also bounds the error of each eigenvalue.
    max_products : int
        Largest number of products with a block; then the best so far is returned, not converged.
    certain : bool
        Whether the space of the wanted vectors must be right, to an angle of 1e-3. Residuals are then also
        small against the gap behind the wanted values. If there is no gap, the pairs are not converged.

    Returns
    -------
    Eigenpairs
        The wanted pairs and up to three beyond them. Of those only the first has been iterated, to a
        residual of 1e-2 or half the gap; the others are what the search had at its end.

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
    known = np.empty((size, 0)) if locked is None else locked
    n_pairs = min(n_wanted + GUARD_VECTORS, size - known.shape[1])
    goal = Goal(n_pairs, n_wanted, tol, locked_value if known.size else np.inf, certain)
    if size <= DENSE_SIZE or n_pairs * DENSE_SHARE > size:
        pairs = _dense_pairs(product, known, n_pairs)
        # The dense solver finds the whole spectrum, so the next pair takes the place of a probe.
        beyond = pairs.values[n_wanted : n_wanted + 1]
        excess = float(beyond[0] - pairs.values[n_wanted - 1]) if n_wanted and beyond.size else 0.0
        return judged(pairs, goal, excess, n_products=1)
    begin = np.empty((size, 0)) if start is None else start
    draw = np.random.default_rng(seed).standard_normal
    limit = max_products - PROBE_STEPS
    counted = CountedProducts(lambda block: (product(block),), row_cost)
    search = BlockSearch(counted, RayleighRitz(), limit, draw, [known], CHEAP_COLUMNS, KEPT_SHARE, invert)
    with steps("products", max_products, at_most=True) as counted.watcher:
        pairs, excess = _probed_pairs(search, begin, goal)
    return judged(pairs, goal, excess, counted.used)


def judged(pairs: RitzPairs, goal: Goal, excess: float, n_products: int) -> Eigenpairs:
    """The outcome of a search and its probe, with the verdict on it."""
    return Eigenpairs(
        min(goal.n_wanted, pairs.values.size),
        pairs.values,
        pairs.vectors,
        pairs.residuals,
        goal.proved(pairs, excess),
        excess,
        n_products,
        goal.gap(pairs.values),
    )


def _dense_pairs(product: Product, locked: Doubles, n_pairs: int) -> RitzPairs:
    matrix = product(np.eye(len(locked)))
    # Shifts the known eigenvectors below the rest of the spectrum. A projection would only make their
    # eigenvalues zero, which may be above a wanted one.
    drop = 1.0 + 2.0 * np.abs(matrix).sum(axis=1).max()
    values, vectors = eigh((matrix + matrix.T) / 2 - drop * (locked @ locked.T))
    values, vectors = values[::-1][:n_pairs], vectors[:, ::-1][:, :n_pairs]
    return RitzPairs(values, vectors, np.linalg.norm(matrix @ vectors - vectors * values, axis=0))


def _probed_pairs(search: BlockSearch, start: Doubles, goal: Goal) -> tuple[RitzPairs, float]:
    """Search, probe what is left, and search again with the probe while it finds a missed pair."""
    n_wanted = goal.n_wanted
    while True:
        pairs = _searched(search, start, goal)
        if n_wanted == 0:
            return pairs, 0.0
        probe = _probe(search, pairs.vectors[:, :n_wanted])
        excess = float(probe.values[0] - pairs.values[n_wanted - 1])
        if not goal.missed(pairs, excess) or search.products.used >= search.limit:
            return pairs, excess
        start = np.hstack([pairs.vectors, probe.vectors])


def _searched(search: BlockSearch, start: Doubles, goal: Goal) -> RitzPairs:
    return search.run(start, goal, start.shape[1] + BLOCKS_ON_ALL * goal.n_pairs)


def _probe(search: BlockSearch, vectors: Doubles) -> RitzPairs:
    """Pairs that a few steps of a new search find, orthogonal to these vectors."""
    found = np.hstack([*search.known, vectors])
    fresh = replace(search, known=[found], limit=search.products.used + PROBE_STEPS)
    # No residual meets a negative tolerance, so all steps are taken.
    endless = Goal(PROBE_WIDTH, PROBE_WIDTH, tol=-1.0, certain=False)
    return _searched(fresh, np.empty((len(found), 0)), endless)
