"""The compiled pursuits of a tile of queries over one dictionary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel
from subspan.kernels.pursuit.looks import look
from subspan.kernels.pursuit.residual_look import fill_panels, multiply_together
from subspan.kernels.pursuit.state import RUNNING, Picks, Problem, Scratch, State, state_of
from subspan.kernels.pursuit.step import begin, take_step, write_picks


@kernel
def pursue(
    problem: Problem, states: State, scratch: Scratch, picks: Picks, events: NDArray[np.int64]
) -> None:
    """Solve the active queries, as many at a time as there are states.

    Parameters
    ----------
    problem : IN
    states, scratch : scratch
    picks, events : OUT
    """
    active, n_together = problem.queries.active, states.counts.shape[0]
    by_residual = problem.numbers.words.shape[0] == 0
    if by_residual:
        fill_panels(problem, scratch)
    for first in range(0, active.shape[0], n_together):
        n = min(n_together, active.shape[0] - first)
        for member in range(n_together):
            state = state_of(member, states)
            state.counts[RUNNING] = 0
            if member < n and active[first + member]:
                begin(first + member, problem, state, picks)
        running = True
        while running:
            if by_residual:
                multiply_together(problem, states, scratch)
            running = False
            for member in range(n):
                state = state_of(member, states)
                if state.counts[RUNNING]:
                    look(problem, state, scratch)
                    take_step(problem, state, scratch, picks, events)
                    running = running or state.counts[RUNNING] > 0
        for member in range(n):
            if active[first + member]:
                write_picks(state_of(member, states), picks)
