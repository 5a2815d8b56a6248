"""Methods that compute their coefficients in blocks: on threads or a cluster, interrupted and resumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from subspan.affinity import ImplicitAffinity
from subspan.base import SubspaceClusterer
from subspan.embedding import atom_embedding, largest_dimension
from subspan.execution.blocks import Arrays, run_blocks
from subspan.execution.cluster import run_on_cluster
from subspan.execution.files import whole_file
from subspan.execution.memory import parse_bytes, return_free_memory
from subspan.execution.threads import n_threads
from subspan.execution.work_directory import WorkDirectory
from subspan.handover import Embedding, InputError, Representation
from subspan.methods.kept_search import kept_search, pass_on_cluster
from subspan.methods.planning import Plan, Problem, default_budgets, make_plan, problem_of
from subspan.parameters import check_parameters
from subspan.self_expression.blocks import Block, account_of, assemble
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob, follow_in_memory, solve_in_memory
from subspan.self_expression.stored import StoredCoefficients
from subspan.sources import ArraySource, Source, in_memory
from subspan.sources.npy import NpySource

# Of the pursuit, for blocks that an earlier version has left in a work directory.
ARITHMETIC = 2


class BlockClusterer(SubspaceClusterer):
    """Shared by S3COMP, S3COMP-C and SSC-OMP."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubspaceClusterer._parameter_constraints,
        "work_dir": [str, PathLike, None],
    }
    n_nonzero: int
    work_dir: str | PathLike[str] | None

    def fit(self, X: ArrayLike, y: object = None, *, executor: Any = None) -> Self:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or source
            The points; or a file or folder that `subspan.sources.open_source` reads: once if its rows take
            at most a quarter of the memory budget, block by block otherwise. With
            ``affinity="precomputed"`` a symmetric non-negative graph instead, with
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

    def plan(self, X: ArrayLike) -> Plan:
        """How a fit to `X` would use memory and time; reads no more than its size.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or source

        Returns
        -------
        Plan
            Decisions, bytes by stage and a rough estimate of time; print it.
        """
        check_parameters(self)
        return self._plan(super()._source(X))

    def _problem(self, n_features: int, seed: int) -> tuple[ConsensusSettings, dict[str, Any]]:
        """What is asked of the coefficients, and how the sub-dictionaries are drawn."""
        raise NotImplementedError

    def _source(self, X: Any) -> Source:
        """The input, once it is certain that there is memory for what will be done with it."""
        source = super()._source(X)
        return in_memory(source) if self._plan(source).reads_once else source

    @property
    def _stored(self) -> bool:
        return self.work_dir is not None

    def _job(self, points: Source, seed: int) -> tuple[ConsensusJob, dict[str, Any]]:
        """What has to be solved, once it is planned how, and how the sub-dictionaries are drawn."""
        settings, drawing = self._problem(points.shape[1], seed)
        dictionaries = partial(sample_dictionaries, points.shape[0], **drawing)
        self._chosen = self._plan(points, ready=True)
        return ConsensusJob(points, dictionaries, settings, self._chosen.kept), drawing

    def _represent(self, points: Source, unit_norm: bool, seed: int) -> Representation:
        job, drawing = self._job(points, seed)
        plan = self._chosen
        work = self._work(job, drawing)
        self._work_key = None if work is None else work.key
        if work is None:
            representation = solve_in_memory(job, plan.threads)
        else:
            blocks = map(Block.from_arrays, self._solved(job, plan.threads, work))
            if plan.coefficients == "in memory":
                representation = assemble(blocks, points.shape[0])
            else:
                stored = StoredCoefficients(work, points.shape[0], job.block_rows, points.dtype)
                representation = account_of(blocks).representation(stored)
        return_free_memory()
        return self._counted(representation, job)

    def _follow(self, points: Source, unit_norm: bool, seed: int) -> list[Representation]:
        """Coefficients after each of the outer iterations."""
        job, _ = self._job(points, seed)
        course = follow_in_memory(job, self._chosen.threads)
        return_free_memory()
        return [self._counted(representation, job) for representation in course]

    def _counted(self, representation: Representation, job: ConsensusJob) -> Representation:
        representation.counts["atoms_beyond_n_features"] = self.n_nonzero - job.settings.n_nonzero
        return representation

    def _plan(self, source: Source, ready: bool = False) -> Plan:
        """The plan for these rows; `ready` if they have been read and normalised."""
        settings, drawing = self._problem(source.shape[1], 0)
        executor = getattr(self, "_executor", None)
        problem = problem_of(
            source, settings, drawing, self._n_vectors, self.normalize and not ready,
            # Workers read for themselves.
            may_be_read_once=executor is None and not ready,
        )  # fmt: skip
        if executor is None:
            threads = n_threads(self.n_jobs)
            return make_plan(problem, self._budgets(problem, threads), threads, disk=self._stored)
        # Workers share the budget, one thread each; nothing is gained by collecting what they have stored.
        n_workers = max(1, len(executor.nthreads()))
        shares = [budget // n_workers for budget in self._budgets(problem, n_workers)]
        plan = make_plan(problem, shares, 1, disk=True)
        return replace(plan, coefficients="on disk") if problem.few_atoms else plan

    def _budgets(self, problem: Problem, threads: int) -> tuple[int, ...]:
        if self.memory_budget is None:
            return default_budgets(problem, threads)
        return (parse_bytes(self.memory_budget),)

    @property
    def _n_vectors(self) -> int:
        if self.n_components == "auto":
            return largest_dimension(self.n_clusters) + 1
        return self.n_components or self.n_clusters

    def _work(self, job: ConsensusJob, drawing: dict[str, Any]) -> WorkDirectory | None:
        if self.work_dir is None:
            return None
        # Workers may have another current folder.
        return WorkDirectory(Path(self.work_dir).absolute(), _identity(job, drawing))

    def _solved(self, job: ConsensusJob, threads: int, work: WorkDirectory) -> Iterator[Arrays]:
        if self._executor is None:
            return run_blocks(job, threads, work)
        return run_on_cluster(_portable(job, work), self._executor, work)

    def _affinity(self) -> csr_array | NDArray[np.floating] | ImplicitAffinity:
        if self.affinity == "self_expressive" and self._chosen.problem.few_atoms:
            return ImplicitAffinity(self.representation_, self.scale)
        return super()._affinity()

    def _embedding(self, seed: int) -> Embedding:
        if not isinstance(self.affinity_, ImplicitAffinity):
            return super()._embedding(seed)
        search = partial(
            atom_embedding,
            self.affinity_,
            self.n_clusters,
            n_components=self.n_components,
            seed=seed,
            n_threads=self._chosen.threads,
        )
        if self.work_dir is None:
            return search()
        place = Path(self.work_dir).absolute()
        runner = None if self._executor is None else partial(pass_on_cluster, self._executor, place)
        identity = {
            "coefficients": self._work_key,
            "scale": self.scale,
            "seed": seed,
            "vectors": self._n_vectors,
        }
        with kept_search(place, identity) as checkpoint:
            return search(runner=runner, checkpoint=checkpoint)


def _identity(job: ConsensusJob, drawing: dict[str, Any]) -> dict[str, Any]:
    """What the blocks depend on; n_clusters and all that comes after the coefficients may change."""
    return {
        "data": dict(part.split("=", 1) for part in job.source.fingerprint().split()),
        "parameters": {**asdict(job.settings), **drawing},
        # Changes whenever the same parameters may give other bits.
        "arithmetic": ARITHMETIC,
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
    return ConsensusJob(NpySource(path), job.dictionaries, job.settings, job.kept, job.block_rows)
