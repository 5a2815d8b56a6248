"""The job behind `subspan compare`: the same rows through several methods, and what can be said of each."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from subspan.base import SubspaceMethod
from subspan.cli import clustering
from subspan.cli.evaluate import scores
from subspan.execution.machine import watched_memory
from subspan.execution.progress import progress_shown
from subspan.handover import InputError
from subspan.measures import graph_measures
from subspan.methods import registry
from subspan.sources import Source

Labels = NDArray[Any]
NumbersByName = dict[str, float | None]

# Rows that suffice to get everything loaded and compiled before time is measured.
WARM_UP_ROWS = 200


@dataclass(frozen=True)
class ComparedFit:
    """One fit: its labels, and its numbers by name; None stands for one that there is not."""

    seed: int
    labels: Labels
    numbers: NumbersByName
    remarks: Sequence[str]


@dataclass
class Outcome:
    """One method over all trials, or up to the one that failed."""

    method: str
    parameters: Mapping[str, Any]
    trials: list[ComparedFit] = field(default_factory=list)
    # Why there are no more of them; empty if all went well.
    refusal: str = ""

    def mean(self, name: str) -> float | None:
        """Mean of a number over the trials that have it."""
        values = self._values(name)
        return math.fsum(values) / len(values) if values else None

    def spread(self, name: str) -> float | None:
        """Standard deviation over the trials, if there are several."""
        values = self._values(name)
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    def _values(self, name: str) -> list[float]:
        found = (trial.numbers.get(name) for trial in self.trials)
        return [value for value in found if value is not None]


@dataclass(frozen=True)
class Task:
    """What is compared: rows, into how many clusters, how often, and with which truth if any."""

    source: Source
    n_clusters: int
    seeds: Sequence[int]
    truth: Labels | None = None
    # Arguments of all methods: memory_budget and n_jobs.
    shared: Mapping[str, Any] = field(default_factory=dict)

    def estimator(self, outcome: Outcome, seed: int) -> SubspaceMethod:
        """A method ready for one trial."""
        arguments = {**self.shared, **outcome.parameters, "random_state": seed}
        return registry.get(outcome.method)(self.n_clusters, **arguments)


def carry_out(
    task: Task, settings: Mapping[str, Mapping[str, Any]], say: Callable[[str], None], *, show: bool
) -> list[Outcome]:
    """All methods in turn, by name with their parameters. One that fails does not keep back the others.

    Parameters
    ----------
    task : Task
        What all of them do.
    settings : mapping
        Parameters of each method, by its name.
    say : callable
        Called with a line after every trial.
    show : bool
        Whether the stages of a fit are seen while it runs.
    """
    outcomes = [Outcome(method, parameters) for method, parameters in settings.items()]
    for outcome in outcomes:
        _warm_up(task, outcome)
        try:
            for seed in task.seeds:
                with _in_sight(outcome.method, show):
                    outcome.trials.append(_trial(task, outcome, seed))
                say(_line(outcome, seed))
        # Whatever it is: the other methods have nothing to do with it.
        except Exception as error:
            outcome.refusal = _sentence(error)
            say(f"{outcome.method}: failed, for the reason in the table")
    return outcomes


def _in_sight(method: str, show: bool) -> AbstractContextManager[None]:
    return progress_shown(method, lasting=False) if show else nullcontext()


def _warm_up(task: Task, outcome: Outcome) -> None:
    """Fit a few rows first: what is loaded or compiled on the way is not the method's time."""
    few = min(WARM_UP_ROWS, task.source.shape[0])
    # What fails here fails again in a moment, and is then reported.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        registry.get(outcome.method)(2, random_state=0, **task.shared).fit(task.source.rows(0, few))


def _trial(task: Task, outcome: Outcome, seed: int) -> ComparedFit:
    model = task.estimator(outcome, seed)
    with watched_memory() as memory:
        start = time.perf_counter()
        remarks = clustering.fit(model, task.source, clustering.WorkplaceOptions())
        seconds = time.perf_counter() - start
    numbers: NumbersByName = {
        **_against(task.truth, model),
        "gap": gap(model),
        "components": model.counts_["components"],
        "seconds": seconds,
        "memory": memory.n_bytes,
    }
    return ComparedFit(seed, model.labels_, numbers, remarks)


def _against(truth: Labels | None, model: SubspaceMethod) -> NumbersByName:
    """What takes the true classes: scores of the labels, and how coefficients and graph respect them."""
    if truth is None:
        return {}
    found = scores(model.labels_, truth)
    graph = graph_measures(model, truth) if hasattr(model, "representation_") else {}
    connectivity = graph.get("connectivity") or {}
    return {
        **{name: found[name] for name in ("accuracy", "nmi", "ari")},
        "sre": graph.get("sre"),
        "connectivity": connectivity.get("mean"),
        "least_connectivity": connectivity.get("min"),
    }


def gap(model: SubspaceMethod) -> float | None:
    """Eigenvalue n of the normalised graph minus the next: how clearly it falls into n clusters.

    A graph in more pieces than clusters has both of them equal to 1.
    """
    n_clusters = model.n_clusters_
    if model.counts_["components"] > n_clusters:
        return 0.0
    if len(model.eigenvalues_) <= n_clusters:
        return None
    return float(model.eigenvalues_[n_clusters - 1] - model.eigenvalues_[n_clusters])


def _line(outcome: Outcome, seed: int) -> str:
    numbers = outcome.trials[-1].numbers
    accuracy = numbers.get("accuracy")
    score = "" if accuracy is None else f"accuracy {100 * accuracy:.1f} %, "
    return f"{outcome.method}, seed {seed}: {score}{numbers['seconds']:.2f} s"


def _sentence(error: Exception) -> str:
    """One line about what went wrong; only our own errors speak for themselves."""
    words = " ".join(str(error).split())
    if isinstance(error, InputError):
        return words
    kind = "not enough memory" if isinstance(error, MemoryError) else type(error).__name__
    return f"{kind}: {words}" if words else kind


def agreement(first: Outcome, second: Outcome) -> float | None:
    """Adjusted Rand index between the labels of two methods, mean over the trials that both have."""
    pairs = list(zip(first.trials, second.trials, strict=False))
    if not pairs:
        return None
    return float(np.mean([adjusted_rand_score(one.labels, other.labels) for one, other in pairs]))


def stability(outcome: Outcome) -> float | None:
    """Adjusted Rand index between the trials of a method, mean over their pairs; None for a single one."""
    labels = [trial.labels for trial in outcome.trials]
    pairs = [(one, other) for i, one in enumerate(labels) for other in labels[:i]]
    return float(np.mean([adjusted_rand_score(*pair) for pair in pairs])) if pairs else None
