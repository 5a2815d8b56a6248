"""How a fit in blocks will use memory and time: decided and told before any work."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Literal

import numpy as np

from subspan.embedding.atom_graph import PIECE
from subspan.embedding.atom_search import BLOCKS_ON_ATOMS
from subspan.embedding.eigen import BLOCKS_ON_ALL
from subspan.execution.memory import in_words, rounded_up, used_memory
from subspan.execution.tiles import TILE, in_panels, padded_length, tile_product
from subspan.handover import InputError
from subspan.methods.problem_size import ProblemSize
from subspan.self_expression.consensus import tile_rows
from subspan.self_expression.engine import Kept
from subspan.self_expression.plan import choose_kept, kept_bytes

# Measured: what compiling the kernels takes, which is most of it and happens once on a machine, and what
# libraries allocate at their first use.
FIRST_USE = 150 * 10**6
# Bytes for each row of the input while rows are looked at and compared, and afterwards.
PER_ROW_SCANNED = 190
PER_ROW = 40
# Nanoseconds of one step of a pursuit, and those for each atom if it looks at 8-bit rows.
STEP = 1300.0
EIGHT_BIT_STEP = 0.4
# The time of a stage is known to this factor; loading compiled kernels takes so many seconds more.
UNCERTAINTY = 2
START = 1.0
# Passes of the spectral search over all coefficients, and nanoseconds for one of them and one vector.
TYPICAL_PASSES = 25
PASS_STEP = 1.0
# Reading and checking a coefficient from disk, in nanoseconds.
DISK_STEP = 12.0
# Rows that take at most one in so many bytes of a budget are read once and kept.
ROOM_FOR_ROWS = 4
# What a fit takes at most unless it is told otherwise: copies of the rows, and bytes for what has any size.
DATA_COPIES = 4
SMALL_THINGS = 200 * 10**6

Terms = Mapping[str, int]
# In the order in which they are tried.
CoefficientPlace = Literal["in memory", "on disk"]


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
        problem, settings = self.problem, self.problem.settings
        n, d, t = problem.n_points, problem.n_features, len(problem.sizes)
        steps, n_atoms = n * t * settings.n_nonzero * settings.max_iter, problem.sizes[0]
        flops = 2.0 * n * problem.n_atoms * d
        per_step = STEP + EIGHT_BIT_STEP * n_atoms
        if self.kept == "none":
            # A step is a product of residuals with all atoms.
            flops, per_step = 2.0 * steps * n_atoms * d, STEP
        elif self.kept == "dictionaries":
            flops += sum(2.0 * size**2 * d for size in problem.sizes)
        loops = steps * per_step / 1e9
        entries = problem.n_coefficients * TYPICAL_PASSES
        reading = entries * DISK_STEP / 1e9 if self.coefficients == "on disk" else 0.0
        return {
            "representation": (flops / _flops_per_second() + loops) / self.threads,
            "embedding": (entries * problem.width * PASS_STEP / 1e9 + reading) / self.threads,
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self))

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
        rows = tile_rows(self.kept)
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


def make_plan(problem: ProblemSize, budgets: Sequence[int], threads: int, *, disk: bool) -> Plan:
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
    raise _refusal(budget, smallest, plans)


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


def _refusal(budget: int, smallest: Plan, plans: Sequence[Plan]) -> InputError:
    name, n_bytes = smallest.largest_term
    take = "take" if name.endswith("s") else "takes"
    sentence = (
        f"{{memory_budget:name}}: {in_words(budget)} is too little; "
        f"{in_words(rounded_up(smallest.peak))} would do, "
        f"of which {name} {take} {in_words(n_bytes)} and libraries {in_words(smallest.process)}"
    )
    on_disk = min(plan.peak for plan in plans)
    if on_disk < smallest.peak:
        sentence += f", or {in_words(rounded_up(on_disk))} with a {{work_dir:name}} for the coefficients"
    if not smallest.problem.few_atoms:
        sentence += "; a {dictionary_size:name} makes the rest grow with the number of points only"
    return InputError(f"{sentence}.", memory_budget=budget, work_dir=None, dictionary_size=None)


def _time_range(seconds: float) -> str:
    """From half to twice an estimate, with the start of the kernels."""
    low, high = seconds / UNCERTAINTY, seconds * UNCERTAINTY + START
    return f"{low:.0f} to {high:.0f} s" if high >= 2 else "less than 2 s"


def _lines(plan: Plan) -> Iterator[str]:
    problem = plan.problem
    yield f"{problem.n_points} points, {problem.n_features} features, about {problem.n_atoms} atoms"
    once = "; rows read once" if plan.reads_once else ""
    yield (
        f"8-bit inner products kept: {plan.kept}; {plan.threads} threads; "
        f"coefficients {plan.coefficients}{once}"
    )
    spectral = "by the atoms, without forming the affinity" if problem.few_atoms else "by the affinity"
    yield f"Spectral stage: {spectral}"
    yield f"{'libraries':24}{in_words(plan.process):>10}"
    for stage, terms in plan.stages.items():
        seconds = plan.seconds.get(stage)
        about = "" if seconds is None else f"   {_time_range(seconds)}"
        yield f"{stage:24}{in_words(plan.process + sum(terms.values())):>10}{about}"
        for name, n_bytes in terms.items():
            if n_bytes:
                yield f"  {name:22}{in_words(n_bytes):>10}"
    yield f"{'peak':24}{in_words(plan.peak):>10}"


@lru_cache(maxsize=1)
def _flops_per_second() -> float:
    """Rate of one thread for products of the size of tiles, from a few of them."""
    rows, panels = np.ones((TILE, 256), np.float32), in_panels(np.ones((2048, 256), np.float32))
    tile_product(rows, panels)
    start = time.perf_counter()
    for _ in range(5):
        tile_product(rows, panels)
    return 5 * 2.0 * TILE * 2048 * 256 / (time.perf_counter() - start)
