"""Methods that compute their coefficients in blocks: on threads or a cluster, interrupted and resumed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from subspan.affinity import ImplicitAffinity
from subspan.base import Settled, SubspaceMethod
from subspan.embedding import atom_embedding, largest_dimension
from subspan.execution.memory import parse_bytes, return_free_memory
from subspan.execution.threads import n_threads
from subspan.execution.work_directory import WorkDirectory, check_space
from subspan.execution.workplace import Workplace
from subspan.handover import Embedding, Graph, InputError, Representation
from subspan.methods.planning import Plan, default_budgets, make_plan, problem_of
from subspan.model.coding import Coding, PursuitCoding
from subspan.parameters import InBlocks, check_parameters
from subspan.self_expression.blocks import Block, account_of, assemble
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import ConsensusJob, follow_in_memory, solve_in_memory
from subspan.self_expression.stored import StoredCoefficients
from subspan.sources import Source, in_memory
from subspan.sources.opening import expanded_path

# Version of the pursuit: blocks that an older one has left in a work directory may differ in the last bits.
ARITHMETIC = 2


@dataclass(frozen=True)
class BlockRepresentation(Representation):
    """Coefficients that were found block by block."""

    # Names the job in a work directory; empty without one.
    key: str = ""


class WorksInBlocks(InBlocks, SubspaceMethod):
    """Shared by methods that keep finished blocks in a folder, and let a cluster work on them."""

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
        self._fit(X, self._workplace(executor))
        self._warn()
        return self

    def _workplace(self, executor: Any = None) -> Workplace:
        """Threads, `work_dir` and the cluster, if they go together."""
        if executor is not None and not hasattr(executor, "nthreads"):
            raise InputError("executor: must be a dask.distributed.Client, not {}.", type(executor).__name__)
        if executor is not None and self.work_dir is None:
            raise InputError(
                "executor: needs {work_dir:name}, a folder that all workers reach, for the results.",
                work_dir=None,
            )
        if self.work_dir is not None and not isinstance(self.random_state, (int, np.integer)):
            raise InputError(
                "{random_state}: {work_dir:name} needs a whole number here, or no later call could go on "
                "with what is in it.",
                random_state=self.random_state,
                work_dir=self.work_dir,
            )
        # Absolute: workers may have another current folder.
        folder = None if self.work_dir is None else expanded_path(self.work_dir).absolute()
        return Workplace(n_threads(self.n_jobs), folder, executor)


class BlockClusterer(WorksInBlocks):
    """Shared by S3COMP, S3COMP-C and SSC-OMP."""

    # With a heavy constant a pursuit picks the nearest point first, and then goes along differences to it.
    _constant = 10.0

    n_nonzero: int

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
        return self._plan(self._source(X), self._workplace())

    def _problem(self, n_features: int, seed: int) -> tuple[ConsensusSettings, dict[str, Any]]:
        """What is asked of the coefficients, and how the sub-dictionaries are drawn."""
        raise NotImplementedError

    def _coding(self, n_features: int) -> Coding | None:
        settings, _ = self._problem(n_features, 0)
        # Damping pulls towards a consensus, which a new row does not have; without it the labels are better
        # (docs/results/new-rows.md). Then more atoms than dimensions would be dependent.
        return PursuitCoding(
            n_nonzero=min(settings.n_nonzero, n_features),
            residual_tol=float(settings.residual_tol),
            selection=settings.selection,
        )

    @property
    def _extends(self) -> bool:
        return True

    def _open(self, X: Any, workplace: Workplace) -> tuple[Source, Settled]:
        """The input, once it is certain that there is memory for what will be done with it."""
        source, settled = super()._open(X, workplace)
        plan = self._plan(source, workplace)
        if workplace.folder is not None:
            check_space(workplace.folder, plan.problem.stored_bytes)
        if plan.reads_once:
            source = in_memory(source)
        # A plan may do with fewer threads.
        return source, replace(settled, plan=plan, workplace=replace(workplace, threads=plan.threads))

    def _plan(self, source: Source, workplace: Workplace) -> Plan:
        """How a fit to these rows uses memory: the one place where this is decided."""
        settings, drawing = self._problem(source.shape[1], 0)
        problem = problem_of(
            source, settings, drawing, self._n_vectors, self.normalize or self._lifts,
            # Workers read for themselves.
            may_be_read_once=not workplace.on_cluster,
        )  # fmt: skip
        # Workers have one thread each.
        threads = 1 if workplace.on_cluster else workplace.threads
        sharers = workplace.sharers()
        budgets = (
            default_budgets(problem, threads, workplace.free_memory())
            if self.memory_budget is None
            else (parse_bytes(self.memory_budget) // sharers,)
        )
        plan = make_plan(problem, budgets, threads, disk=workplace.folder is not None, sharers=sharers)
        if workplace.on_cluster and problem.few_atoms:
            # Nothing is gained by collecting what the workers have stored.
            return replace(plan, coefficients="on disk")
        return plan

    @property
    def _n_vectors(self) -> int:
        if self.n_components == "auto":
            return largest_dimension(self.n_clusters) + 1
        return self.n_components or self.n_clusters

    def _job(self, points: Source, settled: Settled) -> tuple[ConsensusJob, dict[str, Any]]:
        """What has to be solved, and how the sub-dictionaries are drawn."""
        settings, drawing = self._problem(points.shape[1], settled.seed)
        dictionaries = partial(sample_dictionaries, points.shape[0], **drawing)
        return ConsensusJob(points, dictionaries, settings, settled.plan.kept), drawing

    def _represent(self, points: Source, settled: Settled) -> BlockRepresentation:
        job, drawing = self._job(points, settled)
        workplace, work = settled.workplace, None
        if workplace.folder is None:
            found = solve_in_memory(job, workplace.threads)
        else:
            work = WorkDirectory(workplace.folder, _identity(job, drawing))
            job = replace(job, source=workplace.within_reach(points, work))
            blocks = map(Block.from_arrays, workplace.solve(job, work))
            if settled.plan.coefficients == "in memory":
                found = assemble(blocks, points.shape[0])
            else:
                stored = StoredCoefficients(work, points.shape[0], job.block_rows, points.dtype)
                found = account_of(blocks).representation(stored)
        return_free_memory()
        return self._counted(found, job, "" if work is None else work.key)

    def _follow(self, points: Source, settled: Settled) -> list[BlockRepresentation]:
        """Coefficients after each of the outer iterations."""
        job, _ = self._job(points, settled)
        course = follow_in_memory(job, settled.threads)
        return_free_memory()
        return [self._counted(representation, job) for representation in course]

    def _counted(self, found: Representation, job: ConsensusJob, key: str = "") -> BlockRepresentation:
        unusable = self.n_nonzero - job.settings.n_nonzero
        counts = {**found.counts, "atoms_beyond_n_features": unusable}
        return BlockRepresentation(found.coefficients, found.n_iter, found.changes, counts, key)

    def _connect(self, representation: Representation, settled: Settled) -> Graph:
        if not isinstance(representation, BlockRepresentation) or not settled.plan.problem.few_atoms:
            return super()._connect(representation, settled)
        affinity = ImplicitAffinity(representation.coefficients, self.scale, self.keep)
        identity = {
            "coefficients": representation.key,
            "scale": self.scale,
            "keep": self.keep,
            "seed": settled.seed,
            "vectors": self._n_vectors,
        }
        return Graph(affinity, partial(_resumable_embedding, affinity, settled.workplace, identity))


def _resumable_embedding(
    affinity: ImplicitAffinity,
    workplace: Workplace,
    identity: dict[str, Any],
    n_clusters: int,
    **options: Any,
) -> Embedding:
    """The leading eigenvectors of a graph that is not formed; a search that was interrupted goes on."""
    with workplace.keep(identity) as checkpoint:
        return atom_embedding(
            affinity, n_clusters, runner=workplace.run_pass, checkpoint=checkpoint, **options
        )


def _identity(job: ConsensusJob, drawing: dict[str, Any]) -> dict[str, Any]:
    """What the blocks depend on; n_clusters and all that comes after the coefficients may change."""
    return {
        "data": dict(part.split("=", 1) for part in job.source.fingerprint().split()),
        "parameters": {**asdict(job.settings), **drawing},
        # Changes whenever the same parameters may give other bits.
        "arithmetic": ARITHMETIC,
        "block_rows": job.block_rows,
    }
