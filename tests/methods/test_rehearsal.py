"""Times of a fit, from small ones."""

from __future__ import annotations

import pytest

from subspan import ESC
from subspan.handover import InputError
from subspan.methods.rehearsal import drawn_rows, extrapolate, rehearse


@pytest.mark.parametrize(
    "seconds_of",
    [
        lambda n: 1e-4 * n,
        lambda n: 1e-6 * n**2,
        # A start that small fits are made of, and a square that large ones are made of.
        lambda n: 0.1 + 1e-6 * n**2,
        lambda n: 3e-10 * n**3,
    ],
)
def test_the_truth_lies_between(seconds_of):
    sizes = []

    def watched(size: int) -> float:
        sizes.append(size)
        return seconds_of(size)

    low, high = extrapolate(watched, 20_000, 250)
    assert low <= seconds_of(20_000) <= high
    # Nothing near as long as the fit itself is tried.
    assert sum(map(seconds_of, sizes)) < 8


def test_a_fit_that_is_small_is_made_as_it_is():
    low, high = extrapolate(lambda n: 0.001 * n, 300, 250)
    assert low < 0.3 < high
    assert high / low < 8


def test_parameters_that_need_many_points_get_them():
    # 250 points would be too few for so many exemplars.
    low, high = rehearse(ESC(3, n_exemplars=300, random_state=0), 400, 6)
    assert 0 < low < high
    with pytest.raises(InputError, match="n_exemplars"):
        rehearse(ESC(3, n_exemplars=500, random_state=0), 400, 6)


@pytest.mark.parametrize("shape", [(10, 2), (250, 3), (1001, 40)])
def test_rows_have_the_size_that_was_asked_for(shape):
    X = drawn_rows(*shape)
    assert X.shape == shape
    assert (X != 0).all()
