"""EnSC: every point by the elastic net over all others, exact to the optimality conditions.

The points of a tile are solved together, in rounds. Each point is solved over its working set. One matrix
product gives the correlations of all residuals with all points, and the points that violate the optimality
conditions join the working sets. If the Gram matrix fits into memory, it provides the inner products of the
working sets and a first solution. Its numbers are rounded to the type of the data, so convergence is always
checked with products of the residuals: these are small near the solution, and so are their errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.execution.threads import run_in_threads
from subspan.execution.tiles import (
    TILE,
    gram_matrix,
    in_panels,
    padded,
    padded_length,
    row_length,
    squared_norms,
    tile_product,
)
from subspan.handover import Representation
from subspan.kernels.elastic_net import PANEL, extend, settle_tile
from subspan.kernels.working_set import Codes, new_codes, new_working_set, with_room, without_room
from subspan.self_expression.lasso_codes import (
    WORKING_SETS,
    CodingProblem,
    WorkingSets,
    reach,
    sparse_codes,
    tile_codes,
)
from subspan.sources import Source

Floats = NDArray[np.floating]

# Violation of the optimality conditions that is allowed, relative to a point's largest correlation ...
TOL = 1e-10
# ... but not below this many units of rounding of its product with the longest of all points.
ROUNDING = 4
# A larger Gram matrix, in bytes, saves little: reading its rows from memory is as slow as the products.
LARGEST_GRAM = 4 * 10**9
# Most rounds of a tile; a few are usual.
MAX_TILE_ROUNDS = 100


@dataclass(frozen=True)
class ElasticNetSettings:
    """The problem 1/2 ||x - c X||^2 + tau alpha ||c||_1 + (1 - tau) alpha/2 ||c||^2 of every point."""

    tau: float
    # alpha_j is the largest correlation of point j divided by tau * gamma, unless it is given.
    gamma: float
    alpha: float | None = None


class ElasticNetTask:
    """Everything that a tile of points needs. Calling it with the first point of a tile solves the tile."""

    def __init__(
        self,
        source: Source,
        settings: ElasticNetSettings,
        *,
        with_gram: bool,
        threads: int,
        others: Floats | None = None,
        sizes: WorkingSets = WORKING_SETS,
        max_rounds: int = MAX_TILE_ROUNDS,
    ) -> None:
        self.settings, self.sizes, self.max_rounds = settings, sizes, max_rounds
        self.n_points, self.n_features = source.shape
        rows = source.rows(0, self.n_points)
        atoms = rows if others is None else np.concatenate([rows, others.astype(rows.dtype)])
        self.n_atoms = len(atoms)
        self.atoms = padded(atoms)
        self.panels = in_panels(self.atoms)
        self.norms = np.sqrt(squared_norms(self.atoms))
        self.gram = gram_matrix(self.atoms, threads) if with_gram else np.empty((0, 0), source.dtype)

    def __call__(self, start: int) -> Codes:
        """Codes of the tile at `start`."""
        own = np.arange(start, min(start + TILE, self.n_points))
        correlations = self._correlations(start)
        problem = self._problem(correlations, own)
        if len(self.gram):
            codes = tile_codes(problem, self.gram)
            codes.finished[:] = False
        else:
            codes = new_codes(len(own), min(self.sizes.room, self.n_atoms))
            codes = self._extend(correlations, np.arange(len(own)), problem, codes)
        for _ in range(self.max_rounds):
            running, residuals = self._settle(start, problem, codes)
            if len(running) == 0:
                break
            codes = self._extend(tile_product(residuals, self.panels), running, problem, codes)
        return without_room(codes)

    def _correlations(self, start: int) -> Floats:
        if len(self.gram):
            return self.gram[start : start + TILE]
        return tile_product(self.atoms[start : start + TILE], self.panels)

    def _problem(self, correlations: Floats, own: NDArray[np.int64]) -> CodingProblem:
        """Weights and tolerances of points from their largest correlations."""
        settings = self.settings
        largest = reach(correlations, own, self.n_points)
        # A point that is orthogonal to all others gets no coefficient at any weight.
        coherence = np.where(largest > 0, largest, 1.0)
        relative = settings.alpha is None
        alpha = coherence / (settings.tau * settings.gamma) if relative else np.full(len(own), settings.alpha)
        rounding = ROUNDING * float(np.finfo(self.atoms.dtype).eps) * self.norms.max() * self.norms[own]
        return CodingProblem(
            correlations=correlations,
            n_atoms=self.n_atoms,
            squared_norms=self.norms[own] ** 2,
            own_atom=own,
            l1=settings.tau * alpha,
            l2=(1 - settings.tau) * alpha,
            tol=np.maximum(TOL * largest, rounding),
            sizes=self.sizes,
        )

    def _settle(self, start: int, problem: CodingProblem, codes: Codes) -> tuple[NDArray[np.int64], Floats]:
        """Solve points over their working sets; those that are to be checked, and their residuals."""
        capacity, dtype = codes.atoms.shape[1], self.atoms.dtype
        running = np.flatnonzero(~codes.finished)
        residuals = np.empty((len(running), self.n_features), dtype)
        settle_tile(
            self.atoms[start : start + TILE], running, self.atoms, self.gram, problem.for_kernels(dtype),
            np.empty((PANEL, capacity)), np.empty(self.n_features), new_working_set(capacity),
            codes, residuals,
        )  # fmt: skip
        unsure = ~codes.finished[running]
        return running[unsure], residuals[unsure]

    def _extend(
        self, products: Floats, running: NDArray[np.int64], problem: CodingProblem, codes: Codes
    ) -> Codes:
        """Add violators to the working sets, making room for them if need be."""
        most_new = self.sizes.candidates
        needed = min(int(codes.counts.max()) + most_new, self.n_atoms)
        if needed > codes.atoms.shape[1]:
            codes = with_room(codes, min(2 * needed, self.n_atoms))
        extend(
            products, running, problem.for_kernels(self.atoms.dtype),
            np.empty(min(most_new, self.n_atoms), np.int32), new_working_set(codes.atoms.shape[1]), codes,
        )  # fmt: skip
        return codes


def represent_by_elastic_net(
    source: Source,
    settings: ElasticNetSettings,
    *,
    budget: int,
    n_nonzero: int | None = None,
    with_gram: bool | None = None,
    threads: int = 1,
    others: Floats | None = None,
    sizes: WorkingSets = WORKING_SETS,
    max_rounds: int = MAX_TILE_ROUNDS,
) -> Representation:
    """Coefficients of every point of `source` over all others.

    Parameters
    ----------
    source : Source
        The points.
    settings : ElasticNetSettings
    budget : int
        Bytes that the Gram matrix may take; decides whether there is one unless `with_gram` does.
    n_nonzero : int, optional
        Keep only this many of the largest coefficients of each point.
    with_gram : bool, optional
    threads : int
        They change nothing in the result.
    others : array of shape (n_others, n_features), optional
        Atoms besides the points, such as those of errors; their coefficients are forgotten.
    sizes : WorkingSets
        The first ones.
    max_rounds : int
        Rounds of a tile; points that have not settled by then are counted.

    Examples
    --------
    >>> from subspan.datasets import make_union_of_subspaces
    >>> from subspan.sources import ArraySource
    >>> X, y = make_union_of_subspaces(3, 2, 8, 40, random_state=0)
    >>> settings = ElasticNetSettings(tau=0.9, gamma=50.0)
    >>> represent_by_elastic_net(ArraySource(X), settings, budget=10**9).coefficients.shape
    (120, 120)
    """
    n_points = source.shape[0]
    if with_gram is None:
        n_atoms = n_points + (0 if others is None else len(others))
        with_gram = gram_bytes(n_atoms, source.dtype.itemsize) <= min(budget, LARGEST_GRAM)
    task = ElasticNetTask(
        source,
        settings,
        with_gram=with_gram,
        threads=threads,
        others=others,
        sizes=sizes,
        max_rounds=max_rounds,
    )
    tiles = list(run_in_threads(task, range(0, n_points, TILE), threads, "tiles of points"))
    coefficients = csr_array(sparse_codes(tiles, task.n_atoms, source.dtype)[:, :n_points])
    if n_nonzero is not None:
        coefficients = largest_of_each_row(coefficients, n_nonzero)
    counts = {
        "empty_representations": int((np.diff(coefficients.indptr) == 0).sum()),
        "unsettled": sum(int((~codes.finished).sum()) for codes in tiles),
    }
    return Representation(coefficients, 1, (1.0,), counts)


def gram_bytes(n_points: int, itemsize: int) -> int:
    """Memory of the Gram matrix of all points."""
    length = padded_length(n_points)
    return length * row_length(length) * itemsize


def largest_of_each_row(matrix: csr_array, most: int) -> csr_array:
    """The `most` entries of largest magnitude in each row; ties go to the lowest index.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> largest_of_each_row(csr_array(np.array([[1.0, -3.0, 2.0], [0.0, 1.0, 1.0]])), 1).toarray().tolist()
    [[0.0, -3.0, 0.0], [0.0, 1.0, 0.0]]
    """
    lengths = np.diff(matrix.indptr)
    row = np.repeat(np.arange(matrix.shape[0]), lengths)
    order = np.lexsort((matrix.indices, -np.abs(matrix.data), row))
    rank = np.empty(matrix.nnz, np.int64)
    rank[order] = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], lengths)
    keep = rank < most
    indptr = np.concatenate([[0], np.cumsum(np.minimum(lengths, most))]).astype(matrix.indptr.dtype)
    return csr_array((matrix.data[keep], matrix.indices[keep], indptr), shape=matrix.shape)
