"""What passes from one stage to the next, and the errors and warnings all of them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Certificate", "DataWarning", "Embedding", "Factors", "Graph", "InputError", "Representation"]


class Wording(Protocol):
    """How a message speaks of parameters."""

    def name(self, parameter: str) -> str:
        """The name of a parameter."""

    def setting(self, parameter: str, value: Any) -> str:
        """A parameter together with its value."""


class Arguments:
    """Parameters as Python has them: n_clusters=5."""

    def name(self, parameter: str) -> str:
        """The name as it is."""
        return parameter

    def setting(self, parameter: str, value: Any) -> str:
        """An argument of a call."""
        plain = fspath(value) if isinstance(value, PathLike) else value
        return f"{parameter}={plain!r}" if isinstance(plain, str) else f"{parameter}={plain}"


@dataclass(frozen=True)
class _Setting:
    """What a placeholder in a message stands for."""

    parameter: str
    value: Any
    wording: Wording

    def __format__(self, spec: str) -> str:
        if spec == "name":
            return self.wording.name(self.parameter)
        return self.wording.setting(self.parameter, self.value)


class InputError(ValueError):
    """The caller's data or parameters cannot be used; the message says which and why.

    Parameters
    ----------
    message : str
        One sentence. ``{}`` stands for the next of the facts, ``{n_clusters}`` for that parameter with its
        value, ``{n_clusters:name}`` for its name alone. A message without facts and settings is taken as
        it is.
    *facts : object
        What is filled in as it is.
    **settings : object
        Parameters that the message speaks of, and their values.

    Examples
    --------
    >>> error = InputError("{n_clusters}, but {} has only {} rows.", "X", 3, n_clusters=5)
    >>> str(error), error.settings
    ('n_clusters=5, but X has only 3 rows.', {'n_clusters': 5})
    """

    def __init__(self, message: str = "", *facts: object, **settings: Any) -> None:
        self.message = message
        self.facts = facts
        self.settings = settings
        super().__init__(self.worded(Arguments()))

    def worded(self, wording: Wording) -> str:
        """The message, with its parameters in the words of whoever reads it."""
        if not self.facts and not self.settings:
            return self.message
        settings = {name: _Setting(name, value, wording) for name, value in self.settings.items()}
        return self.message.format(*self.facts, **settings)


class DataWarning(UserWarning):
    """The result stands, but something in the data deserves a look; counts are in the message."""


def as_array(matrix: Any) -> np.ndarray:
    """A matrix as an array, whether it is sparse or not."""
    array: np.ndarray = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return array


@dataclass(frozen=True, eq=False)
class Factors:
    """A dense square matrix kept as a product of thin ones, left @ right.T, with nothing on its diagonal.

    Closed forms give every point a coefficient on every other: n^2 numbers, of which n r are independent.
    """

    # (n, r) each; arrays, or a csr_array each if few of these numbers are not zero.
    left: Any
    right: Any
    # What each row and column stands for: entries between copies of one point are zero, as on the diagonal.
    point: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        return self.left.shape[0], self.right.shape[0]

    @property
    def dtype(self) -> np.dtype:
        """Of the entries."""
        kind: np.dtype = self.left.dtype
        return kind

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Rows start to stop of the matrix."""
        block = as_array(self.left[start:stop] @ self.right.T)
        block[self.point[start:stop, None] == self.point] = 0
        return block

    def expanded(self, point_of_row: np.ndarray, row_of_point: np.ndarray, opposite: np.ndarray) -> Factors:
        """The coefficients of the input's rows: copies repeat the original's, zero rows have none.

        Those of a row that is the opposite of its original are the negative ones.
        """
        import numpy as np

        known = point_of_row >= 0
        left = np.zeros((len(known), self.left.shape[1]), self.left.dtype)
        right = np.zeros((len(known), self.right.shape[1]), self.right.dtype)
        left[known] = self.left[point_of_row[known]]
        left[opposite] *= -1
        right[row_of_point] = self.right
        return Factors(left, right, point_of_row)


class RowsOfPoints(Protocol):
    """How points map to rows of the input; see `subspan.points`."""

    def rows_of(self, points: np.ndarray) -> np.ndarray:
        """Input rows of some points."""

    def expand(self, coefficients: Any) -> Any:
        """Coefficients of the points as coefficients of the input's rows."""

    def expand_labels(self, labels: np.ndarray) -> np.ndarray:
        """Labels of the points as labels of the input's rows."""


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

    def for_rows(self, points: RowsOfPoints) -> Self:
        """The same for the rows of the input, copies and zero rows included."""
        return replace(self, coefficients=points.expand(self.coefficients))

    def attributes(self) -> dict[str, Any]:
        """What an estimator keeps of it, by the names of its attributes."""
        return {"representation_": self.coefficients, "n_iter_": self.n_iter, "changes_": self.changes}


@dataclass(frozen=True)
class Graph:
    """A graph of the rows, and how its leading eigenvectors are found."""

    # A csr_array, a dense array, or an object that stands for a graph that is not formed.
    affinity: Any
    # Takes n_clusters, and by name n_components, seed and n_threads.
    embed: Callable[..., Embedding]


# Gap between eigenvalues below which eigenvectors may not be told apart, because of rounding.
SMALLEST_GAP = 1e-8


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
    # Smallest returned eigenvalue minus the next one. Without a gap other vectors would do as well.
    gap: float = float("inf")

    @property
    def told_apart(self) -> bool:
        """Whether the gap is wide enough to be seen in double precision."""
        return self.converged or self.gap >= SMALLEST_GAP

    @property
    def doubt(self) -> str:
        """Why the vectors may be others than the leading ones; empty if they are not in doubt."""
        if self.converged:
            return ""
        if not self.told_apart:
            return (
                "the data do not tell them apart from the next ones: the gap between their eigenvalues is "
                f"{self.gap:.1e}"
            )
        return f"residual {self.residual:.1e}, gap {self.gap:.1e} after {self.n_products} products"


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
    # (n_points,) what the rows have to be multiplied by to be those of the eigenvectors of D^-1 A, up to one
    # common factor; None where the rows are something else.
    lengths: np.ndarray | None = None
