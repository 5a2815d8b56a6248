"""The work of a comparison: the same rows through several methods, and what can be said of each."""

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
from subspan.comparison.contestants import Contestant
from subspan.execution.machine import watched_memory
from subspan.execution.progress import progress_shown
from subspan.handover import InputError
from subspan.measures import graph_measures
from subspan.metrics.scores import scores
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
    """One contestant over all trials, or up to the one that failed."""

    contestant: Contestant
    trials: list[ComparedFit] = field(default_factory=list)
    # Why there are no more of them; empty if all went well.
    refusal: str = ""

    @property
    def name(self) -> str:
        """As the table has it."""
        return self.contestant.name

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
    """What is compared: rows, how often, and with which truth if any."""

    source: Source
    seeds: Sequence[int]
    truth: Labels | None = None
    # Arguments of all our methods: memory_budget and n_jobs.
    shared: Mapping[str, Any] = field(default_factory=dict)


def carry_out(
    task: Task, contestants: Sequence[Contestant], say: Callable[[str], None], *, show: bool
) -> list[Outcome]:
    """All contestants in turn. One that fails does not keep back the others.

    Parameters
    ----------
    task : Task
        What all of them do.
    contestants : sequence of Contestant
        The rows of the comparison, each with a name of its own.
    say : callable
        Called with a line after every trial.
    show : bool
        Whether the stages of a fit are seen while it runs.

    Returns
    -------
    list of Outcome
        In the same order.
    """
    outcomes = [Outcome(contestant) for contestant in contestants]
    warmed: list[Any] = []
    for outcome in outcomes:
        if outcome.contestant.method not in warmed:
            _warm_up(task, outcome.contestant)
            warmed.append(outcome.contestant.method)
        try:
            for seed in task.seeds:
                with _in_sight(outcome.name, show):
                    outcome.trials.append(_trial(task, outcome.contestant, seed))
                say(_line(outcome, seed))
        # Whatever it is: the other methods have nothing to do with it.
        except Exception as error:
            outcome.refusal = _sentence(error)
            say(f"{outcome.name}: failed, for the reason in the table")
    return outcomes


def _in_sight(name: str, show: bool) -> AbstractContextManager[None]:
    return progress_shown(name, lasting=False) if show else nullcontext()


def _warm_up(task: Task, contestant: Contestant) -> None:
    """Fit a few rows first: what is loaded or compiled on the way is not the method's time."""
    few = min(WARM_UP_ROWS, task.source.shape[0])
    # What fails here fails again in a moment, and is then reported.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = Contestant(contestant.name, contestant.method, 2)
        plain.estimator(0, task.shared).fit_predict(task.source.rows(0, few))


def _trial(task: Task, contestant: Contestant, seed: int) -> ComparedFit:
    model = contestant.estimator(seed, task.shared)
    with warnings.catch_warnings(record=True) as caught, watched_memory() as memory:
        warnings.simplefilter("default")
        start = time.perf_counter()
        labels = _labels(model, task.source)
        seconds = time.perf_counter() - start
    numbers: NumbersByName = {
        **_against(task.truth, labels, model),
        "gap": gap(model),
        "components": _components(model),
        "seconds": seconds,
        "memory": memory.n_bytes,
    }
    remarks = list(dict.fromkeys(str(warning.message) for warning in caught))
    return ComparedFit(seed, labels, numbers, remarks)


def _labels(model: Any, source: Source) -> Labels:
    """What a method finds; one that is not ours gets the rows as an array."""
    n_rows = source.shape[0]
    if isinstance(model, SubspaceMethod):
        # Graphs and coefficients that are handed in are needed as a whole.
        X: Any = source if model.affinity == "self_expressive" else source.rows(0, n_rows)
        return np.asarray(model.fit(X).labels_)
    found = np.asarray(model.fit_predict(source.rows(0, n_rows)))
    if found.shape != (n_rows,):
        raise InputError(f"fit_predict returned labels of shape {found.shape} for {n_rows} rows.")
    return found


def _against(truth: Labels | None, labels: Labels, model: Any) -> NumbersByName:
    """What takes the true classes: scores of the labels, and how coefficients and graph respect them."""
    if truth is None:
        return {}
    found = scores(labels, truth)
    graph = graph_measures(model, truth) if hasattr(model, "representation_") else {}
    connectivity = graph.get("connectivity") or {}
    return {
        **{name: found[name] for name in ("accuracy", "nmi", "ari")},
        "sre": graph.get("sre"),
        "connectivity": connectivity.get("mean"),
        "least_connectivity": connectivity.get("min"),
    }


def gap(model: Any) -> float | None:
    """Eigenvalue n of the normalised graph minus the next: how clearly it falls into n clusters.

    A graph in more pieces than clusters has both of them equal to 1. Other methods than ours have no graph.
    """
    if not isinstance(model, SubspaceMethod):
        return None
    n_clusters = model.n_clusters_
    if model.counts_["components"] > n_clusters:
        return 0.0
    if len(model.eigenvalues_) <= n_clusters:
        return None
    return float(model.eigenvalues_[n_clusters - 1] - model.eigenvalues_[n_clusters])


def _components(model: Any) -> float | None:
    return model.counts_["components"] if isinstance(model, SubspaceMethod) else None


def _line(outcome: Outcome, seed: int) -> str:
    numbers = outcome.trials[-1].numbers
    accuracy = numbers.get("accuracy")
    score = "" if accuracy is None else f"accuracy {100 * accuracy:.1f} %, "
    return f"{outcome.name}, seed {seed}: {score}{numbers['seconds']:.2f} s"


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


def best_first(task: Task, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """By mean accuracy where the truth is known, as they were otherwise; those without labels last."""

    def place(outcome: Outcome) -> tuple[bool, float]:
        return not outcome.trials, -(outcome.mean("accuracy") or 0.0) if task.truth is not None else 0.0

    return sorted(outcomes, key=place)
