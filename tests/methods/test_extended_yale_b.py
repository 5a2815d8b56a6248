"""Extended Yale B, as the paper clusters it: 38 faces under 64 lights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.base import SubspaceMethod
from subspan.metrics import clustering_accuracy, subspace_preserving_error

pytestmark = pytest.mark.slow

PAPER = {"n_clusters": 38, "n_nonzero": 4, "damping": 0.01, "dropout": 0.1, "n_components": None}


def results(
    method: type[SubspaceMethod], faces: tuple[np.ndarray, np.ndarray], **parameters: Any
) -> np.ndarray:
    """Accuracy and subspace-preserving error over ten seeds, in percent."""
    X, y = faces
    fitted = [method(**PAPER, **parameters, random_state=seed).fit(X) for seed in range(10)]
    return 100 * np.mean(
        [
            (clustering_accuracy(y, model.labels_), subspace_preserving_error(model.representation_, y))
            for model in fitted
        ],
        axis=0,
    )


def test_s3comp_c(extended_yale_b):
    accuracy, error = results(S3COMPC, extended_yale_b, max_iter=5)
    assert accuracy >= 87.0
    assert error == pytest.approx(20.2, abs=0.5)


def test_s3comp(extended_yale_b):
    accuracy, error = results(S3COMP, extended_yale_b)
    assert accuracy >= 80.8
    assert error == pytest.approx(20.2, abs=0.5)


def test_ssc_omp(extended_yale_b):
    X, y = extended_yale_b
    model = SSCOMP(38, n_nonzero=5, random_state=0).fit(X)
    assert 100 * subspace_preserving_error(model.representation_, y) == pytest.approx(20.13, abs=0.01)
