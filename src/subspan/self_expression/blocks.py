"""Rows of C for a block of points, and all blocks put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from subspan.handover import Representation
from subspan.kernels.pursuit.state import DEPENDENT, TWINS


@dataclass(frozen=True)
class Block:
    """Rows of C for one block of points, with its iterations, changes and events."""

    lengths: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: NDArray[np.floating]
    n_iter: int
    # (max_iter, 2): squared change and squared norm of the coefficients at each outer iteration. A tile that
    # is not yet joined has an array of this shape for each of its pieces.
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


@dataclass
class Account:
    """Iterations, changes and events of all blocks together."""

    n_iter: int = 0
    sums: NDArray[np.float64] | float = 0.0
    counts: NDArray[np.int64] | int = 0
    n_empty: int = 0

    def add(self, block: Block) -> None:
        """Count a block in."""
        self.n_iter = max(self.n_iter, block.n_iter)
        self.sums = self.sums + block.sums
        self.counts = self.counts + block.counts
        self.n_empty += int((block.lengths == 0).sum())

    def representation(self, coefficients: Any) -> Representation:
        """The coefficients with the account of all of them."""
        sums, counts = np.asarray(self.sums)[: self.n_iter], np.asarray(self.counts)
        changes = np.sqrt(sums[:, 0] / np.maximum(sums[:, 1], 1e-300))
        named = {
            "empty_representations": self.n_empty,
            "dependent_atoms": int(counts[DEPENDENT]),
            "twins": int(counts[TWINS]),
        }
        return Representation(coefficients, self.n_iter, tuple(changes.tolist()), named)


def join_blocks(parts: Sequence[Block]) -> Block:
    """Blocks that follow one another, as one."""
    pieces = [piece for part in parts for piece in part.sums.reshape(-1, *part.sums.shape[-2:])]
    return Block(
        lengths=np.concatenate([part.lengths for part in parts]),
        indices=np.concatenate([part.indices for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        n_iter=max(part.n_iter for part in parts),
        sums=np.sum(pieces, axis=0),
        counts=np.sum([part.counts for part in parts], axis=0),
    )


def rows_of(blocks: Sequence[Block], n_points: int) -> csr_array:
    """Coefficients of blocks that follow one another."""
    whole = join_blocks(blocks)
    indptr = np.concatenate([[0], np.cumsum(whole.lengths, dtype=np.int64)])
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return csr_array((whole.values, whole.indices, indptr), shape=(len(whole.lengths), n_points))


def account_of(blocks: Iterable[Block]) -> Account:
    """The account of blocks that nobody has to keep."""
    account = Account()
    for block in blocks:
        account.add(block)
    return account


def assemble(
    blocks: Iterable[Block], n_points: int, order: NDArray[np.int64] | None = None
) -> Representation:
    """The coefficient matrix of all blocks, with their common account.

    `order` lists the points as the rows of the blocks do, if they do not come one after the other.
    """
    parts = list(blocks)
    account, coefficients = account_of(parts), rows_of(parts, n_points)
    # Frees the blocks before another copy is made.
    parts.clear()
    if order is not None:
        coefficients = coefficients[np.argsort(order)]
    return account.representation(coefficients)
