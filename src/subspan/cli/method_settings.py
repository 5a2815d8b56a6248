"""Which methods are compared, and with which parameters: the words of --methods and --set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from subspan.cli.method_options import parameters_of
from subspan.handover import InputError
from subspan.methods import registry
from subspan.parameters import Parameter

Settings = dict[str, dict[str, Any]]

ALL = "all"
# Methods of different kinds that take seconds, or a few minutes where there are many rows: largest number of
# rows, and the methods.
CHOICES: tuple[tuple[float, tuple[str, ...]], ...] = (
    (5_000, ("s3comp-c", "ssc-omp", "ensc", "lsr", "esc")),
    (20_000, ("s3comp-c", "s3comp", "ssc-omp", "lsr")),
    (float("inf"), ("s3comp-c", "s3comp", "ssc-omp")),
)
# What is the same for all methods, and the option for it.
SHARED_OPTIONS = {
    "n_clusters": "-k",
    "random_state": "--seed",
    "memory_budget": "--memory",
    "n_jobs": "--n-jobs",
    "verbose": "--quiet",
}


def methods_for(n_rows: int) -> list[str]:
    """Methods worth a comparison on so many rows.

    Examples
    --------
    >>> methods_for(1_000_000)
    ['s3comp-c', 's3comp', 'ssc-omp']
    """
    return list(next(methods for most, methods in CHOICES if n_rows <= most))


def named_methods(text: str) -> list[str]:
    """Names with commas between them, each of them once; "all" for all there are.

    Examples
    --------
    >>> named_methods("LSR, ssc-omp,lsr")
    ['lsr', 'ssc-omp']
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"names no method; there are {', '.join(registry.names())}.")
    if ALL in map(str.lower, names):
        return registry.names()
    return list(dict.fromkeys(map(registry.find, names)))


def settings_of(methods: Iterable[str], assignments: Sequence[str]) -> Settings:
    """Parameters of each method, from words such as "n_nonzero=5" or "lsr.regularization=0.1".

    Without a method in front a parameter is set wherever there is one of that name.

    Examples
    --------
    >>> settings_of(["s3comp-c", "lsr"], ["scale=max", "s3comp-c.n-nonzero=3"])
    {'s3comp-c': {'scale': 'max', 'n_nonzero': 3}, 'lsr': {'scale': 'max'}}
    """
    settings: Settings = {method: {} for method in methods}
    for assignment in assignments:
        place, equals, value = assignment.partition("=")
        if not equals:
            raise InputError(f"{assignment!r} should read NAME=VALUE or METHOD.NAME=VALUE.")
        for method, parameter in _parameters(place.strip(), settings):
            settings[method][parameter.name] = _read(parameter, place, value.strip())
    return settings


def _parameters(place: str, settings: Settings) -> list[tuple[str, Parameter]]:
    """What `place` names, in one of the methods or in all of them."""
    method, dot, name = place.rpartition(".")
    name = name.replace("-", "_")
    if name in SHARED_OPTIONS:
        raise InputError(
            f"{name} is the same for all methods; it has an option of its own, {SHARED_OPTIONS[name]}."
        )
    methods = list(settings) if not dot else [registry.find(method)]
    if methods[0] not in settings:
        raise InputError(f"{methods[0]} is not among the methods compared ({', '.join(settings)}).")
    known = [(method, parameter) for method in methods for parameter in parameters_of(method)]
    found = [(method, parameter) for method, parameter in known if parameter.name == name]
    if not found:
        names = [parameter.name for _, parameter in known if parameter.name not in SHARED_OPTIONS]
        close = get_close_matches(name, names, 1)
        hint = f" Did you mean {close[0]}?" if close else ""
        owner = methods[0] if len(methods) == 1 else "None of the methods compared"
        raise InputError(f"{owner} has {'no' if len(methods) == 1 else 'a'} parameter {name}.{hint}")
    return found


def _read(parameter: Parameter, place: str, value: str) -> Any:
    try:
        return parameter.kind.read(value)
    except InputError as error:
        raise InputError(f"{place} {error}") from None
