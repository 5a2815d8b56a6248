"""The two rules by which new rows are assigned: what their code leaves, and the nearest subspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.execution.tiles import in_panels, squared_norms, tile_product
from subspan.kernels.class_residuals import class_residuals, group_energies
from subspan.model.coding import Coder
from subspan.subspaces import Subspace

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]

# Weights of the clusters fall with this power of the squared residual. They rank; they are no probabilities.
SHARPNESS = 4
# A squared residual below this share of the row is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Scores:
    """What rows leave: for each cluster, and for the best that the rule can do."""

    # (n, n_clusters) squared residuals, (n,) the smallest possible, and (n,) squared lengths.
    residuals: Doubles
    least: Doubles
    lengths: Doubles

    def weights(self) -> Doubles:
        """How much each cluster claims of each row; rows sum to 1.

        Examples
        --------
        >>> Scores(np.array([[1.0, 1.0], [0.5, 1.0]]), np.zeros(2), np.ones(2)).weights().round(3).tolist()
        [[0.5, 0.5], [0.941, 0.059]]
        """
        floor = ROUNDING * np.maximum(self.lengths, np.finfo(np.float64).tiny)
        residuals = self.residuals + floor[:, None]
        claims = (residuals.min(axis=1, keepdims=True) / residuals) ** SHARPNESS
        return np.asarray(claims / claims.sum(axis=1, keepdims=True))

    def outliers(self) -> Doubles:
        """Share of a row's length that stays unexplained, from 0 to 1."""
        lengths = np.maximum(self.lengths, np.finfo(np.float64).tiny)
        return np.sqrt(np.clip(self.least / lengths, 0.0, 1.0))


# Takes rows and the atom that each of them is, or -1.
Scorer = Callable[[Floats, Indices], Scores]


def code_scorer(coder: Coder, atoms: Floats, labels: Indices) -> Scorer:
    """Scores by the code of a row: what is left of it if only the atoms of one cluster count."""
    n_clusters = int(labels.max()) + 1

    def score(rows: Floats, own: Indices) -> Scores:
        codes = coder(rows, own)
        out = np.empty((len(rows), n_clusters + 1))
        class_residuals(rows, atoms, labels, *codes, np.empty(rows.shape[1]), out)
        return Scores(out[:, :-1], out[:, -1], squared_norms(rows))

    return score


def subspace_scorer(subspaces: Sequence[Subspace]) -> Scorer:
    """Scores by the distances to the subspaces of the clusters."""
    widths = [subspace.basis.shape[1] for subspace in subspaces]
    firsts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    directions = np.ascontiguousarray(np.concatenate([subspace.basis.T for subspace in subspaces]))
    affine = subspaces[0].mean is not None
    means = (
        np.array([subspace.mean for subspace in subspaces]) if affine else np.zeros((1, len(directions[0])))
    )
    mean_panels, panels = in_panels(means), in_panels(directions)
    # Coordinates of each mean in its own basis.
    shifts = np.concatenate(
        [
            np.zeros(width) if each.mean is None else each.mean @ each.basis
            for each, width in zip(subspaces, widths, strict=True)
        ]
    )

    def score(rows: Floats, _own: Indices) -> Scores:
        wide = np.ascontiguousarray(rows, np.float64)
        coordinates = tile_product(wide, panels)[:, : len(directions)] - shifts
        energies = np.empty((len(rows), len(widths)))
        group_energies(coordinates, firsts, energies)
        lengths = squared_norms(wide)
        distances = lengths[:, None] - energies
        if affine:
            products = tile_product(wide, mean_panels)[:, : len(means)]
            distances += (means**2).sum(axis=1) - 2 * products
        distances = np.maximum(distances, 0.0)
        return Scores(distances, distances.min(axis=1), lengths)

    return score
