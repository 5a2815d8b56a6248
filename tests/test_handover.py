"""Factors are the matrix they stand for; errors carry what they speak of, worded for whoever reads them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from subspan.cli.method_options import Options, in_terms_of_options
from subspan.handover import Factors, InputError

# A setting, as an argument and as an option.
WORDED: list[tuple[str, Any, str, str]] = [
    ("n_clusters", 5, "n_clusters=5", "-k 5"),
    ("random_state", None, "random_state=None", "--seed none"),
    ("memory_budget", "2 GB", "memory_budget='2 GB'", "--memory '2 GB'"),
    ("zero_rows", "label", "zero_rows='label'", "--zero-rows label"),
    ("normalize", True, "normalize=True", "--normalize"),
    ("normalize", False, "normalize=False", "--no-normalize"),
    ("work_dir", Path("work"), "work_dir='work'", "--work-dir work"),
    ("dropout", np.float64(0.5), "dropout=0.5", "--dropout 0.5"),
    ("columns", ["a", "b"], "columns=['a', 'b']", "--columns a,b"),
    ("n_per_class", 3, "n_per_class=3", "n_per_class 3"),
]


@pytest.mark.parametrize(("name", "value", "argument", "option"), WORDED)
def test_settings_are_worded_for_the_reader(name: str, value: Any, argument: str, option: str) -> None:
    error = InputError(f"{{}}: {{{name}}} is wrong; choose another {{{name}:name}}.", "X", **{name: value})
    assert str(error) == f"X: {argument} is wrong; choose another {name}."
    typed = option.removeprefix("--no-").removeprefix("--").partition(" ")[0]
    assert error.worded(Options("s3comp-c")).startswith(f"X: {option} is wrong; choose another ")
    assert typed in error.worded(Options("s3comp-c")).rpartition("another ")[2]
    assert error.settings == {name: value}


@pytest.mark.parametrize("text", ["{n_clusters}.npy", "{", "{}{0}", "100 %s {{x}}"])
def test_braces_in_what_is_told_stay_as_they_are(text: str) -> None:
    assert str(InputError(text)) == text
    error = InputError("{n_clusters}, but {} is empty.", text, n_clusters=2)
    assert error.worded(Options("lsr")) == f"-k 2, but {text} is empty."
    with pytest.raises(InputError) as caught, in_terms_of_options("lsr"):
        raise error
    assert str(caught.value) == f"-k 2, but {text} is empty."


def test_an_error_comes_whole_from_another_process() -> None:
    error = InputError("{work_dir:name}: there is no {}.", "folder", work_dir="folder")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "work_dir: there is no folder."
    assert copy.worded(Options("s3comp")) == "--work-dir: there is no folder."
    assert copy.settings == error.settings


@pytest.fixture
def factors() -> Factors:
    rng = np.random.default_rng(0)
    # Rows 3 and 7 are copies of row 1.
    point = np.array([0, 1, 2, 1, 3, 4, 5, 1, 6])
    return Factors(*rng.standard_normal((2, 9, 3)), point)


def dense(factors: Factors) -> np.ndarray:
    product = factors.left @ factors.right.T
    for i in range(9):
        for j in range(9):
            if factors.point[i] == factors.point[j]:
                product[i, j] = 0
    return product


@pytest.mark.parametrize(("start", "stop"), [(0, 9), (2, 5), (7, 8), (4, 4), (6, 99)])
def test_rows_are_those_of_the_product_without_what_points_are_to_themselves(factors, start, stop):
    thin = Factors(csr_array(factors.left), csr_array(factors.right), factors.point)
    for form in (factors, thin):
        found = form.rows(start, stop)
        assert found == pytest.approx(dense(factors)[start:stop])
        assert found.shape == (min(stop, 9) - start, 9)


def test_blocks_are_fresh_and_the_factors_stay(factors):
    before = factors.left.copy(), factors.right.copy()
    factors.rows(0, 9)[:] = np.nan
    assert np.isfinite(factors.rows(0, 9)).all()
    assert np.array_equal(factors.left, before[0])
    assert np.array_equal(factors.right, before[1])


def test_zeros_are_exact_even_where_numbers_overflow():
    huge = np.full((3, 1), 1e200)
    with np.errstate(over="ignore"):
        found = Factors(huge, huge, np.arange(3)).rows(0, 3)
    assert np.array_equal(np.isinf(found), ~np.eye(3, dtype=bool))
    assert not found.diagonal().any()
