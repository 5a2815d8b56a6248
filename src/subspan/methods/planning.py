"""How large a fit in blocks is, and how it will use memory: decided before any work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Literal

from subspan.embedding.atom_graph import PIECE
from subspan.embedding.atom_search import BLOCKS_ON_ATOMS
from subspan.embedding.eigen import BLOCKS_ON_ALL, GUARD_VECTORS
from subspan.execution.memory import in_words, rounded_up, used_memory
from subspan.execution.tiles import TILE, padded_length
from subspan.handover import InputError
from subspan.methods.forecast import expected_seconds, lines_of
from subspan.self_expression.consensus import ConsensusSettings
from subspan.self_expression.kept import TILE_ROWS, Kept, choose_kept, kept_bytes
from subspan.sources import ArraySource, Packed, Source

# The spectral stage goes by the atoms alone where there are many points and far fewer atoms.
MANY_POINTS = 1 << 15
POINTS_PER_ATOM = 2
# Measured: memory for compiling the kernels, which happens once on a machine, and for the first use of
# libraries.
FIRST_USE = 150 * 10**6
# Bytes for each row of the input while rows are looked at and compared, and afterwards.
PER_ROW_SCANNED = 190
PER_ROW = 40
# Rows of a file are read once and kept if the budget would hold so many copies of them.
ROOM_FOR_ROWS = 4
# The default budget has room for so many copies of the rows, and for so many bytes of small arrays.
DATA_COPIES = 4
SMALL_THINGS = 200 * 10**6

Terms = Mapping[str, int]
# In the order in which they are tried.
CoefficientPlace = Literal["in memory", "on disk"]


@dataclass(frozen=True)
class ProblemSize:
    """The sizes that memory and time depend on."""

    n_points: int
    n_features: int
    itemsize: int
    # Points in each sub-dictionary, and in any of them.
    sizes: Sequence[int]
    n_atoms: int
    settings: ConsensusSettings
    n_vectors: int
    # Bytes of rows that stay in memory in any case.
    rows_held: int
    # Whether the rows are elsewhere, and may be read into memory as a whole.
    may_be_read_once: bool = False

    @property
    def row_bytes(self) -> int:
        """Bytes of all rows."""
        return self.n_points * self.n_features * self.itemsize

    @property
    def few_atoms(self) -> bool:
        """Whether the spectral stage goes by the atoms alone."""
        return self.n_points >= MANY_POINTS and self.n_atoms * POINTS_PER_ATOM <= self.n_points

    @property
    def n_coefficients(self) -> int:
        """Most entries that C can have."""
        return self.n_points * min(self.settings.n_nonzero * len(self.sizes), self.n_atoms)

    @property
    def stored_bytes(self) -> int:
        """What the coefficients take on disk, at most."""
        return self.n_coefficients * (4 + self.itemsize) + self.n_points * 8

    @property
    def width(self) -> int:
        """Vectors that the spectral search moves at a time."""
        return self.n_vectors + GUARD_VECTORS


def problem_of(
    source: Source,
    settings: ConsensusSettings,
    drawing: Mapping[str, object],
    n_vectors: int,
    normalize: bool,
    *,
    may_be_read_once: bool = False,
) -> ProblemSize:
    """The sizes of a problem; the number of atoms is what a draw has on average, which takes no draw."""
    n_points, n_features = source.shape
    kept = drawing.get("size") or n_points * (1 - float(str(drawing["dropout"])))
    share = min(1.0, float(str(kept)) / n_points)
    n_subproblems = int(str(drawing["n_subproblems"]))
    missed = 0.0 if drawing.get("cover") else (1 - share) ** n_subproblems
    n_atoms = round(n_points * (1 - missed))
    itemsize = source.dtype.itemsize
    held = source.held_bytes
    if isinstance(source, ArraySource):
        # The rows are in memory already; only a copy of unit norm is counted.
        held = n_points * n_features * itemsize if normalize else 0
        may_be_read_once = False
    elif isinstance(source, Packed):
        # An archive is unpacked as a whole.
        held *= 1 + normalize
        may_be_read_once = False
    sizes = (round(share * n_points),) * n_subproblems
    return ProblemSize(
        n_points, n_features, itemsize, sizes, n_atoms, settings, n_vectors, held, may_be_read_once
    )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What a fit will do.

    `str(plan)` is the table that ``subspan plan`` prints.
    """

    problem: ProblemSize
    # Which 8-bit inner products are kept.
    kept: Kept
    threads: int
    # Where the coefficients are while the spectral stage works with them.
    coefficients: CoefficientPlace
    # What the process has already.
    process: int
    # Whether the rows of a file are read once, and kept.
    reads_once: bool = False

    @cached_property
    def stages(self) -> Mapping[str, Terms]:
        """Bytes by stage and by what they are for, without those of the process."""
        return {
            "reading": self._reading(),
            "representation": self._representation(),
            "embedding": self._on_atoms() if self.problem.few_atoms else self._on_all(),
            "labeling": self._labeling(),
        }

    @property
    def peak(self) -> int:
        """Bytes of the whole process, at most."""
        return self.process + max(sum(terms.values()) for terms in self.stages.values())

    @property
    def largest_term(self) -> tuple[str, int]:
        """What takes most in the stage that takes most."""
        worst = max(self.stages.values(), key=lambda terms: sum(terms.values()))
        return max(worst.items(), key=lambda item: item[1])

    @cached_property
    def seconds(self) -> Mapping[str, float]:
        """A rough estimate of the time of each stage on this machine."""
        return expected_seconds(self)

    def __str__(self) -> str:
        return "\n".join(lines_of(self))

    def _per_row(self, n_bytes: int) -> int:
        return self.problem.n_points * n_bytes

    @property
    def _common(self) -> dict[str, int]:
        return {"rows held": self._rows_held, "row numbers": self._per_row(PER_ROW)}

    @property
    def _rows_held(self) -> int:
        return self.problem.rows_held + self.reads_once * self.problem.row_bytes

    def _reading(self) -> Terms:
        # As read, and brought to unit norm.
        held = self._rows_held + self.reads_once * self.problem.row_bytes
        return {"rows held": held, "row numbers": self._per_row(PER_ROW_SCANNED)}

    @property
    def _kept_coefficients(self) -> int:
        if self.coefficients == "on disk":
            return 0
        return self.problem.n_coefficients * (4 + self.problem.itemsize)

    def _representation(self) -> Terms:
        problem, item = self.problem, self.problem.itemsize
        n_subproblems = len(problem.sizes)
        # Every point counts as an atom where numbers between all of them are kept.
        n_atoms = problem.n_points if self.kept in ("shared", "all") else problem.n_atoms
        longest = n_atoms if self.kept == "shared" else max(problem.sizes)
        settings = problem.settings
        n_targets = min(settings.n_nonzero * n_subproblems, n_atoms)
        rows = TILE_ROWS[self.kept]
        tile = rows * (n_targets * 12 + problem.n_features * item * 3) + n_atoms * 16
        tile += n_subproblems * rows * settings.n_nonzero * 12
        # Scores and candidates of one look.
        tile += longest * 32
        if self.kept == "none":
            # Atoms of a dictionary, feature by feature, and their products with residuals.
            tile += longest * (problem.n_features + rows) * 4
        else:
            tile += TILE * n_atoms * 5
        copies = 2 * item + (0 if self.kept == "none" else 8)
        return {
            **self._common,
            # As read, and with their features padded; twice in single precision for products.
            "atoms": copies * n_atoms * padded_length(problem.n_features),
            "8-bit inner products": kept_bytes(self.kept, problem.n_points, problem.sizes),
            "sub-dictionaries": sum(problem.sizes) * 28 + n_subproblems * n_atoms * 4,
            "buffers of the threads": self.threads * tile,
            # Twice: in blocks, and put together.
            "coefficients": 2 * self._kept_coefficients,
        }

    def _on_atoms(self) -> Terms:
        problem = self.problem
        block = problem.n_atoms * problem.width * 8
        among = problem.n_atoms * problem.n_coefficients // problem.n_points
        return {
            **self._common,
            "coefficients": self._kept_coefficients,
            "vertices": self._per_row(60),
            "edges among the atoms": 40 * among,
            # With their images, and what a step of the search takes beside them.
            "trial vectors": (3 * BLOCKS_ON_ATOMS + 9) * block,
            "buffers of the threads": self.threads * (block + PIECE * self._row_of_coefficients * 3),
            "embedding": self._embedding,
        }

    def _on_all(self) -> Terms:
        problem = self.problem
        entries = problem.n_coefficients
        return {
            **self._common,
            "coefficients": entries * (4 + problem.itemsize),
            # The graph, a copy in float64 with its rows scaled, and what its sum passes through.
            "affinity": 2 * entries * (4 + problem.itemsize + 24),
            "trial vectors": (2 * BLOCKS_ON_ALL + 4) * problem.width * self._per_row(8),
        }

    def _labeling(self) -> Terms:
        problem = self.problem
        looked_at = problem.n_atoms if problem.few_atoms else problem.n_points
        return {
            **self._common,
            "coefficients": self._kept_coefficients,
            "embedding": self._embedding,
            "k-means": looked_at * problem.n_vectors * 8 * 3 + self._per_row(32),
        }

    @property
    def _embedding(self) -> int:
        return self._per_row(self.problem.n_vectors * (4 if self.problem.few_atoms else 8))

    @property
    def _row_of_coefficients(self) -> int:
        return self.problem.n_coefficients // self.problem.n_points * (4 + self.problem.itemsize)


