"""What passes from one stage to the next, and the errors and warnings all of them share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class InputError(ValueError):
    """The caller's data or parameters cannot be used; the message says which and why."""


class DataWarning(UserWarning):
    """The result stands, but something in the data deserves a look; counts are in the message."""


@dataclass(frozen=True, eq=False)
class Factors:
    """A dense square matrix kept as a product of thin ones, left @ right.T, with nothing on its diagonal.

    Closed forms give every point a coefficient on every other: n^2 numbers, of which n r are independent.
    """

    # (n, r) each.
    left: np.ndarray
    right: np.ndarray
    # What each row and column stands for: entries between copies of one point are zero, as on the diagonal.
    point: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        return len(self.left), len(self.right)

    @property
    def dtype(self) -> np.dtype:
        """Of the entries."""
        return self.left.dtype

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Rows start to stop of the matrix."""
        block: np.ndarray = self.left[start:stop] @ self.right.T
        block[self.point[start:stop, None] == self.point] = 0
        return block


@dataclass(frozen=True)
class Representation:
    """Self-expressive coefficients: row j holds the coefficients that represent point j."""

    # A csr_array, `Factors`, or rows that stay on disk.
    coefficients: Any
    n_iter: int
    # Relative change of the coefficients at each outer iteration, over all points.
    changes: tuple[float, ...]
    # What went wrong or was out of the ordinary, by name: "empty", "dependent_atoms", "twins", ...
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Certificate:
    """Evidence that the eigenvectors are the leading ones: see `subspan.embedding`."""

    converged: bool
    # Largest ||S v - theta v|| over the returned pairs.
    residual: float
    # Largest Rayleigh quotient a fresh random block found outside the returned space, minus the
    # smallest returned eigenvalue. Well above 0 means that a pair was missed.
    probe_excess: float
    # Products of the graph with a block of vectors.
    n_products: int


@dataclass(frozen=True)
class Embedding:
    """Points in the space of the leading eigenvectors of the normalised affinity."""

    # (n_points, n_components), unit rows; zero rows for the points left out.
    vectors: np.ndarray
    # Descending; a few more than n_components where they came for free.
    eigenvalues: np.ndarray
    # Connected component of each point, 0 the largest; -1 for a point without any edge.
    components: np.ndarray
    # Points that took part. The others (isolated, or in surplus components) have no row.
    embedded: np.ndarray
    certificate: Certificate
    # Rows that stand for all when there are very many of them; None if none do.
    sample: np.ndarray | None = None
