"""How long a fit may take, told by small ones of rows drawn at random."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from subspan.base import SubspaceMethod
from subspan.execution.memory import in_words, used_memory
from subspan.execution.threads import n_threads
from subspan.execution.workplace import Workplace
from subspan.handover import InputError
from subspan.methods.forecast import in_range
from subspan.methods.planning import FIRST_USE, PER_ROW_SCANNED
from subspan.methods.room import SaysBytes, check_fit, fit_bytes
from subspan.sources import Source

# Points of the first fit, and points for each cluster that it has at least.
FIRST, PER_CLUSTER = 250, 5
# Twice as many points are taken until a fit takes so many seconds; once at least, unless that is no fewer
# than all points and takes long.
LONG, VERY_LONG = 0.7, 2.0
# The time grows with a power of the number of points. It is seen between the last two fits, to so much.
LOWEST, HIGHEST = 0.5, 3.0
SPREAD = 0.3
# Other rows take more or less time than those drawn, and the machine is not always as busy.
UNCERTAINTY = 2.5
DIMENSION, SUBSPACES, NOISE = 5, 10, 0.1


@dataclass(frozen=True)
class Outlook:
    """What a fit may take; `str(outlook)` is what ``subspan plan`` prints."""

    n_points: int
    n_features: int
    # Of the whole process, at most; None where the method does not say.
    peak: int | None
    # What the process has already.
    process: int
    least_seconds: float
    most_seconds: float

    def __str__(self) -> str:
        memory = "not known for a method of your own"
        if self.peak is not None:
            memory = f"up to {in_words(self.peak)}, of which libraries take {in_words(self.process)}"
        return "\n".join(
            [
                f"{self.n_points} points, {self.n_features} features",
                f"memory  {memory}",
                f"time    {in_range(self.least_seconds, self.most_seconds)}, by small fits to random rows",
            ]
        )


def outlook(estimator: SubspaceMethod, source: Source) -> Outlook:
    """Memory and time of a fit to these rows, which are not read.

    Raises
    ------
    InputError
        If the arrays of the fit do not fit into the memory budget.
    """
    n_points, n_features = source.shape
    settled = estimator._settle(Workplace(n_threads(estimator.n_jobs)))
    process = used_memory() + FIRST_USE
    peak = None
    if isinstance(estimator, SaysBytes):
        own = check_fit(estimator, source, settled)
        peak = process + rows_bytes(source) + fit_bytes(estimator, n_points, settled.n_clusters, own)
    first = max(FIRST, PER_CLUSTER * settled.n_clusters)
    seconds = rehearse(estimator, n_points, n_features, first=first)
    return Outlook(n_points, n_features, peak, process, *seconds)


def rows_bytes(source: Source) -> int:
    """Rows as they are read, and brought to unit norm."""
    n_points, n_features = source.shape
    return n_points * (2 * n_features * source.dtype.itemsize + PER_ROW_SCANNED)


def rehearse(
    estimator: Any, n_points: int, n_features: int, *, first: int = FIRST, loading: int = 0
) -> tuple[float, float]:
    """Least and most seconds of a fit to so many points, on this machine as it is now.

    Parameters
    ----------
    estimator : SubspaceMethod
    n_points, n_features : int
    first : int
        Points of the first fit that counts.
    loading : int
        Points of the fit before, while kernels are loaded; 0 means as many.
    """
    known = set(estimator.get_params(deep=False))
    quiet = {name: value for name, value in (("work_dir", None), ("verbose", False)) if name in known}
    model = clone(estimator).set_params(random_state=0, **quiet)

    def seconds_of(size: int) -> float:
        X = drawn_rows(size, n_features)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
        return time.perf_counter() - start

    # Kernels are loaded meanwhile, and it is seen how many points the parameters need.
    least = _enough(seconds_of, min(loading or first, n_points), n_points)
    return extrapolate(seconds_of, n_points, max(first, least))


def _enough(seconds_of: Callable[[int], float], size: int, n_points: int) -> int:
    """Points to which the parameters can be applied: as few as that, or a few times more."""
    while True:
        try:
            seconds_of(size)
        except InputError:
            if size >= n_points:
                raise
            size = min(2 * size, n_points)
        else:
            return size


def extrapolate(seconds_of: Callable[[int], float], n_points: int, first: int) -> tuple[float, float]:
    """Least and most seconds, from those of a few sizes.

    Examples
    --------
    >>> low, high = extrapolate(lambda size: 1e-6 * size**2, 10_000, 250)
    >>> low < 100 < high
    True
    """
    size = min(first, n_points)
    seconds, power = seconds_of(size), 1.0
    while size < n_points and (seconds < VERY_LONG or 2 * size < n_points):
        before, smaller = seconds, size
        size = min(2 * smaller, n_points)
        seconds = seconds_of(size)
        power = np.log(seconds / before) / np.log(size / smaller)
        if seconds >= LONG:
            break
    least, most = np.clip((power - SPREAD, power + SPREAD), LOWEST, HIGHEST)
    times = n_points / size
    return float(seconds * times**least / UNCERTAINTY), float(seconds * times**most * UNCERTAINTY)


def drawn_rows(n_points: int, n_features: int) -> NDArray[np.float32]:
    """Rows near subspaces, in random order."""
    rng = np.random.default_rng(0)
    dimension = max(1, min(DIMENSION, n_features - 1))
    X = NOISE * rng.standard_normal((n_points, n_features), np.float32)
    n_subspaces = max(2, min(SUBSPACES, n_points // 25))
    for first in range(n_subspaces):
        own = X[first::n_subspaces]
        basis = rng.standard_normal((dimension, n_features), np.float32)
        own += rng.standard_normal((len(own), dimension), np.float32) @ basis
    return rng.permutation(X)
