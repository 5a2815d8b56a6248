"""How long the rest will take, from what was done so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from subspan.reproduction.runs import Row, Run

# Seconds between two lines about short runs.
INTERVAL = 10.0


def usual_seconds(run: Run) -> float:
    """What a run takes on a usual machine: pursuits over all pairs of points, the spectral part, the rest.

    Rough, but right in how runs of one kind compare; what their kind really takes is learnt as they end.

    Examples
    --------
    >>> from subspan.reproduction.runs import Data, make_run
    >>> short, long = (make_run(Data("mnist", n), "ssc-omp", {"n_nonzero": 10}, 0) for n in (400, 1000))
    >>> usual_seconds(short) < usual_seconds(long)
    True
    """
    parameters = dict(run.parameters)
    kept = 1.0 - float(parameters.get("dropout") or 0.0)
    passes = float(parameters.get("n_subproblems") or 1) * kept * float(parameters.get("max_iter") or 1)
    n_points = run.data.n_points
    pairs = n_points * n_points * float(parameters.get("n_nonzero") or 1) * passes
    return 0.2 + 2e-9 * pairs + 2e-5 * n_points


@dataclass
class Pace:
    """What is left to do, and how long what was done took, by data set and method."""

    left: list[Run]
    say: Callable[[str], None]
    n_runs: int = 0
    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    usual: dict[tuple[str, str], float] = field(default_factory=dict)
    spoken: float = -INTERVAL

    def __post_init__(self) -> None:
        self.n_runs = len(self.left)

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        """Note that a run has ended after so many seconds, and say so now and then."""
        self.left.remove(run)
        kind = _kind(run)
        self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds
        self.usual[kind] = self.usual.get(kind, 0.0) + usual_seconds(run)
        now = time.monotonic()
        if self.left and now - self.spoken < INTERVAL:
            return
        self.spoken = now
        count = f"{self.n_runs - len(self.left)} of {self.n_runs}"
        what = f"{row['method']} on {row['n_points']} points of {row['dataset']}, seed {run.seed}"
        outcome = f"accuracy {100 * row['accuracy']:.2f} % in {row['seconds']:.1f} s"
        self.say(f"{count}: {what}: {outcome}; about {duration(self.remaining(self.left))} left")

    def remaining(self, runs: Iterable[Run]) -> float:
        """Estimated seconds for these runs; kinds not seen yet deviate from the usual as all together do."""
        overall = sum(self.seconds.values()) / sum(self.usual.values())
        ratios = {kind: self.seconds[kind] / self.usual[kind] for kind in self.usual}
        return sum(usual_seconds(run) * ratios.get(_kind(run), overall) for run in runs)


def _kind(run: Run) -> tuple[str, str]:
    return (run.data.name, run.method)


def duration(seconds: float) -> str:
    """A span of time for a person.

    Examples
    --------
    >>> duration(50), duration(200), duration(10_000)
    ('50 s', '3 min', '2.8 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
