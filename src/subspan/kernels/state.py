"""What a tile of pursuits works on and remembers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Columns of PursuitState.numbers.
N_ATOMS, N_SPECIAL, N_REFUSED, N_DROPPED, RUNNING = range(5)
# Entries of Search.account.
SHARE, LAST_TOP, ROUNDING = range(3)
# Entries of `counts`.
DEPENDENT, TWINS = range(2)


class Rules(NamedTuple):
    """How atoms are picked and when a pursuit ends."""

    n_nonzero: int
    damping: float
    squared_tol: float
    # Unit roundoff of the data: below it a residual or a pivot is noise.
    precision: float
    # Largest rounding error of an inner product of two rows of unit length.
    product_error: float
    # True: exact decrease of the objective; False: the paper's psi.
    greedy: bool
    unit_norm: bool
    # True: dropped atoms where the target is not zero may be picked too (the paper's appendix).
    from_dropped: bool
    # Largest change of a score when the residual moves by one.
    reach: float
    # Length of the longest atom.
    longest: float
    # Numbers that a search must read of Gram rows for a shortcut to be worth its overhead.
    shortcut_from: int
    # Every bit of the data's type but the sign, as an integer of the same width.
    magnitude_mask: np.signedinteger


class Dictionary(NamedTuple):
    """One sub-dictionary: which of all atoms it kept, and what is known of them."""

    # (m,) sorted positions among all atoms; empty if `gram` spans all atoms.
    columns: NDArray[np.int32]
    # (n_atoms,) position inside the dictionary, -1 if dropped.
    position: NDArray[np.int32]
    # (m, m), or (0, 0) where correlations come from products with residuals.
    gram: NDArray[np.floating]
    # (m,) factor of every score, or empty.
    weights: NDArray[np.floating]


class Points(NamedTuple):
    """A tile of points with their consensus targets c_j."""

    # (., n_atoms) inner products with all atoms, and the row of each point.
    correlations: NDArray[np.floating]
    row: NDArray[np.int64]
    squared_norms: NDArray[np.float64]
    # Position among all atoms, or -1.
    own: NDArray[np.int32]
    active: NDArray[np.bool_]
    # Sorted positions among all atoms, values and number of the entries of c_j.
    target_index: NDArray[np.int32]
    target_value: NDArray[np.float64]
    target_count: NDArray[np.int32]


class PursuitState(NamedTuple):
    """Everything a pursuit remembers between two steps; one slot for each point under way."""

    numbers: NDArray[np.int64]
    squared_residual: NDArray[np.float64]
    rows: NDArray[np.int64]
    correlation: NDArray[np.float64]
    target: NDArray[np.float64]
    cholesky: NDArray[np.float64]
    forward: NDArray[np.float64]
    values: NDArray[np.float64]
    coefficients: NDArray[np.floating]
    special_position: NDArray[np.int64]
    special_target: NDArray[np.float64]
    special_score: NDArray[np.float64]
    special_blocked: NDArray[np.bool_]


class Search(NamedTuple):
    """Scratch of a pursuit that looks for its next atom."""

    # As many as the dictionary has atoms: correlations of the point, where they have to be gathered.
    base: NDArray[np.floating]
    # Whole chunks, zero beyond the atoms: correlations of the point minus some combination of Gram rows,
    # and the same with weights, or empty.
    scores: NDArray[np.floating]
    weighted: NDArray[np.floating]
    # What is compared, as integers, the largest of each group, and of each group of these.
    bits: NDArray[np.signedinteger]
    tops: NDArray[np.signedinteger]
    peaks: NDArray[np.signedinteger]
    # Those that may hold the largest, with one place more than is used: groups of groups, groups, atoms.
    listed: NDArray[np.int64]
    groups: NDArray[np.int64]
    candidates: NDArray[np.int64]
    # That combination: how much of the row of each atom has been subtracted.
    taken: NDArray[np.float64]
    # Changes d of the coefficients, and L' d for the factor L of the system.
    changes: NDArray[np.float64]
    image: NDArray[np.float64]
    # Rows that are subtracted next, and how much of them.
    chosen: NDArray[np.int64]
    amounts: NDArray[np.floating]
    # Inner products of a new atom with those before it, and with itself.
    cross: NDArray[np.float64]
    # Which share of the largest score the scores may be wrong by, that score at the last search (0 before
    # the first), and the rounding errors in the scores so far.
    account: NDArray[np.float64]
    # One number and its bits.
    number: NDArray[np.floating]
    pattern: NDArray[np.signedinteger]


class Memory(NamedTuple):
    """What scans of earlier outer iterations saw of one sub-problem, step by step."""

    # Atoms picked, as positions in the dictionary.
    rows: NDArray[np.int64]
    # No plain score besides the pick was larger; -1 where nothing is known.
    runner_up: NDArray[np.float64]
    # Coefficients of the residual that was scanned.
    values: NDArray[np.float64]


class Picks(NamedTuple):
    """OUT: the solutions b_j, as positions among all atoms and values."""

    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: NDArray[np.int32]


def new_memory(n_points: int, n_nonzero: int) -> Memory:
    """Memory of nothing yet."""
    shape = (n_points, n_nonzero)
    return Memory(np.full(shape, -1, np.int64), np.full(shape, -1.0), np.zeros((*shape, n_nonzero)))


def bits_type(dtype: np.dtype) -> type[np.signedinteger]:
    """Integers as wide as the numbers."""
    return np.int32 if dtype.itemsize == 4 else np.int64


def new_state(n_slots: int, n_nonzero: int, n_targets: int, dtype: np.dtype) -> PursuitState:
    """Allocate the state of `n_slots` pursuits whose targets have at most `n_targets` entries."""
    s = n_nonzero
    # The point itself, s picks, and at most s + 1 refusals join the targets.
    n_special = n_targets + 2 * s + 2
    return PursuitState(
        numbers=np.zeros((n_slots, 5), np.int64),
        squared_residual=np.zeros(n_slots),
        rows=np.zeros((n_slots, s), np.int64),
        correlation=np.zeros((n_slots, s)),
        target=np.zeros((n_slots, s)),
        cholesky=np.zeros((n_slots, s, s)),
        forward=np.zeros((n_slots, s)),
        values=np.zeros((n_slots, s)),
        coefficients=np.zeros((n_slots, s), dtype),
        special_position=np.zeros((n_slots, n_special), np.int64),
        special_target=np.zeros((n_slots, n_special)),
        special_score=np.zeros((n_slots, n_special)),
        special_blocked=np.zeros((n_slots, n_special), np.bool_),
    )
