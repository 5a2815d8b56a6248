"""Carry out one run: get the points, fit, and measure everything the experiments ask for."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from subspan.base import SubspaceMethod
from subspan.datasets import load_hopkins, make_union_of_subspaces, paper_features
from subspan.datasets.catalog import data_folder, find_dataset
from subspan.datasets.loaders import sample_per_class
from subspan.datasets.stored import read_arrays
from subspan.execution.machine import machine, versions, watched_memory
from subspan.measures import graph_measures, support_size
from subspan.methods import registry
from subspan.metrics import clustering_accuracy
from subspan.reproduction.runs import HOPKINS, N_SUBSPACES, Data, Row, Run, Value
from subspan.reproduction.sequences import follow_sequences

LabelledPoints = tuple[NDArray[np.floating], NDArray[np.int64]]

# Rows that suffice to get everything compiled before time is measured.
WARM_UP_ROWS = 200
# Defaults at the time of the committed runs, which do not name them.
AS_MEASURED: dict[str, dict[str, Any]] = {"olrsc": {"shuffle": False}}


class Laboratory:
    """The place where runs are carried out, one after the other; it keeps the points used last."""

    def __init__(self, data_dir: Path | None, n_jobs: int | None, *, progress: bool) -> None:
        self.data_dir = data_dir
        self.n_jobs = n_jobs
        self.progress = progress
        self._origin: dict[str, Any] = {}
        self._points: tuple[tuple[Data, int], LabelledPoints] | None = None
        self._warm: set[tuple[str, str]] = set()

    def check(self, runs: Sequence[Run]) -> None:
        """Refuse right away what would fail for want of a data file."""
        names = {run.data.name for run in runs}
        if HOPKINS in names:
            load_hopkins(data_dir=self.data_dir)
        for name in sorted(names - {"synthetic", HOPKINS}):
            read_arrays(find_dataset(name), data_folder(self.data_dir), ["y"])

    def perform(self, run: Run) -> Row:
        """The result of a run, as JSON takes it."""
        ((_, row),) = self.follow([run])
        return row

    def follow(self, course: Sequence[Run]) -> Iterator[tuple[Run, Row]]:
        """Runs that differ in nothing but the number of outer iterations, fewer first, with their results.

        More than one share their representation: each says of how many iterations it is, and has the time
        that passed since the one before.
        """
        self._origin = self._origin or {"machine": machine(), "versions": versions()}
        longest = course[-1]
        if longest.data.name == HOPKINS:
            for run in course:
                yield run, {**follow_sequences(run, self.data_dir, self.n_jobs), **self._about_now()}
            return
        X, y = self._get_points(longest.data, longest.seed)
        self._warm_up(longest, X)
        fits = self._fits(course, X, len(np.unique(y)))
        for _ in course:
            with warnings.catch_warnings(record=True) as remarks, watched_memory() as memory:
                warnings.simplefilter("always")
                start = time.perf_counter()
                run, model = next(fits)
                seconds = time.perf_counter() - start
            row = {
                "dataset": run.data.name,
                "n_points": len(X),
                "n_features": X.shape[1],
                "n_classes": model.n_clusters_,
                "method": run.method,
                "parameters": model.get_params(),
                "seed": run.seed,
                **self._measures(model, y),
                "course": longest.max_iter if len(course) > 1 else None,
                "seconds": seconds,
                "peak_memory_bytes": memory.n_bytes,
                "warnings": [str(remark.message) for remark in remarks],
                **self._about_now(),
            }
            yield run, row

    def _about_now(self) -> dict[str, Any]:
        """Where and when a result was made."""
        return {**self._origin, "finished": datetime.now(UTC).isoformat(timespec="seconds")}

    def _fits(
        self, course: Sequence[Run], X: NDArray[np.floating], n_clusters: int
    ) -> Iterator[tuple[Run, SubspaceMethod]]:
        """Each run with its fitted model."""
        model = self._estimator(course[-1], n_clusters)
        if len(course) == 1 or not hasattr(model, "course"):
            yield course[0], model.fit(X)
            return
        wanted = {run.max_iter: run for run in course}
        for after in model.course(X):
            if after.max_iter in wanted:
                yield wanted[after.max_iter], after

    def _estimator(self, run: Run, n_clusters: int) -> SubspaceMethod:
        parameters: dict[str, Any] = dict(run.parameters)
        method = registry.get(run.method)
        settings = {**AS_MEASURED.get(run.method, {}), **parameters}
        return method(n_clusters, **settings, n_jobs=self.n_jobs, random_state=run.seed)

    def _warm_up(self, run: Run, X: NDArray[np.floating]) -> None:
        """Fit a few rows first: what is compiled or loaded on the way is not the method's time."""
        if (run.method, run.data.name) not in self._warm:
            self._warm.add((run.method, run.data.name))
            # Few rows have no room for hundreds of exemplars or anchors; the default number fits them.
            small = tuple((key, value) for key, value in run.parameters if not _is_many(value))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._estimator(replace(run, parameters=small), 2).fit(X[:WARM_UP_ROWS])

    def _get_points(self, data: Data, seed: int) -> LabelledPoints:
        wanted = (data, seed if data.is_drawn else 0)
        if self._points is None or self._points[0] != wanted:
            # The old points make room before the new ones come.
            self._points = None
            self._points = (wanted, self._load(*wanted))
        return self._points[1]

    def _load(self, data: Data, seed: int) -> LabelledPoints:
        if data.name == "synthetic":
            return make_union_of_subspaces(
                N_SUBSPACES, n_per_subspace=data.n_per_class or 1, random_state=seed
            )
        drawn = data.n_per_class if data.name == "mnist" else None
        X, y = paper_features(
            data.name,
            n_per_class=drawn,
            random_state=seed,
            data_dir=self.data_dir,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        return subset(X, y, data, None if drawn else data.n_per_class)

    def _measures(self, model: SubspaceMethod, y: NDArray[np.int64]) -> dict[str, Any]:
        return {
            "accuracy": clustering_accuracy(y, model.labels_),
            "nmi": float(normalized_mutual_info_score(y, model.labels_)),
            "ari": float(adjusted_rand_score(y, model.labels_)),
            **graph_measures(model, y),
            "n_components": model.embedding_.shape[1],
            "support_size": support_size(getattr(model, "representation_", None)),
            "n_iter": model.n_iter_,
            "changes": list(model.changes_),
            "stage_seconds": model.stage_seconds_,
            "counts": model.counts_,
            "converged": bool(model.certificate_.converged),
        }


def _is_many(value: Value) -> bool:
    return isinstance(value, int) and value > WARM_UP_ROWS // 4


def subset(
    X: NDArray[np.floating], y: NDArray[np.int64], data: Data, n_per_class: int | None
) -> LabelledPoints:
    """The rows of the classes and in the numbers that are asked for."""
    rows = np.flatnonzero(y < data.n_classes) if data.n_classes else np.arange(len(y))
    if n_per_class:
        rows = rows[sample_per_class(y[rows], n_per_class, random_state=0)]
    return (X, y) if len(rows) == len(y) else (X[rows], y[rows])
