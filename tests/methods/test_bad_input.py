"""Whatever is wrong with the input is said in one sentence that names the argument and the place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError

POINTS, _ = make_union_of_subspaces(3, 2, 8, 20, random_state=0)
GRAPH = np.abs(POINTS @ POINTS.T) * (1 - np.eye(60))


def points_with(value: float, row: int = 40, column: int = 3, dtype: str = "float64") -> np.ndarray:
    X = POINTS.astype(dtype)
    X[row, column] = value
    return X


def points_with_row(row: int, value: float) -> np.ndarray:
    X = POINTS.copy()
    X[row] = value
    return X


def graph_with(value: float, row: int, column: int) -> np.ndarray:
    graph = GRAPH.copy()
    graph[row, column] = value
    return graph


# What fit is given, and a pattern of the sentence.
BAD_POINTS: dict[str, tuple[Any, str]] = {
    "NaN": (points_with(np.nan), r"^X: 1 row contains NaN or inf, the first at row 40, column 3\.$"),
    "NaN in float32": (points_with(np.nan, dtype="float32"), "X: .* row 40, column 3"),
    "inf": (points_with(np.inf), "X: .* row 40, column 3"),
    "-inf": (points_with(-np.inf, 0, 0), "X: .* row 0, column 0"),
    "NaN in the last row": (points_with(np.nan, 59, 7), "X: .* row 59, column 7"),
    "NaN in a frame": (pd.DataFrame(points_with(np.nan)), "X: .* row 40, column 3"),
    "zero row": (points_with_row(7, 0), "^X: 1 zero row, the first at row 7.* zero_rows='label'"),
    "subnormal row": (points_with_row(9, 1e-310), "^X: 1 zero row, the first at row 9"),
    "all zero": (np.zeros((9, 4)), "^X: 9 zero rows, the first at row 0"),
    "number": (3.0, r"^X: must be a table .* shape \(\)\.$"),
    "None": (None, r"^X: must be a table .* shape \(\)\.$"),
    "a file that is not there": ("points.csv", r"^points\.csv: there is no such file\.$"),
    "mapping": ({"a": [1, 2]}, r"^X: must be a table .* shape \(\)\.$"),
    "one dimension": (POINTS[0], r"^X: must be a table .* shape \(8,\)\.$"),
    "three dimensions": (POINTS.reshape(60, 4, 2), r"^X: has shape \(60, 4, 2\)\. Points are rows"),
    "nothing": ([], r"^X: must be a table .* shape \(0,\)\.$"),
    "no rows": (POINTS[:0], r"^X: .*0 sample.*shape=\(0, 8\).* minimum of 2"),
    "no columns": (POINTS[:, :0], r"^X: .*0 feature.*shape=\(60, 0\)"),
    "one row": (POINTS[:1], r"^X: .*1 sample.* minimum of 2"),
    "ragged": ([[1, 2], [3]], "^X: its rows have different lengths"),
    "objects": (np.full((9, 2), object()), "^X: row 0, column 0 holds <object.* not a number"),
    "a word": ([[1.0, 2.0], [3.0, "four"], [5.0, 6.0]], "^X: row 1, column 1 holds 'four'.* not a number"),
    "a word in a frame": (pd.DataFrame({"a": [1, 2], "b": [1, "x"]}), "^X: row 1, column 1 holds 'x'"),
    "words": (np.full((9, 2), "a"), "^X: row 0, column 0 holds 'a'.* not a number"),
    "huge integer": ([[1, 2], [10**400, 3], [1, 1]], "^X: row 1, column 0 holds 1000.* not a number"),
    "complex": (POINTS * 1j, r"^X: Complex data not supported\.$"),
    "dates": (np.zeros((9, 2), "M8[s]"), "^X: must hold numbers, but has dtype datetime64"),
    "masked": (np.ma.masked_where(np.arange(480).reshape(60, 8) == 41, POINTS), "^X: .* masked .* row 5"),
    "records": (np.zeros(5, [("a", "f4")]), "^X: must hold numbers, but has dtype"),
    "sparse": (csr_array(POINTS), "Sparse data was passed for X"),
    "mutually orthogonal": (np.eye(30), "^The affinity is all zero: no point is represented by any other"),
    "one direction": (np.outer(np.arange(1.0, 9), np.ones(4)), "n_clusters=3, but X .* 1 distinct direction"),
}

BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"n_clusters": 0}, r"^n_clusters must be .*; got 0\.$"),
    ({"n_clusters": -1}, r"^n_clusters must be .*; got -1\.$"),
    ({"n_clusters": 1.5}, r"^n_clusters must be .*; got 1\.5\.$"),
    ({"n_clusters": "3"}, r"^n_clusters must be .*; got '3'\.$"),
    ({"n_clusters": True}, r"^n_clusters must be .*; got True\.$"),
    ({"n_clusters": None}, r"^n_clusters must be .*; got None\.$"),
    ({"n_clusters": 61}, "n_clusters=61, but X .* 60 distinct directions"),
    ({"n_nonzero": 0}, r"^n_nonzero must be .*; got 0\.$"),
    ({"n_nonzero": 2.0}, r"^n_nonzero must be .*; got 2\.0\.$"),
    ({"n_nonzero": 60, "dropout": 0.0}, "n_nonzero=60 needs at least 61 distinct rows"),
    ({"n_nonzero": 40}, "dropout=0.5 leaves only .* n_nonzero=40 needs 41: .* dropout <= 0"),
    ({"dropout": -0.1}, r"^dropout must be .*; got -0\.1\.$"),
    ({"dropout": 1}, r"^dropout must be .*; got 1\.$"),
    ({"dropout": np.nan}, r"^dropout must be .*; got nan\.$"),
    ({"dropout": "half"}, r"^dropout must be .*; got 'half'\.$"),
    ({"dropout": 0.99}, "dropout=0.99 leaves only .* dropout <= 0"),
    ({"n_subproblems": 0}, r"^n_subproblems must be .*; got 0\.$"),
    ({"damping": -1}, r"^damping must be .*; got -1\.$"),
    ({"damping": np.nan}, r"^damping must be .*; got nan\.$"),
    ({"damping": np.inf}, r"^damping must be .*; got inf\.$"),
    ({"residual_tol": -1}, r"^residual_tol must be .*; got -1\.$"),
    ({"residual_tol": np.nan}, r"^residual_tol must be .*; got nan\.$"),
    ({"dictionary_size": 0}, r"^dictionary_size must be .*; got 0\.$"),
    ({"dictionary_size": 3}, r"dictionary_size=3 must lie between n_nonzero \+ 1 = 4 and"),
    ({"dictionary_size": 61}, "dictionary_size=61 must lie between .* 60"),
    ({"selection": "best"}, r"^selection must be .*; got 'best'\.$"),
    ({"candidates": "some"}, r"^candidates must be .*; got 'some'\.$"),
    ({"average": "mean"}, r"^average must be .*; got 'mean'\.$"),
    ({"cover": "yes"}, r"^cover must be .*; got 'yes'\.$"),
    ({"max_iter": 0}, r"^max_iter must be .*; got 0\.$"),
    ({"max_iter": 10**9}, r"^max_iter must be .* from 1 to 100000; got 1000000000\.$"),
    ({"n_subproblems": 10**9}, r"^n_subproblems must be .* from 1 to 100000; got 1000000000\.$"),
    ({"n_init": 10**9}, r"^n_init must be .* from 1 to 100000; got 1000000000\.$"),
    ({"tol": 1e300}, r"^tol must be .* below 1e\+150; got 1e\+300\.$"),
    ({"residual_tol": 1e300}, r"^residual_tol must be .* below 1e\+150; got 1e\+300\.$"),
    ({"tol": -1e-3}, r"^tol must be .*; got -0\.001\.$"),
    ({"normalize": 3}, r"^normalize must be .*; got 3\.$"),
    ({"zero_rows": "drop"}, r"^zero_rows must be .*; got 'drop'\.$"),
    ({"duplicates": "drop"}, r"^duplicates must be .*; got 'drop'\.$"),
    ({"affinity": "rbf"}, r"^affinity must be .*; got 'rbf'\.$"),
    ({"scale": "l1"}, r"^scale must be .*; got 'l1'\.$"),
    ({"n_components": 0}, r"^n_components must be .*; got 0\.$"),
    ({"n_components": "many"}, r"^n_components must be .*; got 'many'\.$"),
    ({"n_components": 61}, "n_components=61: must be between 1 and 60"),
    ({"n_init": 0}, r"^n_init must be .*; got 0\.$"),
    ({"left_out": "drop"}, r"^left_out must be .*; got 'drop'\.$"),
    ({"memory_budget": "abc"}, r"^memory_budget must be a size such as '2GB' or None; got 'abc'\.$"),
    ({"memory_budget": 0}, r"^memory_budget must be .*; got 0\.$"),
    ({"n_jobs": 0}, r"^n_jobs must be .*; got 0\.$"),
    ({"n_jobs": 1.5}, r"^n_jobs must be .*; got 1\.5\.$"),
    ({"random_state": -1}, r"^random_state must be .*; got -1\.$"),
    ({"random_state": 2**64}, r"^random_state must be .*; got 18446744073709551616\.$"),
    ({"random_state": "seed"}, r"^random_state must be .*; got 'seed'\.$"),
]

BAD_GRAPHS: dict[str, tuple[Any, str]] = {
    "not square": (POINTS, r"^X: must be a square matrix, but has shape \(60, 8\)"),
    "one dimension": (GRAPH[0], r"^X: must be a table"),
    "negative": (graph_with(-1, 2, 5), r"^X: a graph must not be negative, but entry \(2, 5\) is -1"),
    "NaN": (graph_with(np.nan, 2, 5), r"^X: must be finite, but entry \(2, 5\) is nan"),
    "sparse inf": (csr_array(graph_with(np.inf, 2, 5)), r"^X: must be finite, but entry \(2, 5\) is inf"),
    "asymmetric": (graph_with(9, 2, 5), r"^X: .* symmetric, but entry \(2, 5\) is 9 and entry \(5, 2\) is"),
    "all zero": (np.zeros((60, 60)), "^X: the graph has no edge between two points"),
    "sparse all zero": (csr_array((60, 60)), "^X: the graph has no edge between two points"),
    "loops only": (np.eye(60), "^X: the graph has no edge between two points"),
    "complex": (GRAPH * 1j, r"^X: Complex data not supported\.$"),
    "words": (np.full((2, 2), "a"), "^X: row 0, column 0 holds 'a'"),
    "too few linked points": (
        np.pad([[0.0, 1], [1, 0]], (0, 9)),
        "^n_clusters=3, but the graph links only 2 points",
    ),
}

BAD_COEFFICIENTS: dict[str, tuple[Any, str]] = {
    "not square": (POINTS, r"^X: must be a square matrix, but has shape \(60, 8\)"),
    "NaN": (graph_with(np.nan, 2, 5), r"^X: must be finite, but entry \(2, 5\) is nan"),
    "sparse NaN": (csr_array(graph_with(np.nan, 2, 5)), r"^X: must be finite, but entry \(2, 5\) is nan"),
    "all zero": (np.zeros((60, 60)), "^The affinity is all zero"),
}


def assert_refused(X: Any, pattern: str, **parameters: Any) -> None:
    model = S3COMPC(**{"n_clusters": 3, "n_nonzero": 3, "random_state": 0} | parameters)
    with pytest.raises((ValueError, TypeError), match=pattern) as caught:
        model.fit(X)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 250
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize("name", BAD_POINTS)
def test_points(name):
    assert_refused(*BAD_POINTS[name])


@pytest.mark.parametrize(("parameters", "pattern"), BAD_PARAMETERS, ids=[str(p) for p, _ in BAD_PARAMETERS])
def test_parameters(parameters, pattern):
    assert_refused(POINTS, pattern, **parameters)


@pytest.mark.parametrize("name", BAD_GRAPHS)
def test_graphs(name):
    X, pattern = BAD_GRAPHS[name]
    assert_refused(X, pattern, affinity="precomputed")


@pytest.mark.parametrize("name", BAD_COEFFICIENTS)
def test_coefficients(name):
    X, pattern = BAD_COEFFICIENTS[name]
    assert_refused(X, pattern, affinity="precomputed_representation")


@pytest.mark.parametrize("method", [S3COMP(61, n_nonzero=2), SSCOMP(61, n_nonzero=2)])
def test_more_clusters_than_distinct_rows(method):
    copies = np.vstack([POINTS, POINTS[:10], 4 * POINTS[:5]])
    with pytest.raises(
        ValueError, match=r"n_clusters=61, but X \(n_samples=75, .* only 60 distinct directions"
    ):
        method.fit(copies)


def test_too_large_to_be_multiplied():
    with pytest.raises(ValueError, match=r"^X: row \d+ has entries above 2e\+153.* normalize=True"):
        SSCOMP(3, normalize=False).fit(POINTS * 1e200)
    model = S3COMP(3, n_nonzero=3, random_state=0)
    assert np.array_equal(model.fit_predict(POINTS * 2.0**600), model.fit_predict(POINTS))


def test_largest_dropout_named_by_the_error_works():
    with pytest.raises(ValueError, match="use dropout <= ") as caught:
        S3COMP(3, n_nonzero=3, dropout=0.95, random_state=4).fit(POINTS)
    largest = float(str(caught.value).split("dropout <= ")[1].split(",")[0])
    assert len(S3COMP(3, n_nonzero=3, dropout=largest, random_state=4).fit(POINTS).labels_) == 60
    with pytest.raises(ValueError, match="dropout"):
        S3COMP(3, n_nonzero=3, dropout=largest + 2e-4, random_state=4).fit(POINTS)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.uint32, np.int64])
def test_whole_numbers_of_numpy_are_numbers(kind):
    """240 rows times three clusters overflow a number of 8 bits."""
    X = np.tile(POINTS, (4, 1)) + np.random.default_rng(0).normal(0, 1e-3, (240, 8))
    given = {"n_clusters": 3, "n_nonzero": 2, "n_subproblems": 5, "max_iter": 2, "n_init": 3}
    model = S3COMPC(**{name: kind(value) for name, value in given.items()}, random_state=0).fit(X)
    assert type(model.n_clusters) is int
    assert np.array_equal(model.labels_, S3COMPC(**given, random_state=0).fit(X).labels_)


@pytest.mark.parametrize("executor", [3, "tcp://localhost:1", object()])
def test_executors_are_clients(executor, tmp_path):
    with pytest.raises(InputError, match=r"^executor: must be a dask.distributed.Client, not \w+\.$"):
        S3COMPC(3, random_state=0, work_dir=tmp_path).fit(POINTS, executor=executor)


@pytest.mark.parametrize("folder", ["~nobody-of-this-name/work", "~nobody-of-this-name"])
def test_work_of_a_user_who_is_not_there(folder):
    with pytest.raises(InputError, match=r"^~nobody-of-this-name.*: there is no such user\.$"):
        S3COMPC(3, random_state=0, work_dir=folder).fit(POINTS)


@pytest.mark.parametrize("tol", [2**63, np.uint64(2**64 - 1), np.uint8(1)])
def test_real_parameters_may_be_whole_numbers(tol):
    X = make_union_of_subspaces(3, 2, 9, 20, random_state=0)[0]
    given = {"n_nonzero": 2, "n_subproblems": 3, "max_iter": 3, "random_state": 0}
    for name in ("tol", "damping"):
        value = tol if name == "tol" else np.uint8(1)
        whole = S3COMPC(3, **{**given, name: value}).fit(X)
        assert np.array_equal(whole.labels_, S3COMPC(3, **{**given, name: float(value)}).fit(X).labels_)
        assert (
            abs(
                whole.representation_ - S3COMPC(3, **{**given, name: float(value)}).fit(X).representation_
            ).max()
            == 0
        )
