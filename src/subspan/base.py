"""The one `fit`: read the rows, pass them through the stages, keep what each of them found."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import validate_data

from subspan.affinity import check_coefficients, check_graph, dense_affinity, symmetric_affinity, undamaged
from subspan.embedding import spectral_embedding
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.memory import peak_memory
from subspan.execution.progress import progress_shown
from subspan.execution.steps import stage
from subspan.execution.threads import n_threads
from subspan.execution.workplace import Workplace
from subspan.handover import DataWarning, Embedding, Factors, Graph, InputError, Representation
from subspan.labeling import canonical_labels, label_embedding
from subspan.model.estimating import PredictsNewRows
from subspan.model.preparation import Preparation
from subspan.model.remains import Habits
from subspan.parameters import OffOrigin, Shared, check_parameters
from subspan.points import Points, Reading, read_points
from subspan.sources import ArraySource, Source, open_source, read_in_pieces, unpacked_source
from subspan.sources.checks import check_kind, on_host, refusal
from subspan.sources.dtypes import EXACT_IN_FLOAT32

__all__ = ["Settled", "SubspaceMethod", "spectral_graph"]

# How a warning names the counts.
REMARKS = {
    "incomplete_rows": "rows with missing entries, which got the label -1",
    "duplicate_rows": "duplicate rows",
    "empty_representations": "points with an empty representation",
    "dependent_atoms": "dependent atoms passed over",
    "twins": "copies of a point passed over as its atoms",
    "atoms_beyond_n_features": "n_nonzero in excess of n_features, which no pursuit can use without damping",
    "unsettled": "points whose coefficients were not exact when their rounds ran out",
    "isolated_points": "isolated points",
}


@dataclass(frozen=True)
class Settled:
    """What the parameters of a fit have become."""

    n_clusters: int
    seed: int
    # Bytes that a matrix may take.
    budget: int
    workplace: Workplace
    # Of methods that compute block by block: how they use memory.
    plan: Any = None
    # What is done to rows before anything else.
    preparation: Preparation = field(default_factory=Preparation)

    @property
    def threads(self) -> int:
        """Threads of this process."""
        return self.workplace.threads


@dataclass(frozen=True)
class GivenCoefficients(Representation):
    """Coefficients that the caller handed in: nothing is known of how they were found."""

    def attributes(self) -> dict[str, Any]:
        """The coefficients alone."""
        return {"representation_": self.coefficients}


class StageClock:
    """Seconds taken by the stages of a fit."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Work inside is the stage of that name."""
        start = time.perf_counter()
        with stage(name):
            yield
        self.seconds[name] = time.perf_counter() - start


