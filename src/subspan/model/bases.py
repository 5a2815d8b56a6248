"""The subspace of each cluster, with a dimension that a direction common to all data does not hide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from subspan.execution.threads import single_threaded_libraries
from subspan.subspaces import Doubles, Spread, Subspace

# A direction with more than this share of the energy of all atoms is common to them, as the mean of faces is.
COMMON_SHARE = 0.5
# Directions of a cluster hold this share of its energy without the common direction.
ENERGY_SHARE = 0.9
# A basis of more directions than a share of the points fits to their noise.
POINTS_PER_DIRECTION = 3
N_REPRESENTATIVES = 5


@dataclass(frozen=True, eq=False)
class ClusterSubspace(Subspace):
    """The subspace of a cluster, and how well its points lie in it.

    Attributes
    ----------
    basis : array of shape (n_features, dimension)
        Orthonormal columns, those along which the points spread most come first.
    mean : array of shape (n_features,) or None
        Of an affine subspace.
    dimension : int
        Directions that hold nine tenths of the energy that is not common to all clusters, and one for the
        common direction if there is one. An estimate, not the number of atoms that a method should use.
    energy : float
        Share of the cluster's energy in the basis.
    n_points : int
        Points of the cluster among the atoms.
    residual, next_residual : float
        Root mean square of the distances of these points to this subspace, and to the nearest other one.
    representatives : array
        Rows of the fit that are closest to the subspace, the closest first.
    """

    energy: float = 1.0
    n_points: int = 0
    residual: float = 0.0
    next_residual: float = float("inf")
    representatives: NDArray[np.int64] | None = None

    @property
    def dimension(self) -> int:
        """Number of columns of the basis."""
        return int(self.basis.shape[1])


def common_direction(atoms: Doubles) -> Doubles | None:
    """The leading direction of all atoms, if it has more than half of their energy."""
    gram = atoms.T @ atoms if len(atoms) > atoms.shape[1] else atoms @ atoms.T
    size = len(gram)
    energies, vectors = eigh(gram, subset_by_index=(size - 1, size - 1))
    if energies[0] <= COMMON_SHARE * np.trace(gram):
        return None
    leading = vectors[:, 0] if len(atoms) > atoms.shape[1] else vectors[:, 0] @ atoms
    return np.asarray(leading / np.linalg.norm(leading))


def estimated_dimension(points: Doubles, common: Doubles | None, *, affine: bool = False) -> int:
    """Dimension of the subspace of a cluster; see `ClusterSubspace`.

    Examples
    --------
    >>> plane = np.array([[9.0, 1.0, 0, 0], [9.0, -1.0, 0, 0], [9.0, 0, 1.0, 0], [9.0, 0, -1.0, 0]] * 3)
    >>> estimated_dimension(plane, None), estimated_dimension(plane, np.array([1.0, 0, 0, 0]))
    (1, 3)
    """
    rest = points if common is None or affine else points - np.outer(points @ common, common)
    squares = Spread(rest, affine=affine).squared_singular_values()
    # What rounding leaves of a point that is nothing but the common direction is no energy.
    squares = squares[squares > np.finfo(np.float32).eps ** 2 * np.sum(points**2)]
    shares = np.cumsum(squares) / max(squares.sum(), np.finfo(np.float64).tiny)
    needed = int((shares < ENERGY_SHARE * (1 - 1e-12)).sum()) + (len(squares) > 0)
    needed += common is not None and not affine
    return max(1, min(int(needed), -(-len(points) // POINTS_PER_DIRECTION), int(points.shape[1]) - 1))


def cluster_subspaces(
    atoms: NDArray[np.floating],
    labels: NDArray[np.int64],
    rows: NDArray[np.int64],
    *,
    affine: bool = False,
    dimension: int | None = None,
) -> list[ClusterSubspace]:
    """The subspaces of clusters 0, 1, ..., from atoms with these labels and row numbers.

    Parameters
    ----------
    atoms : array of shape (n_atoms, n_features)
    labels, rows : array of shape (n_atoms,)
    affine : bool
        Whether they may miss the origin.
    dimension : int, optional
        Of all of them, where the method knows it; else it is estimated.

    Examples
    --------
    >>> atoms = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 3.0, 0.0]])
    >>> found = cluster_subspaces(atoms, np.array([0, 0, 1, 1]), np.arange(4))
    >>> [(each.dimension, each.energy, each.residual) for each in found]
    [(1, 1.0, 0.0), (1, 1.0, 0.0)]
    """
    points = atoms.astype(np.float64)
    with single_threaded_libraries():
        common = None if affine or dimension is not None else common_direction(points)
        members = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
        plain = []
        for chosen in members:
            own = points[chosen]
            wanted = dimension or estimated_dimension(own, common, affine=affine)
            plain.append(Spread(own, affine=affine).subspace(wanted))
        return [
            _judged(number, plain, points[members[number]], rows[members[number]])
            for number in range(len(plain))
        ]


def _judged(number: int, every: list[Subspace], own: Doubles, rows: NDArray[np.int64]) -> ClusterSubspace:
    """A subspace with what its points say about it."""
    squares = np.array([(subspace.residuals(own) ** 2).sum(axis=1) for subspace in every])
    this = every[number]
    centred = own if this.mean is None else own - this.mean
    total = max(float((centred**2).sum()), np.finfo(np.float64).tiny)
    others = np.delete(squares, number, axis=0)
    nearest = others.min(axis=0) if len(others) else np.full(len(own), np.inf)
    return ClusterSubspace(
        this.basis,
        this.singular_values,
        this.mean,
        energy=float(1 - squares[number].sum() / total),
        n_points=len(own),
        residual=float(np.sqrt(squares[number].mean())),
        next_residual=float(np.sqrt(nearest.mean())),
        representatives=rows[np.argsort(squares[number], kind="stable")[:N_REPRESENTATIVES]],
    )
