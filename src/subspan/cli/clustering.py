"""The job behind `subspan cluster`: data in, a fitted estimator and what there is to say about it out."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from subspan import __version__
from subspan.base import SubspaceMethod
from subspan.execution.cluster import connected, local_cluster
from subspan.execution.progress import progress_shown
from subspan.sources import Source
from subspan.sources.faults import size

# Sizes of more clusters than this are summed up.
MOST_SIZES = 30
# Rows with less than this confidence are counted.
UNSURE = 0.5


@dataclass(frozen=True)
class WorkplaceOptions:
    """Where the coefficients are computed; in threads of this process if both are None."""

    workers: int | None = None
    scheduler: str | None = None

    @contextmanager
    def executor(self) -> Iterator[Any]:
        """A client of the cluster, or None."""
        if self.workers is not None:
            with local_cluster(self.workers) as client:
                yield client
        elif self.scheduler is not None:
            with connected(self.scheduler) as client:
                yield client
        else:
            yield None


def fit(
    estimator: SubspaceMethod, source: Source, workplace: WorkplaceOptions, *, in_sight: bool = False
) -> list[str]:
    """Cluster the rows, the progress on stderr if it is to be seen; returns what the library warned of."""
    # Graphs and coefficients that are handed in are needed as a whole.
    is_points = estimator.affinity == "self_expressive"
    X: Any = source if is_points else source.rows(0, source.shape[0])
    with warnings.catch_warnings(record=True) as caught, workplace.executor() as client:
        warnings.simplefilter("default")
        options = {} if client is None else {"executor": client}
        with progress_shown(lasting=False) if in_sight else nullcontext():
            estimator.fit(X, **options)
    return list(dict.fromkeys(str(warning.message) for warning in caught))


def sizes(estimator: SubspaceMethod) -> list[int]:
    """Number of rows of each cluster."""
    labels = estimator.labels_
    counted: list[int] = np.bincount(labels[labels >= 0], minlength=estimator.n_clusters_).tolist()
    return counted


def known_scores(estimator: SubspaceMethod, truth: Any) -> dict[str, float]:
    """How the labels compare with the known classes; nothing if none are known."""
    if truth is None:
        return {}
    from subspan.metrics.scores import scores

    found = scores(estimator.labels_, truth)
    return {name: found[name] for name in ("accuracy", "nmi", "ari")}


def fit_summary(
    estimator: SubspaceMethod, remarks: list[str], known: Mapping[str, float] | None = None
) -> list[str]:
    """A few lines for a person."""
    found = sizes(estimator)
    unlabelled = len(estimator.labels_) - sum(found)
    line = f"sizes: {' '.join(map(str, found))}"
    if len(found) > MOST_SIZES:
        line = f"sizes: {len(found)} clusters of {min(found)} to {max(found)} rows"
    stages = ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in estimator.stage_seconds_.items())
    lines = [line + (f", and {_rows(unlabelled)} in none" if unlabelled else ""), f"time: {stages}"]
    if hasattr(estimator, "confidence_"):
        lines = [*_about_the_choice(estimator), *lines]
    if estimator.peak_memory_ is not None:
        lines.append(f"peak memory: {size(estimator.peak_memory_)}")
    if known:
        right = f"accuracy: {known['accuracy']:.1%} of the rows are in the right cluster"
        lines.append(f"{right} (NMI {known['nmi']:.3f}, ARI {known['ari']:.3f})")
    return lines + [f"Warning: {remark}" for remark in remarks]


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"


def _about_the_choice(estimator: SubspaceMethod) -> list[str]:
    """What the front door chose, and how sure it is."""
    sure = estimator.confidence_
    weights = Counter[str]()
    for member in estimator.members_:
        weights[member["family"]] += member["weight"]
    trust = ", ".join(f"{family} {share:.0%}" for family, share in weights.most_common())
    lines = [] if estimator.n_clusters_tried_ is None else [str(estimator.n_clusters_tried_)]
    return [
        *lines,
        f"members: {len(estimator.members_)} partitions; weight of the families: {trust}",
        f"confidence: {sure.mean():.2f} on average (how far members agree); "
        f"below {UNSURE} for {_rows(int((sure < UNSURE).sum()))}",
    ]


def choice_facts(estimator: SubspaceMethod) -> dict[str, Any]:
    """What the front door tried, as JSON takes it; nothing for other methods."""
    if not hasattr(estimator, "confidence_"):
        return {}
    tried = estimator.n_clusters_tried_
    return {
        "n_clusters": estimator.n_clusters_,
        "mean_confidence": float(estimator.confidence_.mean()),
        "members": estimator.members_,
        "tried": None if tried is None else [asdict(each) for each in tried.tried],
        "agreement_by_chance": None if tried is None else tried.by_chance,
    }


def fit_facts(method: str, estimator: SubspaceMethod, source: Source, remarks: list[str]) -> dict[str, Any]:
    """The same and more, as JSON takes it."""
    n_samples, n_features = source.shape
    found = sizes(estimator)
    return {
        "version": __version__,
        "method": method,
        "parameters": estimator.get_params(deep=False),
        "data": source.name,
        "n_samples": n_samples,
        "n_features": n_features,
        "cluster_sizes": found,
        "unlabelled": n_samples - sum(found),
        "counts": estimator.counts_,
        "stage_seconds": estimator.stage_seconds_,
        "peak_memory_bytes": estimator.peak_memory_,
        "eigenvalues": estimator.eigenvalues_.tolist(),
        "eigenvectors_converged": bool(estimator.certificate_.converged),
        **choice_facts(estimator),
        "warnings": remarks,
    }
