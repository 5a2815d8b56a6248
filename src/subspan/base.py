"""The one `fit`: greet the input, pass the data through the stages, keep what each of them found."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import validate_data

from subspan.affinity import check_coefficients, check_graph, dense_affinity, symmetric_affinity
from subspan.embedding import spectral_embedding
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.memory import parse_bytes, peak_memory
from subspan.execution.progress import progress_shown
from subspan.execution.steps import stage
from subspan.execution.threads import n_threads
from subspan.handover import DataWarning, Embedding, Factors, InputError, Representation
from subspan.labeling import attach_left_out, canonical_labels, label_embedding
from subspan.parameters import check_parameters, negative_integer, one_of, positive_integer
from subspan.sources import ArraySource, Source, open_source, read_in_pieces, scan
from subspan.sources.checks import check_kind, refusal
from subspan.sources.dtypes import EXACT_IN_FLOAT32
from subspan.sources.scanning import check_range, usable_rows

# How a warning puts what was counted.
REMARKS = {
    "duplicate_rows": "duplicate rows",
    "empty_representations": "points with an empty representation",
    "dependent_atoms": "dependent atoms passed over",
    "twins": "copies of a point passed over as its atoms",
    "atoms_beyond_n_features": "n_nonzero in excess of n_features, which no pursuit can use without damping",
    "unsettled": "points whose coefficients were not exact when their rounds ran out",
    "isolated_points": "isolated points",
}


@dataclass(frozen=True)
class Points:
    """The distinct, usable rows of the input, and how the input's rows map to them."""

    source: Source
    # Input row of each point, and point of each input row (-1 for a zero row).
    row_of_point: NDArray[np.int64]
    point_of_row: NDArray[np.int64]

    def expand(self, coefficients: Any) -> Any:
        """Coefficients of the points as coefficients of the input's rows; copies repeat the original's."""
        n_rows = len(self.point_of_row)
        if len(self.row_of_point) == n_rows:
            return coefficients
        known = self.point_of_row >= 0
        if isinstance(coefficients, Factors):
            return self._expand_factors(coefficients, known)
        if not isinstance(coefficients, csr_array):
            return coefficients.expanded(self.point_of_row, self.row_of_point)
        expanded = coefficients[self.point_of_row[known]]
        lengths = np.zeros(n_rows, expanded.indptr.dtype)
        lengths[known] = np.diff(expanded.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(expanded.indptr.dtype)
        columns = self.row_of_point[expanded.indices].astype(expanded.indices.dtype)
        return csr_array((expanded.data, columns, indptr), shape=(n_rows, n_rows))

    def _expand_factors(self, factors: Factors, known: NDArray[np.bool_]) -> Factors:
        left, right = (
            np.zeros((len(known), thin.shape[1]), thin.dtype) for thin in (factors.left, factors.right)
        )
        left[known] = factors.left[self.point_of_row[known]]
        right[self.row_of_point] = factors.right
        return Factors(left, right, self.point_of_row)


class SubspaceClusterer(ClusterMixin, BaseEstimator):
    """What all methods share. A method says how points are represented; the rest is the same."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [positive_integer()],
        "normalize": ["boolean"],
        "zero_rows": [one_of("raise", "label")],
        "duplicates": [one_of("merge", "keep")],
        "affinity": [one_of("self_expressive", "precomputed", "precomputed_representation")],
        "scale": [one_of("max", "l2"), None],
        "n_components": [positive_integer(), one_of("auto"), None],
        "n_init": [positive_integer()],
        "left_out": [one_of("attach", "label")],
        "memory_budget": [positive_integer(), str, None],
        "n_jobs": [positive_integer(), negative_integer(), None],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        normalize: bool,
        zero_rows: str,
        duplicates: str,
        affinity: str,
        scale: str | None,
        n_components: int | Literal["auto"] | None,
        n_init: int,
        left_out: str,
        memory_budget: int | str | None,
        n_jobs: int | None,
        random_state: int | np.random.RandomState | None,
        verbose: bool,
    ) -> None:
        self.n_clusters = n_clusters
        self.normalize = normalize
        self.zero_rows = zero_rows
        self.duplicates = duplicates
        self.affinity = affinity
        self.scale = scale
        self.n_components = n_components
        self.n_init = n_init
        self.left_out = left_out
        self.memory_budget = memory_budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _needs_directions(self) -> bool:
        """Whether a zero row is of no use; to a method with flats off the origin it is a point as any."""
        return True

    @property
    def _stored(self) -> bool:
        """Whether a later fit may go on with results of this one, if it can know the rows again."""
        return False

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        """Coefficients of every point: the part that makes a method."""
        raise NotImplementedError

    def _affinity(self) -> csr_array | NDArray[np.floating]:
        """The graph of the coefficients in `representation_`: symmetrised unless a method has its own."""
        if isinstance(self.representation_, Factors):
            return dense_affinity(
                self.representation_,
                self.scale,
                budget=bytes_of_budget(self.memory_budget),
                method=type(self).__name__,
                n_threads=n_threads(self.n_jobs),
            )
        return symmetric_affinity(self.representation_, self.scale)

    def _embedding(self, seed: int) -> Embedding:
        """Points in the space of the leading eigenvectors of the graph in `affinity_`."""
        if self.affinity_.max() == 0:
            raise InputError("The affinity is all zero: no point is represented by any other.")
        return spectral_embedding(
            self.affinity_,
            self.n_clusters,
            n_components=self.n_components,
            seed=seed,
            n_threads=n_threads(self.n_jobs),
        )

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or source
            The points, or where `subspan.sources.open_source` finds them. With ``affinity="precomputed"``
            a symmetric non-negative graph instead, with ``affinity="precomputed_representation"`` a matrix
            of coefficients, row j representing point j; both may be sparse.
        y : ignored

        Returns
        -------
        self
        """
        self._fit(X)
        self._warn()
        return self

    def _fit(self, X: Any) -> None:
        """Pass the data through the stages, in sight if the user wants to see it."""
        check_parameters(self)
        with self._shown():
            self._pass_through_stages(X)

    def _shown(self) -> AbstractContextManager[None]:
        """The place where stages of work inside are seen: on stderr, or where the caller looks."""
        return progress_shown(type(self).__name__) if self.verbose else nullcontext()

    def _pass_through_stages(self, X: Any) -> None:
        """Points, coefficients, graph, eigenvectors, labels."""
        seed = self._begin()
        points = None
        if self.affinity == "self_expressive":
            with stage("reading"):
                points = self._greet(X)
            with self._timed("representation"):
                self._keep_representation(self._represent(points.source, self.normalize, seed), points)
        self._cut(X, points, seed)

    def _begin(self) -> int:
        """Open the accounts of a fit; its seed."""
        if self.memory_budget is not None:
            parse_bytes(self.memory_budget)
        self.stage_seconds_: dict[str, float] = {}
        self.counts_: dict[str, int] = {}
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _cut(self, X: Any, points: Points | None, seed: int) -> None:
        """From coefficients, or a graph handed in, to labels."""
        with self._timed("affinity"):
            self.affinity_ = self._graph(X)
        with self._timed("embedding"):
            embedding = self._embed(seed)
        with self._timed("labeling"):
            self.labels_ = self._label(embedding, points, seed)
        self.peak_memory_ = peak_memory()

    def _greet(self, X: Any) -> Points:
        """Look at every row once: set zero rows aside, merge copies, bring the others to unit norm."""
        source = self._source(X)
        n_rows, n_features = source.shape
        found = scan(source, self.normalize, hashed=self._stored or not isinstance(source, ArraySource))
        empty = found.zero_rows if self._needs_directions else np.empty(0, np.int64)
        if len(empty) and self.zero_rows == "raise":
            raise InputError(
                f"{source.name}: {len(empty)} zero row{'s' * (len(empty) > 1)}, the first at row {empty[0]}: "
                "it has no direction; remove it, or pass zero_rows='label' to give such rows the label -1."
            )
        if not self.normalize:
            check_range(source, found)
        usable = np.setdiff1d(np.arange(n_rows), empty)
        copy_of = found.copy_of[usable] if self.duplicates == "merge" else usable
        originals, point = np.unique(copy_of, return_inverse=True)
        if len(originals) < max(self.n_clusters, 2):
            distinct = "directions" if self.normalize else "rows"
            raise InputError(
                f"n_clusters={self.n_clusters}, but {source.name} (n_samples={n_rows}, "
                f"n_features={n_features}) has only {len(originals)} distinct {distinct}."
            )
        point_of_row = np.full(n_rows, -1)
        point_of_row[usable] = point
        self.counts_["zero_rows"] = len(empty)
        self.counts_["duplicate_rows"] = len(usable) - len(originals)
        return Points(usable_rows(source, found, originals, self.normalize), originals, point_of_row)

    def _source(self, X: Any) -> Source:
        """Rows of a file as they are, those of an array through scikit-learn's checks."""
        if read_in_pieces(X):
            source = open_source(X)
            self.n_features_in_ = source.shape[1]
            return source
        narrow = getattr(getattr(X, "dtype", None), "char", "d") in EXACT_IN_FLOAT32
        dtypes = [np.float32, np.float64] if narrow else [np.float64, np.float32]
        return ArraySource(self._validated(X, dtype=dtypes, order="C", ensure_min_samples=2))

    def _validated(self, X: ArrayLike, **options: Any) -> Any:
        """`X` as scikit-learn's checks pass it; entries that are not finite are named by our own."""
        check_kind(X)
        try:
            return validate_data(self, X, ensure_all_finite=False, **options)
        except (TypeError, ValueError, OverflowError) as error:
            raise refusal(X, error) from None

    def _keep_representation(self, representation: Representation, points: Points) -> None:
        self.representation_ = points.expand(representation.coefficients)
        self.n_iter_ = representation.n_iter
        self.changes_ = representation.changes
        self.counts_ |= representation.counts

    def _graph(self, X: ArrayLike) -> csr_array | NDArray[np.floating]:
        """The affinity, from the coefficients found or handed in, or as handed in itself."""
        if self.affinity == "self_expressive":
            return self._affinity()
        matrix = self._validated(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        if self.affinity == "precomputed":
            return check_graph(matrix)
        self.representation_ = check_coefficients(matrix)
        return self._affinity()

    def _embed(self, seed: int) -> Embedding:
        """Leading eigenvectors, with the evidence that they are the leading ones."""
        embedding = self._embedding(seed)
        self.embedding_ = embedding.vectors
        self.eigenvalues_ = embedding.eigenvalues
        self.certificate_ = embedding.certificate
        self.counts_["components"] = int(embedding.components.max()) + 1
        # Zero rows have no edge either, but they have been counted, and their label is settled.
        zero_rows = self.counts_.get("zero_rows", 0)
        self.counts_["isolated_points"] = int((embedding.components < 0).sum()) - zero_rows
        self.counts_["left_out"] = int((~embedding.embedded).sum()) - zero_rows
        return embedding

    def _label(self, embedding: Embedding, points: Points | None, seed: int) -> NDArray[np.int64]:
        """Labels of all rows: the embedded ones by k-means, the others by the data."""
        labels = np.full(len(embedding.embedded), -1, np.int64)
        rows = np.flatnonzero(embedding.embedded)
        labels[rows] = label_embedding(
            embedding.vectors if len(rows) == len(labels) else embedding.vectors[rows],
            self.n_clusters,
            n_init=self.n_init,
            seed=seed,
            sample=None if embedding.sample is None else np.searchsorted(rows, embedding.sample),
        )
        if points is None:
            return canonical_labels(labels)
        # One label for each distinct row: copies follow their original.
        labels = labels[points.row_of_point]
        if self.left_out == "attach":
            labels = attach_left_out(points.source, labels, embedding.components[points.row_of_point])
        of_rows = np.where(points.point_of_row >= 0, labels[points.point_of_row], -1)
        return canonical_labels(of_rows)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        with stage(name):
            yield
        self.stage_seconds_[name] = time.perf_counter() - start

    def _warn(self) -> None:
        """One sentence about everything out of the ordinary, and one if the eigenvectors are in doubt."""
        surplus = max(0, self.counts_["components"] - self.n_clusters)
        attached = self.left_out == "attach" and self.affinity == "self_expressive"
        fate = "which joined the most similar cluster" if attached else "which got the label -1"
        found = {
            "zero rows, which got the label -1": self.counts_.get("zero_rows", 0),
            **{REMARKS[name]: count for name, count in self.counts_.items() if name in REMARKS},
            "components of the graph in excess of n_clusters": surplus,
            f"points outside the embedding, {fate}": self.counts_["left_out"],
        }
        remarks = [f"{what}: {count}" for what, count in found.items() if count]
        if remarks:
            warnings.warn(f"{type(self).__name__}: {'; '.join(remarks)}.", DataWarning, stacklevel=3)
        if not self.certificate_.converged:
            warnings.warn(
                f"{type(self).__name__}: the eigenvectors are in doubt (residual "
                f"{self.certificate_.residual:.1e} after {self.certificate_.n_products} products).",
                ConvergenceWarning,
                stacklevel=3,
            )

    def report(
        self,
        path: str | PathLike[str],
        X: Any = None,
        *,
        truth: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        image_shape: tuple[int, ...] | None = None,
        image_order: Literal["C", "F"] = "C",
    ) -> Path:
        """Write a page about the fit: one HTML file that needs nothing else.

        Parameters
        ----------
        path : path
            Where the page goes; it is there as a whole or not at all.
        X : array-like of shape (n_samples, n_features), path or source, optional
            The data of the fit. Residuals, singular values and pictures of rows need them.
        truth : array-like of shape (n_samples,), optional
            Known classes, to compare the clusters with.
        names : sequence of str, optional
            Names of the rows, instead of their numbers; for a folder of images those of the files.
        image_shape : tuple, optional
            (height, width) or (height, width, 3) if rows are images; a folder of images knows it.
        image_order : {"C", "F"}, default="C"
            Whether their pixels are stored line by line, or column by column as MATLAB does.

        Returns
        -------
        Path
            Of the page.

        Examples
        --------
        >>> import tempfile
        >>> from subspan import LSR
        >>> X = np.random.default_rng(0).standard_normal((20, 5))
        >>> LSR(2, random_state=0).fit(X).report(Path(tempfile.mkdtemp()) / "report.html", X).name
        'report.html'
        """
        # Imported here: few fits are reported on, and the page stands on everything else.
        from subspan.report import write_report

        return write_report(
            self, path, X, truth=truth, names=names, image_shape=image_shape, image_order=image_order
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity != "self_expressive"
        tags.input_tags.sparse = self.affinity != "self_expressive"
        return tags
