"""The compiled pursuits of a tile of queries over one dictionary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import kernel
from subspan.kernels.pursuit.looks import Scratch, look
from subspan.kernels.pursuit.state import RUNNING, Picks, Problem, State
from subspan.kernels.pursuit.step import begin, take_step, write_picks


@kernel
def pursue(problem: Problem, state: State, scratch: Scratch, picks: Picks, events: NDArray[np.int64]) -> None:
    """Solve the active queries, one after the other.

    Parameters
    ----------
    problem : IN
    state, scratch : scratch
    picks, events : OUT
    """
    scratch.panel_filled[0] = False
    for j in range(problem.queries.active.shape[0]):
        if problem.queries.active[j]:
            begin(j, problem, state, picks)
            while state.counts[RUNNING]:
                look(problem, state, scratch)
                take_step(problem, state, picks, events)
            write_picks(state, picks)
