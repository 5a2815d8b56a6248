"""The look at the residual: its products with all atoms, in single precision.

All queries under way share one product of matrices, which reads the atoms once for all of them.
"""

from __future__ import annotations

import numpy as np

from subspan.kernels.jit import part
from subspan.kernels.products import STRIP, multiply_block
from subspan.kernels.pursuit.state import PRODUCTS, QUERY, RUNNING, Problem, Scratch, State, state_of
from subspan.kernels.pursuit.step import form_residual

# Largest score.
SHARP = 2.0**30


@part
def fill_panels(problem: Problem, scratch: Scratch) -> None:
    """Copy the weighted atoms of the dictionary into panels; the longest gets length 1."""
    atoms, panels = problem.atoms, scratch.panels
    width = panels.shape[2]
    for i in range(problem.dictionary.atoms.shape[0]):
        atom, panel = problem.dictionary.atoms[i], panels[i // width]
        weight = atoms.weights[atom] / problem.reach.longest
        for d in range(panels.shape[1]):
            panel[d, i % width] = np.float32(weight * atoms.rows[atom, d])


@part
def residual_length(problem: Problem, state: State) -> float:
    """Length of the residual, which is brought up to date."""
    form_residual(problem.queries, problem.atoms, state)
    # Relative to the query, so that no square overflows.
    norm = problem.queries.norms[state.counts[QUERY]]
    squared = 0.0
    for d in range(state.residual.shape[0]):
        squared += (np.float64(state.residual[d]) / norm) ** 2
    return float(norm * np.sqrt(squared))


@part
def multiply_together(problem: Problem, states: State, scratch: Scratch) -> None:
    """Products of all atoms with the residuals of all queries under way, each scaled to length 1."""
    strips, n = scratch.strips, 0
    for member in range(states.counts.shape[0]):
        state = state_of(member, states)
        if state.counts[RUNNING]:
            length = residual_length(problem, state)
            scratch.lengths[n] = length
            state.counts[PRODUCTS] = n
            for d in range(strips.shape[1]):
                share = state.residual[d] / length if length > 0 else 0.0
                strips[n // STRIP, d, n % STRIP] = np.float32(share)
            n += 1
    multiply_block(strips[: -(-n // STRIP)], scratch.panels, scratch.edge, scratch.products[:n])


@part
def look_at_residual(problem: Problem, state: State, scratch: Scratch) -> tuple[float, float]:
    """Fill `scratch.product_scores` with all scores; returns their unit and a bound on their error."""
    products, scores = scratch.products[state.counts[PRODUCTS]], scratch.product_scores
    # Integers compare faster. They have more digits than single precision, so nothing is lost.
    for i in range(np.uint64(problem.dictionary.atoms.shape[0])):
        scores[i] = np.int32(products[i] * np.float32(SHARP))
    for i in range(problem.dictionary.atoms.shape[0], scores.shape[0]):
        scores[i] = 0
    largest = problem.reach.longest * scratch.lengths[state.counts[PRODUCTS]]
    return largest / SHARP, 4 * problem.reach.rounding * largest
