"""The parameters of a method, from its declaration."""

from __future__ import annotations

from dataclasses import dataclass, fields
from reprlib import repr as shortened
from typing import Any

from subspan.handover import InputError
from subspan.parameters.kinds import Kind, listed
from subspan.parameters.shared import InBlocks

SHARED_PARAMETERS = frozenset(each.name for each in fields(InBlocks))


@dataclass(frozen=True)
class Parameter:
    """A parameter as it was declared."""

    name: str
    default: Any
    kind: Kind
    meaning: str

    @property
    def type(self) -> str:
        """As docstrings have it, such as: int, "auto" or None."""
        return listed(self.kind.types)

    def check(self, value: Any) -> None:
        """Refuse a value of another kind.

        Examples
        --------
        >>> declared(InBlocks)[0].check(0)
        Traceback (most recent call last):
        subspan.handover.InputError: n_clusters must be a whole number of at least 1; got 0.
        """
        if not self.kind.allows(value):
            got = " ".join(shortened(value).split())
            sentence = f"{{{self.name}:name}} must be {{}}; got {{}}."
            raise InputError(sentence, listed(self.kind.words), got, **{self.name: value})


def declared(declaration: Any) -> list[Parameter]:
    """Parameters of a class or an object: the number of clusters, those of the method, those of all methods.

    Examples
    --------
    >>> from subspan.methods.declarations import LSRParameters
    >>> [parameter.name for parameter in declared(LSRParameters)][:4]
    ['n_clusters', 'affine', 'regularization', 'n_neighbors']
    """
    in_order = sorted(fields(declaration), key=lambda each: (each.kw_only, each.name in SHARED_PARAMETERS))
    return [Parameter(each.name, each.default, **each.metadata) for each in in_order if each.metadata]


def check_parameters(estimator: Any) -> None:
    """Raise an error with one sentence if a parameter is not what it may be."""
    for parameter in declared(estimator):
        parameter.check(getattr(estimator, parameter.name))
