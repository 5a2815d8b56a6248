"""What can be compared: our methods, two of scikit-learn, and whatever else has fit_predict."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

from subspan.handover import InputError
from subspan.methods import outside, registry


class Baseline(NamedTuple):
    """A method of scikit-learn: where it is, and what we set."""

    module: str
    estimator: str
    parameters: Mapping[str, Any]


BASELINES = {
    "k-means": Baseline("sklearn.cluster", "KMeans", {"n_init": 10}),
    "spectral": Baseline("sklearn.cluster", "SpectralClustering", {"affinity": "nearest_neighbors"}),
}
# Methods of different kinds that take seconds, or a few minutes where there are many rows: largest number of
# rows, and the methods.
CHOICES: tuple[tuple[float, tuple[str, ...]], ...] = (
    (5_000, ("auto", "s3comp-c", "ssc-omp", "ensc", "lsr", "esc", "spectral", "k-means")),
    (20_000, ("s3comp-c", "s3comp", "ssc-omp", "lsr", "spectral", "k-means")),
    (float("inf"), ("s3comp-c", "s3comp", "ssc-omp", "k-means")),
)


def methods_for(n_rows: int) -> list[str]:
    """Methods worth a comparison on so many rows.

    Examples
    --------
    >>> methods_for(1_000_000)
    ['s3comp-c', 's3comp', 'ssc-omp', 'k-means']
    """
    return list(next(methods for most, methods in CHOICES if n_rows <= most))


def comparable() -> list[str]:
    """Names of all that can be compared without a file."""
    return [*registry.names(), *BASELINES]


def find_comparable(name: str) -> str:
    """The name as it is written here; an unknown one is answered with the likely one."""
    known = name.lower()
    if known in BASELINES:
        return known
    if outside.is_in_file(name):
        _class_of(name)
        return name
    close = get_close_matches(known, BASELINES, n=1, cutoff=registry.SIMILAR)
    if close and known not in registry.names():
        raise InputError(f"There is no method {name!r}; did you mean {close[0]!r}?")
    return registry.find(name)


@dataclass(frozen=True)
class Contestant:
    """One row of a comparison: a method with its parameters and a number of clusters."""

    # As the table has it.
    name: str
    # A name that `find_comparable` knows, or an estimator.
    method: Any
    n_clusters: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def estimator(self, seed: int, shared: Mapping[str, Any]) -> Any:
        """Something with fit_predict, ready for one trial; `shared` is for our own methods."""
        own = {"n_clusters": self.n_clusters, "random_state": seed}
        if not isinstance(self.method, str):
            # Imported here, as below: names of methods must not wait for scientific libraries.
            from sklearn.base import clone

            known = set(self.method.get_params(deep=False))
            return clone(self.method).set_params(**_known(own, known), **self.parameters)
        if self.method in BASELINES:
            settings = {**BASELINES[self.method].parameters, **self.parameters}
            return _made(_baseline_class(self.method), own, settings)
        kind = _class_of(self.method)
        if is_ours(kind):
            return kind(**own, **shared, **self.parameters)
        return _made(kind, own, self.parameters)


def parameters_from_outside(name: str) -> list[str] | None:
    """Names of the parameters of a method that is not ours; None for one that declares them as ours do."""
    kind = None
    if name in BASELINES:
        kind = _baseline_class(name)
    elif outside.is_in_file(name):
        kind = _class_of(name)
    return None if kind is None or is_ours(kind) else list(inspect.signature(kind).parameters)


def _baseline_class(name: str) -> type:
    baseline = BASELINES[name]
    found: type = getattr(importlib.import_module(baseline.module), baseline.estimator)
    return found


def _made(kind: type, own: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
    """An object of a class of others, told what its constructor has a parameter for."""
    known = set(inspect.signature(kind).parameters)
    for name in parameters:
        if name not in known:
            raise InputError(f"{kind.__name__} has no parameter {name}.")
    return kind(**_known(own, known), **parameters)


def _known(own: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in own.items() if name in known}


def _class_of(name: str) -> type:
    if not outside.is_in_file(name):
        return registry.get(name)
    found = outside.class_in_file(name)
    if is_ours(found):
        return registry.get(name)
    if not hasattr(found, "fit_predict"):
        raise InputError(f"{name!r}: {found.__name__} has no method fit_predict.")
    return found


def is_ours(kind: type) -> bool:
    """Whether it is a method of this library, or written like one."""
    from subspan.base import SubspaceMethod

    return issubclass(kind, SubspaceMethod)
