"""What pursuits read, what they remember between two steps, and the buffers of looks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.jit import part
from subspan.kernels.lines import words_length, zeros_in_lines
from subspan.kernels.products import STRIP, panel_width

Floats = NDArray[np.floating]
Words = NDArray[np.int16]

# Scores that are compared together.
GROUP = 64
# Rows of words that one loop combines.
QUAD = 4
# Directions that are taken out of all rows before their inner products are rounded to 8 bits.
N_COMMON = 4
# Entries of State.counts. PRODUCTS is the row of `Scratch.products`.
QUERY, N_ATOMS, N_BLOCKED, N_TARGETS, N_REFUSED, N_DROPPED, N_CANDIDATES, RUNNING, HAS_RESIDUAL, PRODUCTS = (
    range(10)
)
# Entries of `events`: atoms that depend on those picked before, and copies of the query.
DEPENDENT, TWINS = range(2)


class Rules(NamedTuple):
    """How atoms are picked and when a pursuit ends."""

    n_nonzero: int
    damping: float
    squared_tol: float
    # Unit roundoff of the data: a smaller residual or pivot is a rounding error.
    precision: float
    # The score of an atom with weight w, correlation r and target c: w^2 (r^2 + cross r c + square c^2).
    cross: float
    square: float
    # Whether dropped atoms with a target may be picked too (the paper's appendix).
    from_dropped: bool


class Atoms(NamedTuple):
    """The rows that may represent others."""

    # (n_atoms, n_features), features padded with zeros to a multiple of ROW_MULTIPLE.
    rows: Floats
    norms: NDArray[np.float64]
    # Factor of each atom's score.
    weights: NDArray[np.float64]
    # Row of each atom in the data. Ties go to the lowest.
    numbers: NDArray[np.int64]


class Queries(NamedTuple):
    """The rows to be represented, with their consensus targets c."""

    rows: Floats
    norms: NDArray[np.float64]
    # The atom that is the query itself, which it must not use, or -1.
    own: NDArray[np.int64]
    active: NDArray[np.bool_]
    # Sorted atoms, values and number of the entries of c.
    target_atoms: NDArray[np.int32]
    target_values: NDArray[np.float64]
    target_counts: NDArray[np.int32]


class Dictionary(NamedTuple):
    """One sub-dictionary."""

    # (m,) sorted atoms that a look sees, and (n_atoms,) position of each atom in `atoms`, or -1.
    atoms: NDArray[np.int32]
    positions: NDArray[np.int32]
    # (m,) 1 for atoms of the dictionary, 0 for others; empty if there are no others.
    members: NDArray[np.int16]


class EightBitProducts(NamedTuple):
    """8-bit inner products of atoms for one dictionary, see `eight_bits`; empty if there are none."""

    # (m, half) rows of atoms; (n_atoms,) which of them belongs to each atom, or -1, and its unit.
    words: NDArray[np.int16]
    rows: NDArray[np.int32]
    units: NDArray[np.float64]
    # (n_atoms, N_COMMON) inner products of the atoms with the common directions.
    means: NDArray[np.float64]
    # (N_COMMON, 2 half) those of the dictionary, weighted, beyond `middles` and in units of `mean_units`;
    # empty if there are no common directions.
    offsets: NDArray[np.int16]
    mean_units: NDArray[np.float64]
    middles: NDArray[np.float64]


class QueryBytes(NamedTuple):
    """8-bit inner products of queries with all atoms; empty if none are needed."""

    # (., n_atoms) rows; which of them belongs to each query, and its unit.
    numbers: NDArray[np.int8]
    rows: NDArray[np.int64]
    units: NDArray[np.float64]
    # (., N_COMMON) inner products of the queries with the common directions.
    means: NDArray[np.float64]


class Reach(NamedTuple):
    """Sizes that bound the rounding errors of looks."""

    # Largest weighted norm of an atom.
    longest: float
    # Relative error of an inner product in single precision.
    rounding: float


class Problem(NamedTuple):
    """Queries to be represented by one dictionary."""

    queries: Queries
    query_bytes: QueryBytes
    atoms: Atoms
    dictionary: Dictionary
    numbers: EightBitProducts
    reach: Reach
    rules: Rules


class State(NamedTuple):
    """The state of one pursuit."""

    counts: NDArray[np.int64]
    # Atoms picked, with their coefficients, targets and correlations with the query.
    atoms: NDArray[np.int64]
    values: NDArray[np.float64]
    targets: NDArray[np.float64]
    correlations: NDArray[np.float64]
    # Cholesky factor L of G + damping I over the atoms picked, and L^-1 times the right-hand side.
    factors: NDArray[np.float64]
    forward: NDArray[np.float64]
    # Query minus the combination of its atoms; only computed if a step needs it.
    residual: Floats
    # Positions that may not be picked.
    blocked: NDArray[np.int64]
    # Atoms of the dictionary that have a target: position, value, and whether they may be picked.
    target_positions: NDArray[np.int64]
    target_values: NDArray[np.float64]
    target_free: NDArray[np.bool_]
    # Scratch of `step.dot`.
    lanes: Floats


class Picks(NamedTuple):
    """OUT: the solutions b as atoms and values."""

    atoms: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: NDArray[np.int32]


def new_states(n: int, n_nonzero: int, n_targets: int, n_features: int, dtype: np.dtype) -> State:
    """Room for `n` pursuits with at most `n_targets` targets each: arrays with a leading axis."""
    s = n_nonzero
    return State(
        counts=np.zeros((n, 10), np.int64),
        atoms=np.zeros((n, s), np.int64),
        values=np.zeros((n, s)),
        targets=np.zeros((n, s)),
        correlations=np.zeros((n, s)),
        factors=np.zeros((n, s, s)),
        forward=np.zeros((n, s)),
        residual=zeros_in_lines((n, n_features), dtype),
        # The query itself, s picks and at most s + 1 refusals.
        blocked=np.zeros((n, 2 * s + 2), np.int64),
        target_positions=np.zeros((n, n_targets), np.int64),
        target_values=np.zeros((n, n_targets)),
        target_free=np.zeros((n, n_targets), np.bool_),
        lanes=zeros_in_lines((n, 16), dtype),
    )


@part
def state_of(member: int, states: State) -> State:
    """One of several pursuits."""
    return State(
        counts=states.counts[member],
        atoms=states.atoms[member],
        values=states.values[member],
        targets=states.targets[member],
        correlations=states.correlations[member],
        factors=states.factors[member],
        forward=states.forward[member],
        residual=states.residual[member],
        blocked=states.blocked[member],
        target_positions=states.target_positions[member],
        target_values=states.target_values[member],
        target_free=states.target_free[member],
        lanes=states.lanes[member],
    )


class Scratch(NamedTuple):
    """Buffers of looks."""

    # Positions and targets of the atoms that may have the largest score.
    candidates: NDArray[np.int64]
    candidate_targets: NDArray[np.float64]
    # Upper bounds on the scores of the atoms with a target.
    target_bounds: NDArray[np.float64]
    # Largest score of each group.
    peaks: NDArray[np.int32]
    # 8 bits: words of a query that is no atom of the dictionary.
    query_words: Words
    # Rows of words that a look combines, -1 for the query's; how much of each, and that as an integer.
    rows: NDArray[np.int64]
    amounts: NDArray[np.float64]
    factors: Words
    # Inner products of the residual with the common directions, and these as integers.
    means: NDArray[np.float64]
    mean_factors: Words
    scores: Words
    # Residual: (n_panels, n_features, width) weighted atoms of the dictionary.
    panels: NDArray[np.float32]
    # Residuals of length 1 in strips, and the lengths that they had.
    strips: NDArray[np.float32]
    lengths: NDArray[np.float64]
    # (n_together, n_panels * width) products of the two, and a buffer for the last of them.
    products: NDArray[np.float32]
    edge: NDArray[np.float32]
    # One row of products as integers.
    product_scores: NDArray[np.int32]


def new_scratch(
    n_nonzero: int, n_targets: int, n_atoms: int, n_features: int, n_together: int = 0
) -> Scratch:
    """Allocate buffers for dictionaries of at most `n_atoms` atoms.

    `n_together` residuals are looked at together; if it is 0, looks are at 8-bit numbers.
    """
    half = words_length(n_atoms)
    width = panel_width(np.dtype(np.float32))
    n_scores = 2 * half if n_together > 0 else 0
    n_rows = -(-(n_nonzero + 1) // QUAD) * QUAD
    return Scratch(
        candidates=np.zeros(2 * half + 1, np.int64),
        candidate_targets=np.zeros(2 * half + 1),
        target_bounds=np.zeros(n_targets),
        peaks=np.zeros(2 * half // GROUP, np.int32),
        query_words=zeros_in_lines((half,), np.int16),
        rows=np.zeros(n_rows, np.int64),
        amounts=np.zeros(n_rows),
        factors=np.zeros(n_rows, np.int16),
        means=np.zeros(N_COMMON),
        mean_factors=np.zeros(N_COMMON, np.int16),
        scores=zeros_in_lines((2 * half,), np.int16),
        panels=zeros_in_lines((n_scores // width, n_features, width), np.float32),
        strips=zeros_in_lines((-(-n_together // STRIP), n_features, STRIP), np.float32),
        lengths=np.zeros(n_together),
        products=zeros_in_lines((n_together, n_scores), np.float32),
        edge=zeros_in_lines((STRIP, width), np.float32),
        product_scores=zeros_in_lines((n_scores,), np.int32),
    )