def default_budgets(problem: ProblemSize, threads: int, free: int) -> tuple[int, ...]:
    """What the process may take in all if nobody says: the machine should stay usable.

    A few copies of the rows and what makes the pursuits fast, and half of what is free at most; where
    nothing fits into that, half of what is free, and then all of it.

    Parameters
    ----------
    problem : ProblemSize
    threads : int
    free : int
        Bytes that are free for the process.
    """
    plan = Plan(problem, "all", threads, "in memory", 0)
    fast = kept_bytes("all", problem.n_points, problem.sizes)
    fast += plan.stages["representation"]["buffers of the threads"]
    modest = DATA_COPIES * problem.row_bytes + fast + FIRST_USE + SMALL_THINGS
    used = used_memory()
    return tuple(used + room for room in (min(modest, free // 2), free // 2, free))


def make_plan(
    problem: ProblemSize, budgets: Sequence[int], threads: int, *, disk: bool, sharers: int = 1
) -> Plan:
    """The fastest plan that fits.

    Parameters
    ----------
    problem : ProblemSize
    budgets : sequence of int
        Bytes that the process may take in all; the first one that is enough counts.
    threads : int
        Most threads to use.
    disk : bool
        Whether there is a work directory, so that coefficients may stay on disk.
    sharers : int
        Processes that have such a budget each, of what the caller has given or may give.

    Raises
    ------
    InputError
        If none fits: with the smallest budget that would do, and what takes most of it.
    """
    process = used_memory() + FIRST_USE
    for budget in budgets:
        plans = list(_candidates(problem, budget - process, threads, process))
        possible = [plan for plan in plans if disk or plan.coefficients == "in memory"]
        fitting = [plan for plan in possible if plan.peak <= budget]
        if fitting:
            # By what is known to be faster, not by a clock: the same sizes must give the same plan.
            best = min(fitting, key=lambda plan: (plan.kept == "none", -plan.threads, plan.coefficients))
            return _reading_once(best, budget)
    smallest = min(possible, key=lambda plan: plan.peak)
    raise _refusal(budget, smallest, plans, sharers)


def _reading_once(plan: Plan, budget: int) -> Plan:
    """The plan with its rows read once, if there is ample room for them."""
    problem, once = plan.problem, replace(plan, reads_once=True)
    ample = problem.row_bytes * ROOM_FOR_ROWS <= budget and once.peak <= budget
    return once if problem.may_be_read_once and ample else plan


def _candidates(problem: ProblemSize, room: int, threads: int, process: int) -> Iterator[Plan]:
    places: tuple[CoefficientPlace, ...] = ("in memory", "on disk") if problem.few_atoms else ("in memory",)
    for n_threads, place in product(dict.fromkeys((threads, 1)), places):
        bare = Plan(problem, "none", n_threads, place, process)
        # What the buffers of looks at 8-bit rows take comes on top.
        looking = replace(bare, kept="dictionaries")
        rest = sum(looking.stages["representation"].values())
        rest -= kept_bytes("dictionaries", problem.n_points, problem.sizes)
        kept = choose_kept(
            problem.n_points, problem.n_atoms, problem.sizes, problem.n_features,
            problem.settings.n_nonzero, max(room - rest, 0),
        )  # fmt: skip
        yield bare
        if kept != "none":
            yield replace(bare, kept=kept)


def _refusal(budget: int, smallest: Plan, plans: Sequence[Plan], sharers: int) -> InputError:
    def enough(peak: int) -> str:
        return in_words(rounded_up(peak * sharers))

    name, n_bytes = smallest.largest_term
    take = "take" if name.endswith("s") else "takes"
    of_each = f" for {sharers} workers of one machine" if sharers > 1 else ""
    sentence = (
        f"{{memory_budget:name}}: {in_words(budget * sharers)} is too little{of_each}; "
        f"{enough(smallest.peak)} would do, of which {name} {take} {in_words(n_bytes * sharers)} "
        f"and libraries {in_words(smallest.process * sharers)}"
    )
    on_disk = min(plan.peak for plan in plans)
    if on_disk < smallest.peak:
        sentence += f", or {enough(on_disk)} with a {{work_dir:name}} for the coefficients"
    if not smallest.problem.few_atoms:
        sentence += "; a {dictionary_size:name} makes the rest grow with the number of points only"
    return InputError(f"{sentence}.", memory_budget=budget, work_dir=None, dictionary_size=None)
