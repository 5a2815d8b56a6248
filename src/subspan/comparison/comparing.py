"""`compare`: a comparison in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from subspan.comparison import tables
from subspan.comparison.contestants import Contestant, find_comparable, methods_for
from subspan.comparison.files import write_comparison
from subspan.comparison.running import Labels, Outcome, Task, best_first, carry_out
from subspan.grids import Grid
from subspan.handover import InputError
from subspan.sources import open_source


@dataclass(frozen=True)
class ComparedMethods:
    """What came out of a comparison; `print` shows it as a table."""

    task: Task
    # The best first, where the truth is known.
    outcomes: tuple[Outcome, ...]

    @property
    def table(self) -> Grid:
        """Means and standard deviations, a line for each method; it has `markdown`, `latex` and `csv`."""
        return tables.main_grid(self.task, self.outcomes)

    @property
    def trials(self) -> Grid:
        """Every number of every trial."""
        return tables.numbers(self.outcomes)

    @property
    def labels(self) -> dict[str, Labels]:
        """Labels of the first trial of each method."""
        return {outcome.name: outcome.trials[0].labels for outcome in self.outcomes if outcome.trials}

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that ends in .tex, .md, .csv, .svg or .png, or all of them to a folder."""
        write_comparison(Path(path), self.task, self.outcomes)

    def __str__(self) -> str:
        legend = tables.legend(self.task, self.outcomes)
        return "\n".join([self.table.aligned(), *([""] if legend else []), *legend])


def compare(
    X: Any,
    methods: Sequence[str] | Mapping[str, Any] | None = None,
    *,
    n_clusters: int | Sequence[int] | None = None,
    truth: ArrayLike | None = None,
    trials: int = 3,
    random_state: int = 0,
    memory_budget: int | str | None = None,
    n_jobs: int | None = None,
) -> ComparedMethods:
    """Cluster rows with several methods, and compare.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), path or source
        The points.
    methods : sequence of str, or dict of name and estimator, optional
        Names that ``subspan methods`` lists, "k-means" and "spectral" for those of scikit-learn, and
        ``file.py:Class``. In a dict an estimator may stand for a name: anything with `fit_predict` and
        `get_params`. By default some methods that suit the number of rows.
    n_clusters : int or sequence of int, optional
        Numbers of clusters, each of them with every method. By default the number of classes.
    truth : array-like of shape (n_samples,), optional
        The true class of each row.
    trials : int
        Fits of each method, with different seeds.
    random_state : int
        Seed of the first trial.
    memory_budget : int, str or None
        What a method of ours may take, such as "2GB".
    n_jobs : int or None
        Threads of our methods; the result does not depend on them.

    Returns
    -------
    ComparedMethods
        Best first, if the truth is known. A method that failed has its reason in the table. `print` shows the
        table, `save` writes it, also as LaTeX, and `labels` has the labels of each method.

    Examples
    --------
    >>> from subspan import compare
    >>> from subspan.datasets import make_union_of_subspaces
    >>> X, y = make_union_of_subspaces(3, 2, 20, 40, random_state=0)
    >>> found = compare(X, ["lsr", "k-means"], truth=y, trials=2)
    >>> found.outcomes[0].name, found.outcomes[0].mean("accuracy")
    ('lsr', 1.0)
    >>> print(found.table.columns[:4])
    ['method', 'accuracy %', 'NMI %', 'ARI %']
    """
    source = open_source(X)
    classes = None if truth is None else np.asarray(truth)
    if classes is not None and len(classes) != source.shape[0]:
        raise InputError(f"truth: has {len(classes)} entries, but there are {source.shape[0]} rows.")
    if trials < 1:
        raise InputError(f"trials must be at least 1; got {trials}.")
    numbers = _numbers(n_clusters, classes)
    task = Task(
        source,
        range(random_state, random_state + trials),
        classes,
        {"memory_budget": memory_budget, "n_jobs": n_jobs},
    )
    named = _named(methods_for(source.shape[0]) if methods is None else methods)
    contestants = [
        Contestant(name if len(numbers) == 1 else f"{name}, k={number}", method, number)
        for name, method in named.items()
        for number in numbers
    ]
    outcomes = carry_out(task, contestants, lambda _: None, show=False)
    return ComparedMethods(task, tuple(best_first(task, outcomes)))


def _named(methods: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(methods, str):
        methods = [methods]
    named = dict(methods) if isinstance(methods, Mapping) else {name: name for name in methods}
    for name, method in named.items():
        if isinstance(method, str):
            named[name] = find_comparable(method)
        elif not hasattr(method, "fit_predict") or not hasattr(method, "get_params"):
            raise InputError(f"methods: {name!r} is {method!r}, which is no estimator with fit_predict.")
    if not named:
        raise InputError("methods: there is none.")
    return named


def _numbers(n_clusters: Any, truth: Labels | None) -> list[int]:
    if n_clusters is None:
        if truth is None:
            raise InputError("n_clusters: give it, or the true classes with truth.")
        return [len(set(truth.tolist()))]
    return [int(n_clusters)] if isinstance(n_clusters, Integral) else [int(each) for each in n_clusters]
