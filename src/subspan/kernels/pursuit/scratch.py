"""Buffers of looks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subspan.kernels.lines import zeros_in_lines
from subspan.kernels.products import STRIP, panel_width
from subspan.kernels.pursuit.eight_bits import words_length
from subspan.kernels.pursuit.state import GROUP, N_COMMON

Words = NDArray[np.int16]

# Rows that one loop combines.
QUAD = 4


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