class SubspaceMethod(Shared, PredictsNewRows, ClusterMixin, BaseEstimator):
    """What all methods share. A method says how points are represented; the rest is the same."""

    # The constant that rows get for flats off the origin. Without it their root mean square length is 1.
    _constant = 1.0
    # Whether a row and its constant are then brought to unit norm.
    _unit_lift = False

    @property
    def _needs_directions(self) -> bool:
        """Whether a zero row is of no use; methods with flats off the origin accept zero rows."""
        return not self._lifts

    @property
    def _through_origin(self) -> bool:
        """Whether the subspaces pass through the origin: then a row and its opposite lie in the same one."""
        return True

    @property
    def _lifts(self) -> bool:
        """Whether the rows get a constant, for flats off the origin."""
        return isinstance(self, OffOrigin) and self.affine

    def _habits(self) -> Habits:
        """How the model that remains treats new rows."""
        unit = self.normalize and not self._lifts
        return Habits(unit, self.zero_rows, self._needs_directions, keep=float(self.keep))

    def _represent(self, points: Source, settled: Settled) -> Representation:
        """Coefficients of every point: the part that makes a method."""
        raise NotImplementedError

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        """The graph of the coefficients: symmetrised, unless a method has its own."""
        coefficients = representation.coefficients
        affinity = (
            dense_affinity(
                coefficients,
                self.scale,
                self.keep,
                budget=settled.budget,
                n_threads=settled.threads,
            )
            if isinstance(coefficients, Factors)
            else symmetric_affinity(coefficients, self.scale, self.keep)
        )
        return spectral_graph(affinity)

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
        self._fit(X, Workplace(n_threads(self.n_jobs)))
        self._warn()
        return self

    def _fit(self, X: Any, workplace: Workplace) -> None:
        """The stages of a fit, one after the other: read, represent, connect, embed, label."""
        check_parameters(self)
        clock = StageClock()
        with self._shown():
            if self.affinity == "self_expressive":
                with stage("reading"):
                    source, settled = self._open(X, workplace)
                    points = self._read(source, settled)
                with clock.timed("representation"):
                    representation = self._represent(points.source, settled).for_rows(points)
                self._cluster(representation, points, settled, clock)
            else:
                self._cluster(self._handed_in(X), None, self._settle(workplace), clock)

    def _cluster(
        self, found: Representation | Graph, points: Points | None, settled: Settled, clock: StageClock
    ) -> None:
        """From coefficients, or a graph handed in, to labels."""
        with clock.timed("affinity"):
            graph = found if isinstance(found, Graph) else self._connect(found, settled)
        with clock.timed("embedding"):
            embedding = graph.embed(
                settled.n_clusters,
                n_components=self.n_components,
                seed=settled.seed,
                n_threads=settled.threads,
            )
        with clock.timed("labeling"):
            labels = self._label(embedding, points, settled)
        self._keep(found, graph, embedding, labels, points, settled)
        self.model_ = (
            None if points is None else self._model_of(points, embedding, settled.seed, settled.preparation)
        )
        self.stage_seconds_ = clock.seconds

    def _shown(self) -> AbstractContextManager[None]:
        """Progress of the work inside is shown if `verbose` asks for it."""
        return progress_shown(type(self).__name__) if self.verbose else nullcontext()

    def _open(self, X: Any, workplace: Workplace) -> tuple[Source, Settled]:
        """The rows of the input, still unread, and what the parameters become for them."""
        return self._source(X), self._settle(workplace)

    def _settle(self, workplace: Workplace) -> Settled:
        """What does not depend on the rows."""
        budget = bytes_of_budget(self.memory_budget)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return Settled(self.n_clusters, seed, budget, workplace)

    def _read(self, source: Source, settled: Settled) -> Points:
        """The points: distinct rows with a direction, of unit norm if so asked."""
        source = unpacked_source(source)
        stored = settled.workplace.folder is not None
        reading = Reading(
            normalize=self.normalize,
            constant=self._constant if self._lifts else 0.0,
            unit_lift=self._unit_lift,
            zero_rows=self.zero_rows,
            duplicates=self.duplicates,
            n_clusters=settled.n_clusters,
            needs_directions=self._needs_directions,
            lines=self._through_origin,
            hashed=stored or not isinstance(source, ArraySource),
        )
        return read_points(source, reading)

    def _source(self, X: Any) -> Source:
        """Rows of a file as they are, those of an array through scikit-learn's checks."""
        if read_in_pieces(X):
            source = open_source(X)
            self.n_features_in_ = source.shape[1]
            return source
        return self._table(X, ensure_min_samples=2)

    def _new_rows(self, X: Any) -> Source:
        """Rows that come after the fit."""
        if getattr(X, "ndim", 2) == 1:
            raise InputError(f"X: has shape {X.shape}. Reshape your data: one row is X.reshape(1, -1).")
        return open_source(X) if read_in_pieces(X) else self._table(X, reset=False)

    def _table(self, X: Any, **options: Any) -> ArraySource:
        """An array as a source, in single precision where that holds all its numbers."""
        narrow = getattr(getattr(X, "dtype", None), "char", "d") in EXACT_IN_FLOAT32
        dtypes = [np.float32, np.float64] if narrow else [np.float64, np.float32]
        return ArraySource(self._validated(X, dtype=dtypes, order="C", **options))

    def _validated(self, X: ArrayLike, **options: Any) -> Any:
        """`X` as scikit-learn's checks pass it; entries that are not finite are named by our own."""
        X = on_host(X)
        check_kind(X)
        try:
            return validate_data(self, X, ensure_all_finite=False, **options)
        except (TypeError, ValueError, OverflowError) as error:
            raise refusal(X, error) from None

    def _handed_in(self, X: ArrayLike) -> Representation | Graph:
        """The graph or the coefficients that the caller has found."""
        matrix = self._validated(undamaged(X), accept_sparse="csr", dtype=[np.float64, np.float32])
        if self.affinity == "precomputed":
            return spectral_graph(check_graph(matrix))
        return GivenCoefficients(check_coefficients(matrix), n_iter=0, changes=())

    def _label(self, embedding: Embedding, points: Points | None, settled: Settled) -> NDArray[np.int64]:
        """Labels of all rows: the embedded ones by k-means, the others by the data."""
        labels = np.full(len(embedding.embedded), -1, np.int64)
        rows = np.flatnonzero(embedding.embedded)
        labels[rows] = label_embedding(
            embedding.vectors if len(rows) == len(labels) else embedding.vectors[rows],
            settled.n_clusters,
            n_init=self.n_init,
            seed=settled.seed,
            sample=None if embedding.sample is None else np.searchsorted(rows, embedding.sample),
        )
        if points is None:
            return canonical_labels(labels)
        return points.label_rows(labels, embedding, attach=self.left_out == "attach")

    def _keep(
        self,
        found: Representation | Graph,
        graph: Graph,
        embedding: Embedding,
        labels: NDArray[np.int64],
        points: Points | None,
        settled: Settled,
    ) -> None:
        """Keep what the stages have found, as attributes."""
        if isinstance(found, Representation):
            for name, value in found.attributes().items():
                setattr(self, name, value)
        self.affinity_ = graph.affinity
        self.embedding_ = embedding.vectors
        self.eigenvalues_ = embedding.eigenvalues
        self.certificate_ = embedding.certificate
        self.labels_ = labels
        self.n_clusters_ = settled.n_clusters
        self.n_components_ = embedding.vectors.shape[1]
        self.seed_ = settled.seed
        self.n_threads_ = settled.threads
        of_rows = {} if points is None else points.counts
        # Rows that are no points have no edge either, but they are counted above as zero or incomplete rows.
        no_points = 0 if points is None else int((points.point_of_row < 0).sum())
        self.counts_ = {
            **of_rows,
            **(found.counts if isinstance(found, Representation) else {}),
            "components": int(embedding.components.max()) + 1,
            "isolated_points": int((embedding.components < 0).sum()) - no_points,
            "left_out": int((~embedding.embedded).sum()) - no_points,
        }
        self.peak_memory_ = peak_memory()

    def _warn(self) -> None:
        """One sentence about everything out of the ordinary, and one if the eigenvectors are in doubt."""
        surplus = max(0, self.counts_["components"] - self.n_clusters_)
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
                f"{type(self).__name__}: the eigenvectors are in doubt ({self.certificate_.doubt}).",
                # Where the graph itself leaves it open, a longer search would not help.
                ConvergenceWarning if self.certificate_.told_apart else DataWarning,
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


def spectral_graph(affinity: csr_array | NDArray[np.floating]) -> Graph:
    """A graph that is formed as a matrix, with the eigenvectors of its normalised Laplacian."""
    if affinity.max() == 0:
        raise InputError("The affinity is all zero: no point is represented by any other.")
    return Graph(affinity, partial(spectral_embedding, affinity))
