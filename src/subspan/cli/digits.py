"""The job behind `subspan demo`: methods side by side on data that everybody has."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from subspan import S3COMPC, SSCOMP, SubspaceClustering
from subspan.base import SubspaceMethod
from subspan.metrics import clustering_accuracy
from subspan.report import Origin, write_report
from subspan.sources import ArraySource

N_DIGITS = 10


class Clusterer(Protocol):
    """What the methods compared here have in common."""

    def fit_predict(self, X: NDArray[np.float64]) -> NDArray[np.integer]:
        """Labels of the rows."""


class DigitsOutcome(NamedTuple):
    """One method over all seeds."""

    accuracies: list[float]
    seconds: float


def front_door(seed: int) -> SubspaceClustering:
    """The estimator on show: nothing is chosen for these data but the number of clusters."""
    return SubspaceClustering(N_DIGITS, random_state=seed)


def s3comp_c(seed: int) -> S3COMPC:
    """The method of the paper, by its defaults."""
    return S3COMPC(N_DIGITS, random_state=seed)


CONTESTANTS: dict[str, Callable[[int], Clusterer]] = {
    "k-means": lambda seed: KMeans(N_DIGITS, n_init=10, random_state=seed),
    "spectral clustering (scikit-learn)": lambda seed: SpectralClustering(
        N_DIGITS, affinity="nearest_neighbors", random_state=seed
    ),
    "SSC-OMP": lambda seed: SSCOMP(N_DIGITS, n_nonzero=5, random_state=seed),
    "S3COMP-C": s3comp_c,
    "SubspaceClustering": front_door,
}


def compare_on_digits(X: NDArray[np.float64], y: NDArray[np.int64], seeds: int) -> dict[str, DigitsOutcome]:
    """Accuracy of every method over the seeds, and the mean time of one run."""
    outcomes = {}
    for name, method in CONTESTANTS.items():
        start = time.perf_counter()
        accuracies = [clustering_accuracy(y, method(seed).fit_predict(X)) for seed in range(seeds)]
        outcomes[name] = DigitsOutcome(accuracies, (time.perf_counter() - start) / seeds)
    return outcomes


def digits_table(outcomes: dict[str, DigitsOutcome], seeds: int) -> Table:
    """Accuracy as mean and standard deviation in percent."""
    table = Table(title=f"1797 handwritten digits, 8 x 8 pixels, {seeds} seeds", title_justify="left")
    table.add_column("method")
    table.add_column("accuracy %", justify="right")
    table.add_column("seconds", justify="right")
    for name, (accuracies, seconds) in outcomes.items():
        mean, spread = 100 * np.mean(accuracies), 100 * np.std(accuracies)
        table.add_row(name, f"{mean:.1f} ± {spread:.1f}", f"{seconds:.2f}")
    return table


def load_rows() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Images as rows of unit norm, and the digits they show."""
    X, y = load_digits(return_X_y=True)
    return normalize(X), y


def digits_facts(outcomes: dict[str, DigitsOutcome]) -> dict[str, Any]:
    """The comparison as JSON takes it."""
    return {
        name: {"accuracies": accuracies, "seconds": seconds}
        for name, (accuracies, seconds) in outcomes.items()
    }


def write_digits_page(
    path: Path, model: SubspaceMethod, X: NDArray[np.float64], y: NDArray[np.int64]
) -> None:
    """The report on one run."""
    digits = ArraySource(X, "scikit-learn's digits")
    write_report(model, path, digits, truth=y, image_shape=(8, 8), origin=Origin(command="subspan demo"))
