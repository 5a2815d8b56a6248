"""One run: a data set, a method with its parameters, and a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from subspan.datasets.catalog import find_dataset
from subspan.handover import InputError
from subspan.methods import registry

Value = int | float | str | bool | None
# All sequences of Hopkins155, clustered one by one, and about how many tracks they have together.
HOPKINS = "hopkins"
N_TRACKS = 8000
# What came out of a run, as it stands in a line of the results.
Row = Mapping[str, Any]

# The paper's synthetic data: 5 subspaces of dimension 6 in a space of dimension 9.
N_SUBSPACES = 5


@dataclass(frozen=True)
class Data:
    """Points to cluster: "synthetic", "hopkins" or a data set of the catalog, or a part of it.

    Examples
    --------
    >>> Data("mnist", n_per_class=400).is_drawn, Data("mnist").is_drawn
    (True, False)
    """

    name: str
    # Points of every class, drawn at random; all by default.
    n_per_class: int | None = None
    # The first classes only.
    n_classes: int | None = None
    # Of Hopkins155 the first sequences only.
    n_sequences: int | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether every seed gives other points."""
        return self.name == "synthetic" or (self.name == "mnist" and self.n_per_class is not None)

    @property
    def n_points(self) -> int:
        """Number of points, nearly: classes of a part may differ in size."""
        if self.name == "synthetic":
            return N_SUBSPACES * (self.n_per_class or 0)
        if self.name == HOPKINS:
            return N_TRACKS
        info = find_dataset(self.name)
        n_classes = self.n_classes or info.n_classes
        return n_classes * (self.n_per_class or info.n_rows // info.n_classes)


@dataclass(frozen=True)
class Run:
    """One fit of one method. Two runs that are equal have the same result.

    Examples
    --------
    >>> run = make_run(Data("coil100"), "s3comp", {"n_nonzero": 2, "damping": 0.6}, seed=3)
    >>> run.key
    '{"data":{"name":"coil100"},"method":"s3comp","parameters":{"damping":0.6,"n_nonzero":2},"seed":3}'
    >>> parse_key(run.key) == run
    True
    """

    data: Data
    # Name in `subspan.methods.registry`.
    method: str
    # Sorted by name. Not among them: the number of clusters, which is that of the classes, and the seed.
    parameters: tuple[tuple[str, Value], ...]
    seed: int

    @property
    def max_iter(self) -> int:
        """Outer iterations; 0 for a method that has none, or takes its own number."""
        return int(dict(self.parameters).get("max_iter") or 0)

    @property
    def key(self) -> str:
        """The run in one line, by which its result is found again."""
        facts = {
            "data": {name: value for name, value in asdict(self.data).items() if value is not None},
            "method": self.method,
            "parameters": dict(self.parameters),
            "seed": self.seed,
        }
        return json.dumps(facts, sort_keys=True, separators=(",", ":"))


def courses(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that share a course: they differ in nothing but the number of outer iterations, fewer first.

    Only a method that can follow its iterations has a course; runs of others stand alone.

    Examples
    --------
    >>> data = Data("coil100")
    >>> runs = [make_run(data, "s3comp-c", {"max_iter": n}, seed) for n in (2, 1) for seed in (0, 1)]
    >>> [[(run.seed, run.max_iter) for run in course] for course in courses(runs)]
    [[(0, 1), (0, 2)], [(1, 1), (1, 2)]]
    """
    found: dict[Run, list[Run]] = {}
    for run in runs:
        has_course = hasattr(registry.get(run.method), "course")
        rest = tuple(pair for pair in run.parameters if pair[0] != "max_iter" or not has_course)
        found.setdefault(replace(run, parameters=rest), []).append(run)
    return [sorted(course, key=lambda run: run.max_iter) for course in found.values()]


def make_run(data: Data, method: str, parameters: Mapping[str, Value], seed: int) -> Run:
    """A run with its parameters in order."""
    return Run(data, method, tuple(sorted(parameters.items())), seed)


def parse_key(key: str) -> Run:
    """The run that a key names."""
    try:
        facts = json.loads(key)
        return make_run(Data(**facts["data"]), facts["method"], facts["parameters"], facts["seed"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{key!r} is not the key of a run.") from error
