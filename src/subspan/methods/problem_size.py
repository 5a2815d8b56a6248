"""How large the problem of a fit in blocks is: the sizes that memory and time depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from subspan.embedding.eigen import GUARD_VECTORS
from subspan.self_expression.consensus import ConsensusSettings
from subspan.sources import ArraySource, Packed, Source

# The spectral stage goes by the atoms alone where there are many points and far fewer atoms.
MANY_POINTS = 1 << 15
POINTS_PER_ATOM = 2


@dataclass(frozen=True)
class ProblemSize:
    """The sizes that memory and time depend on."""

    n_points: int
    n_features: int
    itemsize: int
    # Points in each sub-dictionary, and in any of them.
    sizes: Sequence[int]
    n_atoms: int
    settings: ConsensusSettings
    n_vectors: int
    # Bytes of rows that stay in memory in any case.
    rows_held: int
    # Whether the rows are elsewhere, and may be read into memory as a whole.
    may_be_read_once: bool = False

    @property
    def row_bytes(self) -> int:
        """Bytes of all rows."""
        return self.n_points * self.n_features * self.itemsize

    @property
    def few_atoms(self) -> bool:
        """Whether the spectral stage goes by the atoms alone."""
        return self.n_points >= MANY_POINTS and self.n_atoms * POINTS_PER_ATOM <= self.n_points

    @property
    def n_coefficients(self) -> int:
        """Most entries that C can have."""
        return self.n_points * min(self.settings.n_nonzero * len(self.sizes), self.n_atoms)

    @property
    def stored_bytes(self) -> int:
        """What the coefficients take on disk, at most."""
        return self.n_coefficients * (4 + self.itemsize) + self.n_points * 8

    @property
    def width(self) -> int:
        """Vectors that the spectral search moves at a time."""
        return self.n_vectors + GUARD_VECTORS


def problem_of(
    source: Source,
    settings: ConsensusSettings,
    drawing: Mapping[str, object],
    n_vectors: int,
    normalize: bool,
    *,
    may_be_read_once: bool = False,
) -> ProblemSize:
    """The sizes of a problem; the number of atoms is what a draw has on average, which takes no draw."""
    n_points, n_features = source.shape
    kept = drawing.get("size") or n_points * (1 - float(str(drawing["dropout"])))
    share = min(1.0, float(str(kept)) / n_points)
    n_subproblems = int(str(drawing["n_subproblems"]))
    missed = 0.0 if drawing.get("cover") else (1 - share) ** n_subproblems
    n_atoms = round(n_points * (1 - missed))
    itemsize = source.dtype.itemsize
    held = source.held_bytes
    if isinstance(source, ArraySource):
        # It is there already; what is made of it comes on top.
        held = n_points * n_features * itemsize if normalize else 0
        may_be_read_once = False
    elif isinstance(source, Packed):
        # It will be there as a whole.
        held *= 1 + normalize
        may_be_read_once = False
    sizes = (round(share * n_points),) * n_subproblems
    return ProblemSize(
        n_points, n_features, itemsize, sizes, n_atoms, settings, n_vectors, held, may_be_read_once
    )  # fmt: skip
