"""A small clustering to write pages about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces
from subspan.report.material import gather
from subspan.report.writing import render


@pytest.fixture(scope="session")
def points() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_union_of_subspaces(3, 2, 12, 20, noise=0.05, random_state=0)
    return X, y


@pytest.fixture(scope="session")
def model(points: tuple[np.ndarray, np.ndarray]) -> S3COMPC:
    return S3COMPC(3, n_nonzero=2, n_subproblems=5, random_state=0).fit(points[0])


@pytest.fixture(scope="session")
def page_of() -> Callable[..., str]:
    """The text of a page, without a file."""

    def page(estimator: Any, X: Any = None, **known: Any) -> str:
        return render(gather(estimator, X, **known))

    return page
