"""Rows of C for a block of points, and all blocks put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.handover import Representation
from subspan.kernels.state import DEPENDENT, TWINS


@dataclass(frozen=True)
class Block:
    """Rows of C for one block of points, with the account of how they came about."""

    lengths: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: NDArray[np.floating]
    n_iter: int
    # (max_iter, 2): squared change and squared norm of the coefficients at each outer iteration.
    sums: NDArray[np.float64]
    counts: NDArray[np.int64]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The block as it is stored or sent."""
        return {name: np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The block that `arrays` were made of."""
        fields: dict[str, Any] = {**arrays, "n_iter": int(arrays["n_iter"])}
        return cls(**fields)


def join_blocks(parts: list[Block]) -> Block:
    """Blocks that follow one another, as one."""
    return Block(
        lengths=np.concatenate([part.lengths for part in parts]),
        indices=np.concatenate([part.indices for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        n_iter=max(part.n_iter for part in parts),
        sums=np.sum([part.sums for part in parts], axis=0),
        counts=np.sum([part.counts for part in parts], axis=0),
    )


def assemble(blocks: list[Block], n_points: int) -> Representation:
    """The coefficient matrix of all blocks, with their common account."""
    whole = join_blocks(blocks)
    indptr = np.concatenate([[0], np.cumsum(whole.lengths, dtype=np.int64)])
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    coefficients = csr_array((whole.values, whole.indices, indptr), shape=(n_points, n_points))
    changes = np.sqrt(whole.sums[: whole.n_iter, 0] / np.maximum(whole.sums[: whole.n_iter, 1], 1e-300))
    counts = {
        "empty_representations": int((whole.lengths == 0).sum()),
        "dependent_atoms": int(whole.counts[DEPENDENT]),
        "twins": int(whole.counts[TWINS]),
    }
    return Representation(coefficients, whole.n_iter, tuple(changes.tolist()), counts)
