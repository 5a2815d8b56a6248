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

    # Words of a query that is no atom of the dictionary.
    query_words: Words
    # Rows of words that a look combines; -1 for the query's.
    rows: NDArray[np.int64]
    factors: Words
    means: NDArray[np.float64]
    scores: Words
    # (n_panels, n_features, width) weighted atoms of the dictionary, and whether they are there. If queries
    # are solved one after the other, all atoms are in one panel.
    panels: NDArray[np.float32]
    panel_filled: NDArray[np.bool_]
    # (n_together, n_panels * width) products of the panels with residuals of length 1, and these lengths.
    products: NDArray[np.float32]
    lengths: NDArray[np.float64]
    # Residuals that are multiplied by the panels together, and the last of these products.
    strips: NDArray[np.float32]
    edge: NDArray[np.float32]
    product_scores: NDArray[np.int32]
    # Largest score of each group, for both kinds of look.
    peaks: NDArray[np.int32]


def new_scratch(n_nonzero: int, n_atoms: int, n_features: int, n_together: int = 1) -> Scratch:
    """Allocate buffers for dictionaries of at most `n_atoms` atoms, and `n_together` queries at a time."""
    half = words_length(n_atoms)
    width = panel_width(np.dtype(np.float32)) if n_together > 1 else 2 * half
    n_strips = -(-n_together // STRIP) if n_together > 1 else 0
    depth = -(-n_features // QUAD) * QUAD
    n_rows = -(-(n_nonzero + 1) // QUAD) * QUAD
    return Scratch(
        query_words=zeros_in_lines((half,), np.int16),
        rows=np.zeros(n_rows, np.int64),
        factors=np.zeros(max(n_rows, N_COMMON), np.int16),
        means=np.zeros(N_COMMON),
        scores=zeros_in_lines((2 * half,), np.int16),
        panels=zeros_in_lines((2 * half // width, depth, width), np.float32),
        panel_filled=np.zeros(1, np.bool_),
        products=zeros_in_lines((n_together, 2 * half), np.float32),
        lengths=np.zeros(n_together),
        strips=zeros_in_lines((n_strips, depth, STRIP), np.float32),
        edge=zeros_in_lines((STRIP, width), np.float32),
        product_scores=zeros_in_lines((2 * half,), np.int32),
        peaks=np.zeros(2 * half // GROUP, np.int32),
    )
