"""Everything that the page shows, as numbers: computed once, before a word is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from subspan.base import SubspaceMethod
from subspan.handover import InputError
from subspan.methods import outside
from subspan.methods.registry import PLACES
from subspan.plotting import fitted, numbers
from subspan.report.evidence import evidence
from subspan.sources import PixelSource, Source, open_source
from subspan.sources.images import ImageFolder

# Points of the scatter plot and cells along a side of the graph's picture: what a screen can show.
MOST_POINTS = 5000
MOST_GRAPH_CELLS = 240
N_REPRESENTATIVES = 6
# Share of the variance from which on a projection shows the embedding well.
ENOUGH_VARIANCE = 0.8


@dataclass(frozen=True)
class Origin:
    """What only the caller of a run knows: the command, which part of the file was read, and the messages."""

    command: str | None = None
    key: str | None = None
    columns: Sequence[str] | None = None
    remarks: Sequence[str] = ()


class Known(TypedDict, total=False):
    """What the caller may know about the rows, see `SubspaceMethod.report`."""

    truth: ArrayLike | None
    names: Sequence[str] | None
    image_shape: tuple[int, ...] | None
    image_order: Literal["C", "F"]


@dataclass(frozen=True, eq=False)
class Material:
    """A fitted estimator, what the caller knows beside it, and all that can be computed from both.

    A number that this method or these data do not have is None.
    """

    estimator: SubspaceMethod
    source: Source | None = None
    truth: NDArray[Any] | None = None
    names: Sequence[str] | None = None
    image_shape: tuple[int, ...] | None = None
    image_order: Literal["C", "F"] = "C"
    origin: Origin = field(default_factory=Origin)

    @property
    def labels(self) -> NDArray[np.int64]:
        """Cluster of each row, -1 for none."""
        labels: NDArray[np.int64] = self.estimator.labels_
        return labels

    @property
    def method(self) -> str:
        """The short name of the method; the name of the class for one that is not ours."""
        ours = {(place.module, place.estimator): name for name, place in PLACES.items()}
        found = type(self.estimator)
        return ours.get((found.__module__, found.__name__), found.__name__)

    @property
    def method_name(self) -> str:
        """What it is called in a sentence: `auto` is a word of the command line."""
        known = self.method in PLACES and self.method != "auto"
        return self.method.upper() if known else type(self.estimator).__name__

    @property
    def by_front_door(self) -> bool:
        """Whether many settings have voted, not one method."""
        return self.method == "auto"

    @property
    def home(self) -> str:
        """The module that the estimator is imported from."""
        found = outside.home(type(self.estimator))
        return "subspan" if found.startswith("subspan.") else found

    @property
    def data(self) -> str:
        """What the data are called."""
        return "X" if self.source is None else self.source.name

    @property
    def place(self) -> str | None:
        """The path of the data, if they come from a file or a folder."""
        # A name may be of any kind and length, even one that no file can have.
        with suppress(OSError, ValueError):
            return self.data if Path(self.data).exists() else None
        return None

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns, if they have any."""
        in_source = () if self.source is None else self.source.columns
        return in_source or [str(name) for name in getattr(self.estimator, "feature_names_in_", ())]

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Rows of each cluster."""
        return np.bincount(self.labels[self.labels >= 0])

    @property
    def n_outside(self) -> int:
        """Rows in no cluster."""
        return int((self.labels < 0).sum())

    @cached_property
    def graph(self) -> Any:
        """The graph that was cut, or None if there was none."""
        affinity = _known(fitted.affinity_of, self.estimator)
        # Formed once, where it has only been kept as its parts.
        return affinity.tocsr() if hasattr(affinity, "tocsr") else affinity

    @cached_property
    def spectrum(self) -> numbers.Spectrum | None:
        """Eigenvalues and their gap."""
        values = _known(fitted.eigenvalues_of, self.estimator)
        if values is None or len(values) < 2:
            return None
        return numbers.spectrum(values, self.estimator.n_clusters_)

    @cached_property
    def affinity(self) -> numbers.OrderedAffinity | None:
        """The graph, ordered by cluster."""
        if self.graph is None:
            return None
        return numbers.ordered_affinity(self.graph, self.labels, MOST_GRAPH_CELLS)

    @cached_property
    def connectivity(self) -> numbers.ClusterConnectivity | None:
        """How well each cluster holds together."""
        return None if self.graph is None else numbers.cluster_connectivity(self.graph, self.labels)

    @cached_property
    def embedding(self) -> numbers.EmbeddingPlane:
        """The points in two dimensions: from their widest side, or by t-SNE where that shows too little."""
        plane = numbers.embedding_plane(self.estimator.embedding_, self.labels, MOST_POINTS)
        if sum(plane.shares) >= ENOUGH_VARIANCE:
            return plane
        return numbers.embedding_neighbours(self.estimator.embedding_, self.labels)

    @cached_property
    def convergence(self) -> numbers.Convergence | None:
        """How the coefficients came to rest, if they were sought in several rounds."""
        changes = _known(fitted.changes_of, self.estimator)
        tol = getattr(self.estimator, "tol", None)
        return None if changes is None else numbers.convergence(changes, tol)

    @cached_property
    def support(self) -> numbers.SupportSizes | None:
        """How many others represent each point."""
        coefficients = _known(fitted.sparse_coefficients_of, self.estimator)
        return None if coefficients is None else numbers.support_sizes(coefficients)

    @cached_property
    def residuals(self) -> numbers.Residuals | None:
        """What the representation leaves of each point."""
        coefficients = _known(fitted.coefficients_of, self.estimator)
        if coefficients is None or not self._has_points:
            return None
        return numbers.residuals(self.source, coefficients, normalize=self.estimator.normalize)

    @cached_property
    def singular_values(self) -> numbers.SingularValues | None:
        """How low the dimension of each cluster is."""
        if not self._has_points:
            return None
        return numbers.singular_values(self.source, self.labels, normalize=self.estimator.normalize)

    @cached_property
    def representatives(self) -> Sequence[NDArray[np.intp]]:
        """Rows that stand for each cluster: the most central ones."""
        close = fitted.closeness_of(self.estimator) if self.graph is None else self.graph
        return numbers.representatives(close, self.labels, N_REPRESENTATIVES).rows

    @cached_property
    def evidence(self) -> dict[str, float]:
        """Numbers of the result that may tell whether it is right."""
        values = _known(fitted.eigenvalues_of, self.estimator)
        return evidence(self.source if self._has_points else None, self.labels, self.graph, values)

    @cached_property
    def confusion(self) -> numbers.Confusion | None:
        """Clusters against the known classes."""
        return None if self.truth is None else numbers.confusion(self.truth, self.labels)

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Rows whose cluster matches another class, or none; nowhere if no classes are known."""
        found = self.confusion
        if found is None:
            return np.zeros(len(self.labels), bool)
        class_of = {int(found.clusters[place]): found.classes[place] for place in range(found.n_matched)}
        assert self.truth is not None
        pairs = zip(self.labels.tolist(), self.truth.tolist(), strict=True)
        return np.array([label not in class_of or class_of[label] != true for label, true in pairs])

    @property
    def _has_points(self) -> bool:
        return self.source is not None and self.estimator.affinity == "self_expressive"

    def name_of_row(self, row: int) -> str:
        """The name of a row, or its number."""
        return f"row {row}" if self.names is None else str(self.names[row])


