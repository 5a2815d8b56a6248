"""What an experiment is: cells, each with its trials, and a function that shows what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from subspan.reproduction.documents import Document
from subspan.reproduction.runs import Row, Run, Value, make_run
from subspan.reproduction.settings import RECIPES, Setting
from subspan.reproduction.tuned import SIZE_PARAMETERS

QUICK_TRIALS = 2

# Coordinates of a place in a table or figure, such as ("COIL100", "S3COMP") or (320, 0.4).
Coordinates = tuple[str | int | float, ...]
Cells = Mapping[Coordinates, Sequence[Run]]
Results = Mapping[Coordinates, Sequence[Row]]


@dataclass(frozen=True)
class Scope:
    """What the user may choose about an experiment."""

    # Trials of every cell; by default those of the setting.
    trials: int | None = None
    # Parts of the data and few trials.
    quick: bool = False
    methods: frozenset[str] = frozenset(RECIPES)
    # Nothing is run: the trials are those that are in the results, however many.
    so_far: bool = False

    def n_trials(self, setting: Setting) -> int:
        """Number of trials on a data set."""
        return self.trials or (QUICK_TRIALS if self.quick else setting.trials)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper."""

    name: str
    title: str
    cells: Callable[[Scope], Cells]
    show: Callable[[Results, Scope], Document]

    @property
    def is_figure(self) -> bool:
        """Whether it shows a figure, for which matplotlib is needed."""
        return self.name.startswith("fig-")


def trials(method: str, setting: Setting, scope: Scope, **changes: Value) -> list[Run]:
    """Runs of a method on a data set, one for each trial; none of a method not asked for or not tuned.

    Examples
    --------
    >>> from subspan.reproduction.settings import SYNTHETIC
    >>> [run.seed for run in trials("s3comp", SYNTHETIC[30], Scope(trials=3))]
    [0, 1, 2]
    >>> trials("esc", SYNTHETIC[30], Scope())
    []
    """
    recipe = RECIPES[method](setting) if method in scope.methods else None
    if recipe is None:
        return []
    name, parameters = recipe
    if scope.quick:
        parameters = {key: value for key, value in parameters.items() if key not in SIZE_PARAMETERS}
    data = setting.quick if scope.quick else setting.data
    return [make_run(data, name, {**parameters, **changes}, seed) for seed in range(scope.n_trials(setting))]


def filled(cells: Mapping[Coordinates, Sequence[Run]]) -> Cells:
    """The cells that have runs."""
    return {cell: runs for cell, runs in cells.items() if runs}
