"""What a tile of pursuits works on and remembers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.lines import zeros_in_lines

# Columns of PursuitState.numbers.
N_ATOMS, N_SPECIAL, N_LISTED, N_REFUSED, N_DROPPED, RUNNING = range(6)
# Pursuits whose small systems are solved together, see `kernels.systems`.
LANES = 8
# Of PursuitState.vectors: L^-1 times the right-hand side, correlations of the point with its atoms, their
# targets and coefficients; of the atom that joins, inner products with those before it.
FORWARD, CORRELATION, TARGET, VALUE, CROSS = range(5)
# Of PursuitState.scalars: squared norms of the atom that joins and of the point, its entry of the right-hand
# side, its pivot, and the squared residual.
OWN, POINT, RIGHT, PIVOT, RESIDUAL = range(5)
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

    # (m,) sorted numbers of the atoms; empty if `gram` spans all atoms.
    numbers: NDArray[np.int32]
    # (m,) where they stand among all atoms in memory; empty likewise.
    columns: NDArray[np.int32]
    # (n_atoms,) position of each atom inside the dictionary, by its number; -1 if dropped.
    position: NDArray[np.int32]
    # (m, m), or (0, 0) where correlations come from products with residuals.
    gram: NDArray[np.floating]
    # (m,) factor of every score, or empty.
    weights: NDArray[np.floating]
    # (n_atoms, .) numbers of 8 bits for a first look at the scores, see `kernels.coarse`, and what a unit of
    # each row stands for; or empty. With them `gram` is that of all atoms.
    coarse: NDArray[np.int16]
    units: NDArray[np.float64]
    # (m,) where the score of each atom stands in such a look, and (.,) position of the atom there; likewise.
    place_seen: NDArray[np.int32]
    position_seen: NDArray[np.int32]
    # What a look sees of them before any is special: a bit for each place.
    all_shown: NDArray[np.int32]


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
    # Positions of the atoms, their places in the Gram matrix if there is one, and their coefficients, in
    # float64 and in the type of the data.
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    values: NDArray[np.float64]
    coefficients: NDArray[np.floating]
    # Small systems, a group of slots after the other, with the slots of a group last: factors (a, b), vectors
    # (which, a) and scalars (which), numbers of atoms, and whether one more joins.
    factors: NDArray[np.float64]
    vectors: NDArray[np.float64]
    scalars: NDArray[np.float64]
    sizes: NDArray[np.int64]
    joins: NDArray[np.bool_]
    # Positions that a search leaves out, sorted, and where the atom is listed, or -1.
    special_position: NDArray[np.int64]
    special_listed: NDArray[np.int64]
    # Atoms that have a target: position, place in the Gram matrix, target, score, whether it may be picked.
    listed_position: NDArray[np.int64]
    listed_place: NDArray[np.int64]
    listed_target: NDArray[np.float64]
    listed_score: NDArray[np.float64]
    listed_free: NDArray[np.bool_]
    # For first looks: a bit for each score, set unless the atom is special or there is none.
    shown: NDArray[np.int32]


class Lanes(NamedTuple):
    """Pursuits under way side by side, and how far each is with its step."""

    # Point of each, or -1.
    point: NDArray[np.int64]
    # The best special atom and its score, squared; whether it is sure to win.
    special: NDArray[np.int64]
    value: NDArray[np.float64]
    settled: NDArray[np.bool_]
    # Whether it has taken the same atoms so far as the one that memory tells of.
    follows: NDArray[np.bool_]
    # Whether its correlations have been gathered.
    gathered: NDArray[np.bool_]
    # What a search found: the winner; its score, a bound on errors of scores, and one on other scores.
    winner: NDArray[np.int64]
    found: NDArray[np.float64]


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


def new_lanes(n_slots: int) -> Lanes:
    """Lanes with nothing under way."""
    return Lanes(
        point=np.full(n_slots, -1, np.int64),
        special=np.zeros(n_slots, np.int64),
        value=np.zeros(n_slots),
        settled=np.zeros(n_slots, np.bool_),
        follows=np.zeros(n_slots, np.bool_),
        gathered=np.zeros(n_slots, np.bool_),
        winner=np.zeros(n_slots, np.int64),
        found=np.zeros((n_slots, 3)),
    )


def new_memory(n_points: int, n_nonzero: int) -> Memory:
    """Memory of nothing yet."""
    shape = (n_points, n_nonzero)
    return Memory(np.full(shape, -1, np.int64), np.full(shape, -1.0), np.zeros((*shape, n_nonzero)))


def new_state(n_slots: int, n_nonzero: int, n_targets: int, n_seen: int, dtype: np.dtype) -> PursuitState:
    """Allocate the state of `n_slots` pursuits whose targets have at most `n_targets` entries.

    First looks are at `n_seen` scores, or none.
    """
    s = n_nonzero
    n_groups = -(-n_slots // LANES)
    # The point itself, s picks, and at most s + 1 refusals join the targets.
    n_special = n_targets + 2 * s + 2
    return PursuitState(
        numbers=np.zeros((n_slots, 6), np.int64),
        rows=np.zeros((n_slots, s), np.int64),
        places=np.zeros((n_slots, s), np.int64),
        values=np.zeros((n_slots, s)),
        coefficients=np.zeros((n_slots, s), dtype),
        factors=zeros_in_lines((n_groups, s, s, LANES), np.float64),
        vectors=zeros_in_lines((n_groups, 5, s, LANES), np.float64),
        scalars=zeros_in_lines((n_groups, 5, LANES), np.float64),
        sizes=zeros_in_lines((n_groups, LANES), np.int64),
        joins=np.zeros((n_groups, LANES), np.bool_),
        special_position=np.zeros((n_slots, n_special), np.int64),
        special_listed=np.zeros((n_slots, n_special), np.int64),
        listed_position=np.zeros((n_slots, n_targets), np.int64),
        listed_place=np.zeros((n_slots, n_targets), np.int64),
        listed_target=np.zeros((n_slots, n_targets)),
        listed_score=np.zeros((n_slots, n_targets)),
        listed_free=np.zeros((n_slots, n_targets), np.bool_),
        shown=np.zeros((n_slots, n_seen // 32), np.int32),
    )
