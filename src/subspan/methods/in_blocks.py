"""Methods that compute their coefficients in blocks: on threads or a cluster, interrupted and resumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from subspan.base import SubspaceClusterer
from subspan.execution.blocks import Arrays, run_blocks
from subspan.execution.cluster import run_on_cluster
from subspan.execution.files import whole_file
from subspan.execution.memory import memory_budget as bytes_of_budget
from subspan.execution.threads import n_threads
from subspan.execution.work_directory import WorkDirectory
from subspan.handover import InputError, Representation
from subspan.self_expression.blocks import Block, assemble
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob, plan_for
from subspan.sources import ArraySource, Source
from subspan.sources.npy import NpySource


class BlockClusterer(SubspaceClusterer):
    """Shared by S3COMP, S3COMP-C and SSC-OMP."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "work_dir": [str, PathLike, None],
    }
    work_dir: str | PathLike[str] | None

    def fit(self, X: ArrayLike, y: object = None, *, executor: Any = None) -> Self:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or source
            The points; or a file or folder that `subspan.sources.open_source` reads, which is then read
            block by block. With ``affinity="precomputed"`` a symmetric non-negative graph instead, with
            ``affinity="precomputed_representation"`` a matrix of coefficients, row j representing point j;
            both may be sparse.
        y : ignored
        executor : dask.distributed.Client, optional
            A cluster whose workers compute the coefficients; `work_dir` must then be a folder that all
            of them reach.

        Returns
        -------
        self
        """
        with self._work_shared(executor):
            self._fit(X)
        self._warn()
        return self

    @contextmanager
    def _work_shared(self, executor: Any) -> Iterator[None]:
        """Know the cluster during a fit and no longer: an estimator has to be copied and stored."""
        if executor is not None and self.work_dir is None:
            raise InputError("executor: needs work_dir, a folder that all workers reach, for the results.")
        if self.work_dir is not None and not isinstance(self.random_state, (int, np.integer)):
            raise InputError(
                f"random_state={self.random_state}: work_dir needs a whole number here, or no later call "
                "could go on with what is in it."
            )
        self._executor = executor
        try:
            yield
        finally:
            del self._executor

    def _represent_in_blocks(
        self, points: Source, settings: ConsensusSettings, unit_norm: bool, drawing: dict[str, Any]
    ) -> Representation:
        """Coefficients over the sub-dictionaries that `drawing` describes."""
        dictionaries = partial(sample_dictionaries, points.shape[0], **drawing)
        budget = bytes_of_budget(self.memory_budget) // self._n_processes()
        plan = plan_for(points, dictionaries(), settings.n_nonzero, budget)
        job = ConsensusJob(points, dictionaries, settings, plan, unit_norm)
        blocks = [Block.from_arrays(arrays) for arrays in self._solved(job, drawing)]
        return assemble(blocks, points.shape[0])

    def _n_processes(self) -> int:
        return 1 if self._executor is None else max(1, len(self._executor.nthreads()))

    def _solved(self, job: ConsensusJob, drawing: dict[str, Any]) -> Iterator[Arrays]:
        if self.work_dir is None:
            return run_blocks(job, n_threads(self.n_jobs))
        work = WorkDirectory(Path(self.work_dir), _identity(job, drawing))
        if self._executor is None:
            return run_blocks(job, n_threads(self.n_jobs), work)
        return run_on_cluster(_portable(job, work), self._executor, work)


def _identity(job: ConsensusJob, drawing: dict[str, Any]) -> dict[str, Any]:
    """What the blocks depend on; n_clusters and all that comes after the coefficients may change."""
    return {
        "data": dict(part.split("=", 1) for part in job.source.fingerprint().split()),
        "parameters": {**asdict(job.settings), **drawing, "unit_norm": job.unit_norm},
        # Gram rows and products with residuals round differently.
        "arithmetic": "residual" if job.gram_plan == "residual" else "gram",
        "block_rows": job.block_rows,
    }


def _portable(job: ConsensusJob, work: WorkDirectory) -> ConsensusJob:
    """The job with points that a worker can read: those of an array are put beside the results."""
    if not isinstance(job.source, ArraySource):
        return job
    # Named after the job: another one may be at work in this folder, and is only refused later.
    path = work.path / f"points-{work.key}.npy"
    work.path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with whole_file(path) as file:
        np.save(file, job.source.array)
    return ConsensusJob(
        NpySource(path), job.dictionaries, job.settings, job.gram_plan, job.unit_norm, job.block_rows
    )
