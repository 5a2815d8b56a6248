"""A plan in words, and how long it may take on this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from subspan.execution.memory import in_words
from subspan.execution.tiles import TILE, in_panels, tile_product

if TYPE_CHECKING:
    from subspan.methods.planning import Plan

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


def expected_seconds(plan: Plan) -> Mapping[str, float]:
    """A rough estimate of the time of each stage on this machine."""
    problem, settings = plan.problem, plan.problem.settings
    n, d, t = problem.n_points, problem.n_features, len(problem.sizes)
    steps, n_atoms = n * t * settings.n_nonzero * settings.max_iter, problem.sizes[0]
    flops = 2.0 * n * problem.n_atoms * d
    per_step = STEP + EIGHT_BIT_STEP * n_atoms
    if plan.kept == "none":
        # A step is a product of residuals with all atoms.
        flops, per_step = 2.0 * steps * n_atoms * d, STEP
    elif plan.kept == "dictionaries":
        flops += sum(2.0 * size**2 * d for size in problem.sizes)
    loops = steps * per_step / 1e9
    entries = problem.n_coefficients * TYPICAL_PASSES
    reading = entries * DISK_STEP / 1e9 if plan.coefficients == "on disk" else 0.0
    return {
        "representation": (flops / _flops_per_second() + loops) / plan.threads,
        "embedding": (entries * problem.width * PASS_STEP / 1e9 + reading) / plan.threads,
    }


def lines_of(plan: Plan) -> Iterator[str]:
    """The table that ``subspan plan`` prints."""
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


def _time_range(seconds: float) -> str:
    """From half to twice an estimate, with the start of the kernels."""
    return in_range(seconds / UNCERTAINTY, seconds * UNCERTAINTY + START)


def in_range(low: float, high: float) -> str:
    """Two numbers of seconds, as people say them.

    Examples
    --------
    >>> in_range(0.2, 1.5), in_range(3.2, 14.5)
    ('less than 2 s', '3 to 14 s')
    """
    return f"{low:.0f} to {high:.0f} s" if high >= 2 else "less than 2 s"


@lru_cache(maxsize=1)
def _flops_per_second() -> float:
    """Rate of one thread for products of the size of tiles, from a few of them."""
    rows, panels = np.ones((TILE, 256), np.float32), in_panels(np.ones((2048, 256), np.float32))
    tile_product(rows, panels)
    start = time.perf_counter()
    for _ in range(5):
        tile_product(rows, panels)
    return 5 * 2.0 * TILE * 2048 * 256 / (time.perf_counter() - start)
