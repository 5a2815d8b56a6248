"""Parameters that all methods share: a line here is a parameter of each of them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from operator import index
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from subspan.parameters.declaring import changed, parameter
from subspan.parameters.kinds import boolean, folder, generator, memory_size, one_of, real, share, whole

if TYPE_CHECKING:
    import numpy as np

LARGEST_SEED = 2**32 - 1
# Most starts, sub-problems or rounds: far more than anybody waits for, and they have room in memory.
MOST_TIMES = 100_000
# Tolerances from here on have no square.
MOST_TOLERANCE = 1e150


@dataclass(eq=False, repr=False)
class Shared:
    """Parameters of every method."""

    n_clusters: int = parameter(8, whole(1), "Number of clusters n.")
    _: KW_ONLY
    normalize: bool = parameter(
        True, boolean(), "Bring every row to unit norm first, as the paper does in all experiments."
    )
    zero_rows: str = parameter(
        "raise",
        one_of("raise", "label"),
        "A zero row has no direction: refuse the data, or give such rows the label -1.",
    )
    duplicates: str = parameter(
        "merge",
        one_of("merge", "keep"),
        "Represent rows of one direction once, opposite ones too (without `normalize` only equal rows), and "
        "give copies the label of the first; or treat every row as a point.",
    )
    affinity: str = parameter(
        "self_expressive",
        one_of("self_expressive", "precomputed", "precomputed_representation"),
        "What `fit` is given: points; a symmetric non-negative graph (sparse or dense); or a matrix of "
        "coefficients, row j representing point j.",
    )
    scale: str | None = parameter(
        None,
        one_of("max", "l2") | None,
        "Divide each point's coefficients by their largest magnitude or by their norm before symmetrising.",
    )
    keep: float = parameter(
        1.0,
        share(),
        "Of each point's coefficients keep the largest ones that make this share of the sum of their "
        "magnitudes, before `scale`.",
    )
    n_components: int | Literal["auto"] | None = parameter(
        None,
        whole(1) | one_of("auto") | None,
        'Number of eigenvectors. None means `n_clusters`; "auto" takes the number after which the spectrum '
        "has its widest gap, `n_clusters` or more.",
    )
    n_init: int = parameter(20, whole(1, MOST_TIMES), "Starts of k-means.")
    left_out: str = parameter(
        "attach",
        one_of("attach", "label"),
        "Points without any edge, and connected components in excess of `n_clusters`: give them the label "
        "of the most similar point, or the label -1.",
    )
    memory_budget: int | str | None = parameter(
        None,
        memory_size() | None,
        'What the arrays of a fit may take beside the rows and sparse matrices, such as "2GB"; None means a '
        "share of the free memory. One that is too small is refused before any work, with the smallest that "
        "would do. It decides how the coefficients are computed, not what they are.",
    )
    n_jobs: int | None = parameter(
        None,
        whole(other_than=0) | None,
        "Threads. None and -1 mean all cores the process may use. The result does not depend on it.",
    )
    random_state: int | np.random.RandomState | None = parameter(
        None, whole(0, LARGEST_SEED) | generator() | None, "Fixes everything that is drawn at random."
    )
    verbose: bool = parameter(
        False,
        boolean(),
        "Show on stderr which stage `fit` is in, how far it is, how fast, and how long it still takes.",
    )

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep whole numbers of NumPy as Python's own: those of 8 bits overflow at once."""
        is_foreign = isinstance(value, Integral) and not isinstance(value, int)
        super().__setattr__(name, index(value) if is_foreign else value)


@dataclass(eq=False, repr=False, kw_only=True)
class OffOrigin(Shared):
    """The parameter of methods that find flats off the origin by a constant beside the rows."""

    affine: bool = parameter(
        False,
        boolean(),
        "Whether clusters are flats that may miss the origin. Rows are then taken about their mean, in units "
        "of their root mean square distance from it, and get a constant, so that coefficients that sum to "
        "one represent a point. `normalize` has no effect, and a zero row is a point like any other.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class InBlocks(Shared):
    """Parameters of methods that compute block by block."""

    memory_budget: int | str | None = changed(
        Shared,
        "memory_budget",
        meaning='What the whole process may take, such as "2GB"; None means half of the free memory at most, '
        "more only where nothing fits into that. It decides how the work is done, not what comes out. One "
        "that is too small is refused before any work, with the smallest that would do; see `plan`.",
    )
    work_dir: str | PathLike[str] | None = parameter(
        None,
        folder() | None,
        "A folder for finished blocks of coefficients. A fit that was interrupted goes on from there when "
        "the same call is made again; other data, parameters or seeds are refused. Needs a fixed "
        "`random_state`.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class Prepares:
    """What is done to the rows before a fit, and to new rows too; in this order."""

    missing: str = parameter(
        "raise",
        one_of("raise", "mean", "drop"),
        "Missing entries: refuse the data, put the mean of the column there, or give such rows the label -1.",
    )
    center: bool = parameter(False, boolean(), "Subtract the mean of each column.")
    standardize: bool = parameter(
        False, boolean(), "Subtract the mean of each column and divide by its standard deviation."
    )
    pca: int | float | None = parameter(
        None,
        whole(1) | real(0.01, below=1) | None,
        "Keep this many directions of the largest spread, or as many as hold this share of the energy. "
        "Without `center` the spread is that around the origin, which keeps subspaces what they are.",
    )
