"""Labels of any type against NumPy, and matrices that are refused with the place of the fault."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

from subspan.handover import InputError
from subspan.metrics.checks import check_square, first_entry, is_cluster, number_classes


@pytest.mark.parametrize(
    "labels",
    [[3, 1, 3, -1], ["b", "a", "b"], [True, False, True], [2.5, 0.5, 2.5], np.array([9, 9], np.uint8)],
)
def test_classes_are_numbered_as_numpy_does(labels):
    classes, numbers = number_classes("y", labels)
    wanted, inverse = np.unique(labels, return_inverse=True)
    assert classes.tolist() == wanted.tolist()
    assert numbers.tolist() == inverse.tolist()


@pytest.mark.parametrize("labels", [["b", 1, "b", 2.5], [(1, 2), "a", (1, 2)], ["y", "x", "y"]])
def test_objects_of_any_kind(labels):
    values = np.empty(len(labels), object)
    values[:] = labels
    classes, numbers = number_classes("y", values)
    assert [classes[number] for number in numbers] == labels
    assert len(classes) == len(set(labels))
    # Those that can be compared are in order.
    assert labels != ["y", "x", "y"] or classes.tolist() == ["x", "y"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, float("nan")])
def test_missing_labels_are_counted_and_the_first_is_named(missing):
    values = np.array(["a", "b", missing, "c", missing], object)
    with pytest.raises(InputError, match=r"^y: 2 labels are missing, the first at row 2\.$"):
        number_classes("y", values)


@pytest.mark.parametrize(("labels", "message"), [([], "y is empty"), ([[1], [2]], r"got shape \(2, 1\)")])
def test_what_are_no_labels(labels, message):
    with pytest.raises(InputError, match=message):
        number_classes("y", labels)


def test_minus_one_is_in_no_cluster_but_its_name_is():
    assert is_cluster(np.array([0, -1, 3])).tolist() == [True, False, True]
    assert is_cluster(np.array([-1.0, 1.0])).tolist() == [False, True]
    assert is_cluster(np.array(["-1", "a"])).tolist() == [True, True]


def with_fault(value: float) -> np.ndarray:
    matrix = np.arange(16.0).reshape(4, 4)
    matrix[[2, 3], [3, 0]] = value
    return matrix


@pytest.mark.parametrize("kind", [np.asarray, csr_array, coo_array])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_the_first_number_that_is_none_is_named(kind, value):
    with pytest.raises(InputError, match=r"^W holds NaN or infinity, first at row 2, column 3\.$"):
        check_square("W", kind(with_fault(value)), 4)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((3, 4)), r"W must be a square matrix, got shape \(3, 4\)"),
        (np.ones(4), r"W must be a square matrix, got shape \(4,\)"),
        (1j * np.eye(4), "W must hold real numbers, got dtype complex128"),
        (np.eye(3), "W has 3 rows, but y has 4 labels"),
    ],
)
def test_matrices_that_are_refused(matrix, message):
    with pytest.raises(InputError, match=message):
        check_square("W", matrix, 4, labels="y")


def test_entries_stored_twice_are_added_up_and_the_callers_matrix_stays():
    twice = csr_array((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    checked = check_square("W", twice, 2)
    assert checked.nnz == 2
    assert checked.toarray().tolist() == [[0, 3], [5, 0]]
    assert twice.data.tolist() == [1, 2, 5]


def test_first_entry_goes_row_by_row():
    matrix = np.array([[0.0, 0, 0], [0, 0, -1], [-1, 0, 0]])
    for form in (matrix, csr_array(matrix)):
        assert first_entry(form, lambda part: part < 0) == (1, 2)
        with pytest.raises(ValueError, match="no such entry"):
            first_entry(form, lambda part: part > 9)
