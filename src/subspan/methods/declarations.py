"""The parameters of each method, declared once: constructor, checks, docstring and options come from here.

Nothing scientific is imported, so that the command line can show its help at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from subspan.parameters import (
    InBlocks,
    OffOrigin,
    Prepares,
    Shared,
    above_zero,
    boolean,
    changed,
    one_of,
    parameter,
    real,
    span,
    whole,
)
from subspan.parameters.shared import MOST_TIMES, MOST_TOLERANCE

# With no weight at all on the residual ESC has nothing to minimise, and it may compute in single precision.
TINY_FLOAT32 = 2.0**-126


@dataclass(eq=False, repr=False, kw_only=True)
class SubspaceClusteringParameters(Prepares, InBlocks):
    """Consensus of many graphs, with parameters from the data."""

    # Wider than that of the other methods.
    n_clusters: int | tuple[int, int] | Literal["auto"] = field(  # type: ignore[assignment]
        default="auto",
        kw_only=False,
        metadata={
            "kind": whole(1) | span(2) | one_of("auto"),
            "meaning": "Number of clusters. Of a range, both ends included, it becomes the number for which "
            'the members have the most evidence, or 1 if the data show no clusters. "auto" is the range from '
            "2 to 20, or to a tenth of the number of points.",
        },
    )
    n_components: int | Literal["auto"] | None = changed(
        Shared,
        "n_components",
        meaning="Number of eigenvectors of a graph that is handed in; from points, each member has its own.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class SSCOMPParameters(OffOrigin, InBlocks):
    """Sparse subspace clustering by orthogonal matching pursuit (SSC-OMP)."""

    n_nonzero: int = parameter(5, whole(1), "Atoms per point (s): at most the dimension of the subspaces.")
    residual_tol: float = parameter(
        1e-3,
        real(0, below=MOST_TOLERANCE),
        "A pursuit ends early once the norm of its residual is at most this (epsilon).",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class S3COMPParameters(OffOrigin, InBlocks):
    """Stochastic sparse subspace clustering, one pass over the sub-problems (S3COMP, S3COMP*)."""

    n_nonzero: int = parameter(5, whole(1), "Atoms per pursuit (s): about the dimension of the subspaces.")
    n_subproblems: int = parameter(15, whole(1, MOST_TIMES), "Random sub-dictionaries (T).")
    dropout: float = parameter(
        0.5,
        real(0, below=1),
        "Probability that a point is left out of a sub-dictionary (delta). Larger data allow more.",
    )
    dictionary_size: int | None = parameter(
        None,
        whole(1) | None,
        "Keep exactly this many points in each sub-dictionary instead; the cost is then linear in the "
        "number of points.",
    )
    damping: float = parameter(
        0.1,
        real(0),
        "Weight lambda of the pull towards the consensus; in the first pass, of the squared norm of the "
        "coefficients.",
    )
    residual_tol: float = changed(SSCOMPParameters, "residual_tol")
    selection: Literal["psi", "greedy"] = parameter(
        "psi",
        one_of("psi", "greedy"),
        "Atom picked next: the paper's psi, or the one that lowers the objective most. They differ once "
        "there is a consensus, and where rows do not have unit norm.",
    )
    candidates: Literal["preserved", "all"] = parameter(
        "preserved",
        one_of("preserved", "all"),
        "Pick only atoms that the sub-dictionary kept, or dropped ones too, at the value of the consensus "
        "(appendix of the paper).",
    )
    average: Literal["all", "chosen"] = parameter(
        "all",
        one_of("all", "chosen"),
        "Divide the sum of the solutions by T, or entry by entry by the number of sub-problems that chose "
        "the atom (S3COMP*).",
    )
    cover: bool = parameter(
        False, boolean(), "Add one more sub-dictionary with all points that none of the others kept."
    )
    n_components: int | Literal["auto"] | None = changed(Shared, "n_components", default="auto")


@dataclass(eq=False, repr=False, kw_only=True)
class S3COMPCParameters(S3COMPParameters):
    """Stochastic sparse subspace clustering with consensus (S3COMP-C)."""

    max_iter: int = parameter(
        5, whole(1, MOST_TIMES), "Outer iterations; the paper finds 3 to 5 enough on real data."
    )
    tol: float = parameter(
        1e-3,
        real(0, below=MOST_TOLERANCE),
        "A point rests once its coefficients change by no more than this, relative to their norm.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class ElasticNetSCParameters(OffOrigin):
    """Elastic-net subspace clustering (EnSC)."""

    tau: float = parameter(
        0.9,
        real(0),
        "Share of the l1 penalty, above 0 and at most 1. With 1 this is sparse subspace clustering (SSC) by "
        "the lasso. (With 0 it would be least squares regression: use `LSR`.)",
    )
    gamma: float = parameter(
        50.0,
        real(1),
        "Weight of the data against the penalty: alpha = (largest correlation of the point with any other) "
        "/ (tau * gamma). At 1 all coefficients are zero; the larger, the more of them there are.",
    )
    alpha: float | None = parameter(
        None, real(0) | None, "The same alpha for all points, instead of one by `gamma`."
    )
    errors: float | None = parameter(
        None,
        above_zero() | None,
        "Allow for gross errors e in a few entries of a point: the misfit is that of x - e, and tau alpha / "
        "`errors` times the l1 norm of e is added. The larger, the more entries count as errors. None allows "
        "for none.",
    )
    n_nonzero: int | None = parameter(
        None, whole(1) | None, "Keep only so many of the largest coefficients of each point; None keeps all."
    )
    graph: str = parameter(
        "symmetric",
        one_of("symmetric", "neighbors"),
        "What is cut: the mean of the coefficients' magnitudes in both directions, or the graph that links "
        "each point to those with the most similar coefficients.",
    )
    n_neighbors: int = parameter(3, whole(1), "Links of each point in the graph of neighbours.")


@dataclass(eq=False, repr=False, kw_only=True)
class LSRParameters(OffOrigin):
    """Subspace clustering by least squares regression (LSR)."""

    regularization: float = parameter(
        1e-3,
        above_zero(),
        "Weight of the squared coefficients (lambda). For points of unit norm from 0.001 to 1; more noise "
        "needs more.",
    )
    n_neighbors: int | None = parameter(
        None,
        whole(1) | None,
        "Coefficients of the largest magnitude that a point keeps: a sparse graph, for which no n_samples^2 "
        "numbers are kept. None keeps all of them, as in the paper.",
    )
    zero_diagonal: bool = parameter(
        True,
        boolean(),
        "Forbid a point to represent itself when the problem is solved (LSR1 of the paper), or just leave "
        "out that coefficient afterwards (LSR2). The two differ by a factor for each point, so that with "
        "`scale` they give the same graph.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class LRSCParameters(OffOrigin):
    """Low-rank subspace clustering in closed form (LRSC)."""

    noise: str = parameter(
        "none",
        one_of("none", "dense", "gross"),
        "Take the points X as they are, A = X; allow for small errors in all entries, which adds "
        "alpha/2 ||X - A||_F^2; or for large errors E in a few entries too, which adds "
        "alpha/2 ||X - A - E||_F^2 + gamma ||E||_1 and takes as many decompositions as iterations.",
    )
    tau: float | None = parameter(
        None,
        above_zero() | None,
        "Weight of the misfit. Singular values of A up to 1/sqrt(tau) count as noise. None means "
        "100 / ||X||_2^2, which keeps those above a tenth of the largest.",
    )
    alpha: float | None = parameter(None, above_zero() | None, "Weight of small errors. None means tau / 2.")
    gamma: float | None = parameter(
        None,
        above_zero() | None,
        "Weight of gross errors: entries count as such if they are gamma / alpha off. None means three times "
        "the root mean square of the entries of X, times alpha.",
    )
    max_iter: int = parameter(
        150, whole(1, MOST_TIMES), "Most alternations between clean points and gross errors."
    )
    tol: float = parameter(
        1e-6,
        real(0, below=MOST_TOLERANCE),
        "They end when the clean points change by less, relative to the points, in the mean.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class SCCParameters(Shared):
    """Spectral curvature clustering (SCC) of points on flats of one dimension."""

    dim: int = parameter(
        3,
        whole(1),
        "Dimension d of the flats, less than the number of features. The flats of all clusters have the "
        "same.",
    )
    affine: bool = parameter(
        True,
        boolean(),
        "Whether flats may miss the origin. False makes the origin a vertex of every simplex (LSCC), which "
        "leaves one point fewer to be drawn for a tuple.",
    )
    n_columns: int | None = parameter(
        None,
        whole(1) | None,
        "Tuples sampled in each iteration (c), equally many in each cluster. None means 100 for each.",
    )
    max_iter: int = parameter(50, whole(1, MOST_TIMES), "Largest number of iterations.")
    tol: float = parameter(
        0.01,
        real(0, below=1),
        "From iteration `dim` on, the first one that lowers the error by a smaller share than this is the "
        "last.",
    )
    normalize: bool = changed(
        Shared,
        "normalize",
        default=False,
        meaning="Bring every row to unit norm first. That bends flats that miss the origin; it is of use "
        "with ``affine=False``, where curvatures would otherwise depend on the lengths of the rows.",
    )
    zero_rows: str = changed(
        Shared,
        "zero_rows",
        meaning="With ``affine=False`` or ``normalize=True`` a zero row belongs to every subspace or has no "
        "direction: refuse the data, or give such rows the label -1. Otherwise it is a point like any other.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class OLRSCParameters(Shared):
    """Online low-rank subspace clustering by basis dictionary pursuit (OLRSC)."""

    n_basis: int | None = parameter(
        None,
        whole(1) | None,
        "Number of basis vectors (d), at least the sum of the dimensions of the subspaces. None means "
        "5 * n_clusters.",
    )
    reconstruction: float = parameter(
        1.0, above_zero(), "Weight of the squared errors of reconstruction (lambda1)."
    )
    sparsity: float | None = parameter(
        None, above_zero() | None, "Weight of the gross errors (lambda2). None means 1 / sqrt(n_features)."
    )
    consistency: float | None = parameter(
        None,
        above_zero() | None,
        "Weight of the distance between the basis and combinations of the points (lambda3), for the first "
        "point; it grows with the square root of the number of points. None means 1 / sqrt(n_features).",
    )
    n_epochs: int = parameter(2, whole(1, MOST_TIMES), "How often `fit` goes through the rows.")
    shuffle: bool = parameter(
        True,
        boolean(),
        "Whether `fit` takes the rows in random order, a new one in each epoch. In the order of a table that "
        "is sorted by class, the basis forgets the classes that came first.",
    )
    clustering: str = parameter(
        "spectral",
        one_of("spectral", "codes"),
        "Cut the graph of U V^T, or run k-means on the codes V (OLRSC-F in the paper): the latter takes "
        "n_samples * n_basis numbers instead of n_samples^2.",
    )
    scale: str | None = changed(Shared, "scale", default="max")


@dataclass(eq=False, repr=False, kw_only=True)
class SRSSCParameters(OffOrigin):
    """Scalable and robust sparse subspace clustering (SR-SSC)."""

    n_layers: int = parameter(5, whole(1, MOST_TIMES), "Sets of anchors, each with a graph of its own.")
    n_anchors: int | None = parameter(
        None,
        whole(1) | None,
        "Anchors in a set. None means 500, or half the number of distinct rows if that is less.",
    )
    regularization: float = parameter(
        20.0,
        real(1),
        "Weight of the residual in the lasso, above 1. The penalty of a point's coefficients is its largest "
        "inner product with an anchor divided by this: at 1 no coefficient would be left.",
    )
    alpha: float = parameter(
        0.5,
        real(0),
        "Weight of the distance between the subspaces of the layers against the smoothness on each graph.",
    )


@dataclass(eq=False, repr=False, kw_only=True)
class ESCParameters(OffOrigin):
    """Exemplar-based subspace clustering (ESC)."""

    n_exemplars: int | None = parameter(
        None,
        whole(1) | None,
        "Number of exemplars k. None means 500, or half the number of distinct rows if that is less.",
    )
    regularization: float = parameter(
        200.0,
        above_zero(TINY_FLOAT32),
        "Weight of the squared residual against the norm of the coefficients (lambda), above 1 for rows of "
        "unit norm: at 1 no coefficient is left.",
    )
    n_neighbors: int = parameter(3, whole(1), "Nearest neighbours of each point in the graph (t).")