def why_not(find: Callable[[Any], Any], estimator: SubspaceMethod) -> str | None:
    """One sentence on why an estimator has no such thing; None if it has."""
    try:
        find(estimator)
    except InputError as error:
        return str(error)
    return None


def _known(find: Callable[[Any], Any], estimator: SubspaceMethod) -> Any:
    """What an estimator keeps, or None where this one has no such thing."""
    return find(estimator) if why_not(find, estimator) is None else None


def gather(
    estimator: SubspaceMethod,
    X: Any = None,
    *,
    truth: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
    image_order: Literal["C", "F"] = "C",
    origin: Origin | None = None,
) -> Material:
    """Check what the caller gave, all of it before any of the work."""
    check_is_fitted(estimator, "labels_")
    n_rows = len(estimator.labels_)
    # A sparse graph is not looked at row by row.
    source = None if X is None or issparse(X) else open_source(X)
    if source is not None and source.shape[0] != n_rows:
        raise InputError(f"X: has {source.shape[0]} rows, but the estimator was fitted to {n_rows}.")
    known = None if truth is None else np.asarray(truth)
    # By position, whatever index a table may have.
    names = None if names is None else list(names)
    for argument, given in (("truth", known), ("names", names)):
        if given is not None and len(given) != n_rows:
            raise InputError(f"{argument}: has {len(given)} entries, but there are {n_rows} rows.")
    if isinstance(source, PixelSource) and names is None:
        names = source.names
    if isinstance(source, ImageFolder):
        names = source.names if names is None else names
        image_shape = source.image_shape if image_shape is None else image_shape
    if image_order not in ("C", "F"):
        raise InputError(f"image_order={image_order!r}: must be 'C' or 'F'.")
    if image_shape is not None:
        _check_images(source, image_shape)
    return Material(estimator, source, known, names, image_shape, image_order, origin or Origin())


def _check_images(source: Source | None, image_shape: tuple[int, ...]) -> None:
    if source is None:
        raise InputError(f"image_shape={image_shape}: the images are in X, which was not given.")
    # Refuses a shape that does not fit the rows.
    numbers.tiles(source, [0], image_shape)
