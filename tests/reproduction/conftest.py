"""Made-up results, so that tables and figures are tested without a single fit."""

from __future__ import annotations

import numpy as np
import pytest

ORIGIN = {
    "machine": {"cpu": "abacus", "cores": 2, "gemm_gflops": 50.0},
    "versions": {"python": "3.11", "subspan": "0.1.0"},
    "finished": "2026-01-31T12:00:00+00:00",
}


def row(accuracy=0.9, **changes):
    """A result as the laboratory writes it."""
    return {
        "dataset": "synthetic",
        "method": "s3comp-c",
        "n_points": 100,
        "accuracy": accuracy,
        "nmi": 0.8,
        "ari": 0.7,
        "sre": 0.2,
        "connectivity": {"min": 0.01, "mean": 0.05, "per_class": [0.01] * 14},
        "eigenvalues": np.linspace(1, 0.5, 15).tolist(),
        "n_components": 11,
        "support_size": 20.0,
        "n_iter": 10,
        "changes": [1.0, *(0.5**k for k in range(1, 10))],
        "stage_seconds": {"representation": 1.0, "affinity": 0.1, "embedding": 0.5, "labeling": 0.25},
        "seconds": 2.0,
        "peak_memory_bytes": 10**9,
        "sequences": [
            {"name": f"film-{number}", "n_motions": number, "n_tracks": 50, "error": 1 - accuracy}
            for number in (2, 3, 5)
        ],
        **ORIGIN,
        **changes,
    }


@pytest.fixture
def make_row():
    return row


def invented(cells):
    """A result for every run, different from seed to seed."""
    return {cell: [row(0.8 + 0.01 * run.seed) for run in runs] for cell, runs in cells.items()}


@pytest.fixture
def invent():
    return invented
