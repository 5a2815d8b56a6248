"""Constraints on estimator parameters: the one place that knows scikit-learn's private helpers."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions

__all__ = ["at_least", "between", "check_parameters", "negative_integer", "one_of", "positive_integer"]

Constraint = Any


def at_least(low: float, kind: type = Real) -> Constraint:
    """A number of `kind`, finite and not below `low`."""
    return Interval(kind, low, None, closed="left")


def between(low: float, high: float) -> Constraint:
    """A real number with low <= value < high."""
    return Interval(Real, low, high, closed="left")


def positive_integer() -> Constraint:
    """An integer above zero."""
    return at_least(1, Integral)


def negative_integer() -> Constraint:
    """An integer below zero."""
    return Interval(Integral, None, -1, closed="right")


def one_of(*options: str) -> Constraint:
    """One of a few words."""
    return StrOptions(set(options))


def check_parameters(estimator: BaseEstimator) -> None:
    """Raise an error with one sentence if a parameter breaks its constraint.

    Python counts True as the integer 1; where a number is meant it is a slip, so it is refused.
    """
    estimator._validate_params()
    for name, value in estimator.get_params(deep=False).items():
        constraints = estimator._parameter_constraints.get(name, [])
        if isinstance(value, bool) and "boolean" not in constraints:
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(estimator).__name__} must be a number. Got {value} instead."
            )
