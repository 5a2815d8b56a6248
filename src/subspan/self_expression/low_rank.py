"""Low-rank representation in closed form, of clean points, of noisy ones, and of ones with gross errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subspan.execution.steps import steps
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import Factors
from subspan.self_expression.spectrum import PrincipalAxes, principal_axes

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

# Newton's method for the thresholded values converges from above in a handful of steps.
NEWTON_STEPS = 50
# The published weight tau, in units of 1 / ||X||_2^2: singular values below a tenth of the largest are noise.
PUBLISHED = 100.0
# By how much larger weights grow from there with each alternation; by more where that would take more than
# half of the alternations.
GROWTH = 1.25


@dataclass(frozen=True)
class LowRankSettings:
    """Weights of the problem; see `low_rank_factors`."""

    # None: the published rules, tau = 100 / ||X||_2^2 and alpha = tau / 2, and a rule of ours, that gross
    # errors are entries that are off by three times the root mean square of all entries.
    tau: float | None = None
    alpha: float | None = None
    gamma: float | None = None
    noise: str = "none"
    max_iter: int = 150
    tol: float = 1e-6


@dataclass(frozen=True)
class LowRankSolution:
    """Coefficients, and the mean change of the clean points at each alternation, relative to their mean."""

    factors: Factors
    changes: tuple[float, ...]


def low_rank_factors(points: Floats, settings: LowRankSettings, threads: int = 1) -> LowRankSolution:
    """Symmetric coefficients of least nuclear norm that represent the clean part of the points.

    The problem is to minimise ||C||_* + tau/2 ||A - C A||_F^2 over symmetric C, where rows are points, and

    - A = X, for ``noise="none"``;
    - A is sought too, with alpha/2 ||X - A||_F^2 added, for ``noise="dense"``;
    - so are gross errors E, with alpha/2 ||X - A - E||_F^2 + gamma ||E||_1 added, for ``noise="gross"``.

    Parameters
    ----------
    points : array of shape (n_points, n_features)
        Points in rows.
    settings : LowRankSettings
        Weights, kind of noise, and when the alternation between A and E ends.
    threads : int
        Threads; the result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.1]])
    >>> found = low_rank_factors(points, LowRankSettings(tau=2.0))
    >>> found.factors.rows(0, 3).round(6).tolist()
    [[0.0, 0.375, 0.0], [0.375, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    spectrum = principal_axes(points, threads)
    tau = settings.tau or PUBLISHED / max(float(spectrum.squares[0]), np.finfo(np.float64).tiny)
    alpha = settings.alpha or tau / 2
    if settings.noise == "none":
        return LowRankSolution(_factors(spectrum, spectrum.values, tau, points.dtype), (1.0,))
    if settings.noise == "dense":
        values = thresholded_values(spectrum.values, tau, alpha)
        return LowRankSolution(_factors(spectrum, values, tau, points.dtype), (1.0,))
    spectrum, changes = _without_gross_errors(points.astype(np.float64), tau, alpha, settings, threads)
    values = thresholded_values(spectrum.values, tau, alpha)
    return LowRankSolution(_factors(spectrum, values, tau, points.dtype), changes)


def thresholded_values(values: Doubles, tau: float, alpha: float) -> Doubles:
    """Singular values of the clean points that belong to those of noisy ones.

    Each is the minimiser over l of alpha/2 (s - l)^2 + g(l), where g(l) is what a singular value l costs
    in the representation: tau/2 l^2 up to 1/sqrt(tau), and 1 - 1/(2 tau l^2) above. There are at most two
    local minima, a shrunk value and the largest root of a quartic; the better one is taken, the smaller of
    equals.

    Examples
    --------
    >>> import numpy as np
    >>> thresholded_values(np.array([10.0, 1.0]), tau=1.0, alpha=1.0).round(4).tolist()
    [9.999, 0.5]
    """
    shrunk = alpha / (alpha + tau) * values
    large = _largest_root(values, 1.0 / (alpha * tau))
    # Beyond the kink only, where g has the form the quartic comes from.
    valid = large > 1.0 / np.sqrt(tau)
    large = np.where(valid, large, shrunk)
    better = _cost(large, values, tau, alpha) < _cost(shrunk, values, tau, alpha)
    return np.where(valid & better, large, shrunk)


def _cost(clean: Doubles, values: Doubles, tau: float, alpha: float) -> Doubles:
    scaled = tau * clean**2
    above = 1.0 - 0.5 / np.maximum(scaled, 1.0)
    cost: Doubles = alpha / 2 * (values - clean) ** 2 + np.where(scaled > 1.0, above, scaled / 2)
    return cost


def _largest_root(values: Doubles, constant: float) -> Doubles:
    """Largest root l of l^4 - s l^3 + constant = 0, or 0 where there is none.

    To the right of 3 s / 4, where the quartic is least, it rises and is convex: Newton's method from s
    falls onto the root.
    """
    lowest = 0.75 * values
    exists = (lowest**3 * (lowest - values) + constant <= 0) & (values > 0)
    root = np.where(exists, values, 1.0)
    for _ in range(NEWTON_STEPS):
        slope = root**2 * (4 * root - 3 * values)
        step = (root**3 * (root - values) + constant) / np.where(exists & (slope > 0), slope, 1.0)
        following = np.maximum(root - step, lowest)
        if np.array_equal(following[exists], root[exists]):
            break
        root = following
    return np.where(exists, root, 0.0)


def _factors(spectrum: PrincipalAxes, clean: Doubles, tau: float, dtype: np.dtype) -> Factors:
    """C = U (1 - 1 / (tau clean^2)) U^T over the values above 1/sqrt(tau), at least the largest one."""
    kept = clean > 1.0 / np.sqrt(tau)
    kept[0] = True
    weights = np.maximum(1.0 - 1.0 / (tau * np.maximum(clean[kept], np.finfo(np.float64).tiny) ** 2), 0.0)
    left = spectrum.scores[:, kept] / spectrum.values[kept] * np.sqrt(weights)
    half = left.astype(dtype)
    return Factors(half, half, np.arange(len(half)))


def _without_gross_errors(
    points: Doubles, tau: float, alpha: float, settings: LowRankSettings, threads: int
) -> tuple[PrincipalAxes, tuple[float, ...]]:
    """Alternate between the clean points and the gross errors; the points without the errors, and changes.

    The cost has many local minima. With large weights the first clean points would be the given ones, errors
    included, and stay so. From the published weight on they grow to those asked for: weak directions of the
    clean points come in while the errors leave.
    """
    rms = float(np.sqrt((points**2).mean()))
    threshold = 3.0 * rms if settings.gamma is None else settings.gamma / alpha
    errors = np.zeros_like(points)
    before = points
    changes: list[float] = []
    # Once for all alternations: to look for the libraries takes longer than one of few points.
    with single_threaded_libraries(), steps("alternations", settings.max_iter, at_most=True) as advance:
        spectrum = principal_axes(points, threads)
        share = PUBLISHED / max(tau * float(spectrum.squares[0]), PUBLISHED)
        growth = max(GROWTH, share ** (-2 / settings.max_iter))
        while True:
            values = thresholded_values(spectrum.values, share * tau, share * alpha)
            clean = _cleaned(spectrum, values)
            changes.append(float(np.abs(clean - before).mean() / np.abs(points).mean()))
            settled = share == 1.0 and changes[-1] <= settings.tol
            if settled or len(changes) == settings.max_iter:
                return spectrum, tuple(changes)
            before = clean
            errors = soft_threshold(points - clean, threshold)
            spectrum = principal_axes(points - errors, threads)
            share = min(growth * share, 1.0)
            advance(1)


def _cleaned(spectrum: PrincipalAxes, values: Doubles) -> Doubles:
    ratios = values / np.where(spectrum.values == 0, 1.0, spectrum.values)
    clean: Doubles = (spectrum.scores * ratios) @ spectrum.axes.T
    return clean


def soft_threshold(entries: Doubles, threshold: float) -> Doubles:
    """Entries drawn towards zero by `threshold`, zero where they are smaller.

    Examples
    --------
    >>> import numpy as np
    >>> soft_threshold(np.array([3.0, -0.5, -2.0]), 1.0).tolist()
    [2.0, 0.0, -1.0]
    """
    drawn: Doubles = np.sign(entries) * np.maximum(np.abs(entries) - threshold, 0.0)
    return drawn
