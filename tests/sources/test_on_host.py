"""Arrays of other libraries, by classes that behave as theirs do."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from subspan import SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.sources import open_source
from subspan.sources.checks import on_host

X, _ = make_union_of_subspaces(2, 2, 8, 20, random_state=0)


class Tensor:
    """As torch has it: on a device, with a gradient."""

    def __init__(self, array, *, device="cuda", tracked=True):
        self.array, self.device, self.tracked = array, device, tracked

    def detach(self):
        return Tensor(self.array, device=self.device, tracked=False)

    def cpu(self):
        return Tensor(self.array, device="cpu", tracked=self.tracked)

    def numpy(self):
        assert self.device == "cpu"
        assert not self.tracked
        return self.array

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert a tensor on a device")


class OnCard:
    """As CuPy has it: NumPy may not convert it by itself."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return {"version": 3}

    def get(self):
        return self.array

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion is not allowed")


class Converts:
    """As JAX has it."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)


class Exchanged:
    """Nothing but the protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("kind", [Tensor, OnCard, Converts, Exchanged])
def test_they_are_read_as_the_array_they_hold(kind):
    assert np.array_equal(open_source(kind(X)).rows(0, len(X)), X)
    expected = SSCOMP(2, n_nonzero=2, random_state=0).fit(X)
    fitted = SSCOMP(2, n_nonzero=2, random_state=0).fit(kind(X))
    assert np.array_equal(fitted.labels_, expected.labels_)
    assert np.array_equal(fitted.predict(kind(X)), expected.labels_)


def test_a_copy_is_told(caplog):
    with caplog.at_level(logging.INFO):
        on_host(Tensor(X))
        on_host(X)
    assert [record.message for record in caplog.records] == [
        f"X: a {Tensor.__module__}.Tensor was copied to the memory of this machine."
    ]
