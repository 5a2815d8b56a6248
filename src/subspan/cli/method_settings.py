"""Which methods are compared, and with which parameters: the words of --methods, --set and -k."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain, product
from typing import Any

from subspan.cli.method_options import parameters_of
from subspan.comparison.contestants import Contestant, comparable, find_comparable, parameters_from_outside
from subspan.handover import InputError
from subspan.parameters import Parameter

# Of each method, the values that each parameter is to have in turn.
Sweeps = dict[str, dict[str, list[Any]]]

ALL = "all"
# What is the same for all methods, and the option for it.
SHARED_OPTIONS = {
    "n_clusters": "-k",
    "random_state": "--seed",
    "memory_budget": "--memory",
    "n_jobs": "--n-jobs",
    "verbose": "--quiet",
}


def named_methods(text: str) -> list[str]:
    """Names with commas between them, each of them once; "all" stands for all there are without a file.

    Examples
    --------
    >>> named_methods("LSR, ssc-omp,lsr,k-means")
    ['lsr', 'ssc-omp', 'k-means']
    >>> named_methods("k-means,all") == ["k-means", *(name for name in comparable() if name != "k-means")]
    True
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError(f"names no method; there are {', '.join(comparable())}.")
    named = [comparable() if name.lower() == ALL else [find_comparable(name)] for name in names]
    return list(dict.fromkeys(chain.from_iterable(named)))


def numbers_of_clusters(text: str) -> list[int]:
    """Numbers with commas between them, or from one to another; both ends count.

    Examples
    --------
    >>> numbers_of_clusters("5"), numbers_of_clusters("2:5"), numbers_of_clusters("2,4,8")
    ([5], [2, 3, 4, 5], [2, 4, 8])
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, colon, last = part.partition(":")
        try:
            low, high = int(first), int(last if colon else first)
        except ValueError:
            low, high = 0, 0
        if not 1 <= low <= high:
            raise InputError(f"must be a number such as 5, several such as 2,5,8, or 2:20; not {text!r}.")
        numbers += range(low, high + 1)
    return list(dict.fromkeys(numbers))


def sweeps_of(methods: Iterable[str], assignments: Sequence[str]) -> Sweeps:
    """Values of parameters of each method, from words such as "n_nonzero=5" or "lsr.regularization=0.1,1".

    Without a method in front a parameter is set wherever there is one of that name.

    Examples
    --------
    >>> sweeps_of(["s3comp-c", "lsr"], ["scale=max", "s3comp-c.n-nonzero=3,5"])
    {'s3comp-c': {'scale': ['max'], 'n_nonzero': [3, 5]}, 'lsr': {'scale': ['max']}}
    """
    sweeps: Sweeps = {method: {} for method in methods}
    for assignment in assignments:
        place, equals, value = assignment.partition("=")
        if not equals:
            raise InputError(f"{assignment!r} should read NAME=VALUE or METHOD.NAME=VALUE.")
        for method, parameter in _parameters(place.strip(), sweeps):
            values = [_read(parameter, place, each.strip()) for each in value.split(",")]
            sweeps[method][parameter if isinstance(parameter, str) else parameter.name] = values
    return sweeps


def contestants_of(sweeps: Sweeps, numbers: Sequence[int]) -> list[Contestant]:
    """A contestant for each method, number of clusters and setting; what varies is in its name.

    Examples
    --------
    >>> found = contestants_of({"lsr": {"scale": ["max"], "n_neighbors": [3, 5]}, "esc": {}}, [4])
    >>> [each.name for each in found]
    ['lsr n_neighbors=3', 'lsr n_neighbors=5', 'esc']
    >>> [each.name for each in contestants_of({"esc": {}}, [4, 5])]
    ['esc k=4', 'esc k=5']
    """
    return [
        Contestant(_name(method, number, len(numbers) > 1, parameters, values), method, number, parameters)
        for method, values in sweeps.items()
        for number in numbers
        for parameters in _settings(values)
    ]


def _settings(values: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for chosen in product(*values.values()):
        yield dict(zip(values, chosen, strict=True))


def _name(
    method: str, number: int, several: bool, parameters: Mapping[str, Any], values: Mapping[str, list[Any]]
) -> str:
    varied = [f"k={number}"] if several else []
    varied += [f"{name}={value}" for name, value in parameters.items() if len(values[name]) > 1]
    return " ".join([method, *varied])


def _parameters(place: str, sweeps: Sweeps) -> list[tuple[str, Parameter | str]]:
    """What `place` names, in one of the methods or in all of them."""
    method, dot, name = place.rpartition(".")
    name = name.replace("-", "_")
    if name in SHARED_OPTIONS:
        raise InputError(
            f"{name} is the same for all methods; it has an option of its own, {SHARED_OPTIONS[name]}."
        )
    methods = list(sweeps) if not dot else [find_comparable(method)]
    if methods[0] not in sweeps:
        raise InputError(f"{methods[0]} is not among the methods compared ({', '.join(sweeps)}).")
    known = [(method, parameter) for method in methods for parameter in _known(method)]
    found = [(method, parameter) for method, parameter in known if _name_of(parameter) == name]
    if not found:
        names = [_name_of(each) for _, each in known if _name_of(each) not in SHARED_OPTIONS]
        close = get_close_matches(name, names, 1)
        hint = f" Did you mean {close[0]}?" if close else ""
        owner = methods[0] if len(methods) == 1 else "None of the methods compared"
        raise InputError(f"{owner} has {'no' if len(methods) == 1 else 'a'} parameter {name}.{hint}")
    return found


def _known(method: str) -> list[Parameter] | list[str]:
    """Parameters of a method; of one that is not ours, their names."""
    outside = parameters_from_outside(method)
    return parameters_of(method) if outside is None else outside


def _name_of(parameter: Parameter | str) -> str:
    return parameter if isinstance(parameter, str) else parameter.name


def _read(parameter: Parameter | str, place: str, value: str) -> Any:
    if isinstance(parameter, str):
        # A word needs no quotes.
        with suppress(ValueError, SyntaxError):
            return ast.literal_eval(value)
        return value
    try:
        return parameter.kind.read(value)
    except InputError as error:
        raise InputError(f"{place} {error}") from None
