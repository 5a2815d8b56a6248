"""Kinds of values: what they allow, against scikit-learn's constraints, and what can be typed."""

from __future__ import annotations

import sys
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.utils._param_validation import Interval, StrOptions, make_constraint

from subspan.handover import InputError
from subspan.methods import registry
from subspan.parameters import declared
from subspan.parameters.kinds import (
    Kind,
    above_zero,
    boolean,
    folder,
    generator,
    memory_size,
    one_of,
    real,
    span,
    whole,
)

VALUES = [
    *(-2, -1, 0, 1, 2, 2**32 - 1, 2**32, 2**64, -0.5, 0.0, 1e-310, 0.5, 1.0, 1.5, 1e308),
    *(float("nan"), float("inf"), -float("inf"), None, "auto", "max", "MAX", "none", "1", b"auto"),
    *(np.int32(0), np.int64(3), np.float32(0.5), np.float64(0.5), np.float64("nan"), np.uint8(1)),
    *(np.random.RandomState(0), np.random.default_rng(0), Path("work"), [1], (1,), {}, 1j, object()),
    np.array([1, 2]),
]
TRUTHS = [True, False, np.True_, np.False_]
SMALLEST = sys.float_info.min
# Ours, and what scikit-learn makes of the same.
TWINS: dict[str, tuple[Kind, list[Any]]] = {
    "positive": (whole(1), [Interval(Integral, 1, None, closed="left")]),
    "whole": (whole(), [Interval(Integral, None, None, closed="neither")]),
    "threads": (
        whole(other_than=0) | None,
        [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
    ),
    "share": (real(0, below=1), [Interval(Real, 0, 1, closed="left")]),
    "not negative": (real(0) | None, [Interval(Real, 0, None, closed="left"), None]),
    "above zero": (above_zero(), [Interval(Real, SMALLEST, None, closed="left")]),
    "words": (one_of("auto", "max"), [StrOptions({"auto", "max"})]),
    "number or word": (
        whole(1) | one_of("auto") | None,
        [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
    ),
    "folder": (folder() | None, [str, PathLike, None]),
    "seed": (whole(0, 2**32 - 1) | generator() | None, ["random_state"]),
}


@pytest.mark.parametrize("name", TWINS)
def test_the_same_is_allowed_as_by_scikit_learn(name: str) -> None:
    kind, constraints = TWINS[name]
    twins = [make_constraint(constraint) for constraint in constraints]
    for value in VALUES:
        assert kind.allows(value) == any(twin.is_satisfied_by(value) for twin in twins), repr(value)
    # There a truth value is a number, too.
    assert not any(kind.allows(value) for value in TRUTHS)


def test_truth_values() -> None:
    assert all(boolean().allows(value) for value in TRUTHS)
    assert not any(boolean().allows(value) for value in VALUES)


def test_sizes_of_memory() -> None:
    good = [1, np.int64(5), "2GB", "1.5 MiB", "700"]
    bad = [0, -1, 1.5, True, None, "", "lots", "-1GB", b"2GB"]
    assert [value for value in good + bad if memory_size().allows(value)] == good


def test_ranges() -> None:
    good = [(2, 2), (2, 20), (np.int64(3), np.int64(9))]
    bad = [(1, 3), (4, 3), (2,), (2, 3, 4), (2.0, 3), (True, 3), (2, None), [2, 20], "2:20", 5]
    assert [value for value in good + bad if span(2).allows(value)] == good


@pytest.mark.parametrize("method", registry.PLACES)
def test_what_the_shell_offers_can_be_read(method: str) -> None:
    for parameter in declared(registry.PLACES[method].declaration):
        for choice in parameter.kind.choices:
            assert parameter.kind.allows(parameter.kind.read(choice))


@pytest.mark.parametrize("method", registry.PLACES)
def test_every_default_is_allowed(method: str) -> None:
    for parameter in declared(registry.PLACES[method].declaration):
        parameter.check(parameter.default)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (whole(1) | None, "NONE", None),
        (one_of("none", "dense"), "none", "none"),
        (folder() | None, "none", None),
        (folder() | None, "nowhere", "nowhere"),
        (real(0), "3", 3.0),
        (memory_size() | None, "2000", 2000),
        (whole(1) | span(2) | one_of("auto"), "2:20", (2, 20)),
        (whole(1) | span(2) | one_of("auto"), "7", 7),
        (boolean(), "True", True),
    ],
)
def test_a_text_is_read_as_what_is_allowed(kind: Kind, text: str, value: Any) -> None:
    assert kind.read(text) == value
    assert type(kind.read(text)) is type(value)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (whole(1) | one_of("auto") | None, "0", "a whole number of at least 1, auto or none"),
        (whole(0, 9) | generator() | None, "abc", "a whole number from 0 to 9 or none"),
        (real(0, below=1), "nan", "a number from 0 to below 1"),
        (boolean(), "yes", "true or false"),
        (whole(1) | span(2), "1:4", "a whole number of at least 1 or a range such as 2:20"),
        (whole(1) | span(2), "4:2", "a whole number of at least 1 or a range such as 2:20"),
        (whole(1) | span(2), "2:3:4", "a whole number of at least 1 or a range such as 2:20"),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_can(kind: Kind, text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        kind.read(text)
    assert str(caught.value) == f"must be {words}, not {text!r}."


def test_an_empty_path_is_no_folder() -> None:
    # It would be the current one.
    assert not folder().allows("")
    with pytest.raises(InputError, match="must be a path, not ''"):
        folder().read("")
