"""How long the rest will take, from what was done so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from subspan.reproduction.runs import Row, Run

# Seconds between two lines about short runs.
PACE_INTERVAL = 10.0
# Estimated seconds that must have passed for what they really took to count half: the first runs of a session
# wait for data and for the compiler.
TRUST = 30.0


def usual_seconds(course: Sequence[Run]) -> dict[Run, float]:
    """What the runs of a course take on a usual machine: pursuits over all pairs of points, and the rest.

    Rough, but right in how runs of one kind compare; what their kind really takes is learnt as they end. The
    first run of a course waits for the pursuits of all of them.

    Examples
    --------
    >>> from subspan.reproduction.runs import Data, make_run
    >>> first, last = (make_run(Data("mnist", 400), "s3comp-c", {"max_iter": n}, 0) for n in (1, 2))
    >>> together = usual_seconds([first, last])
    >>> together[first] > usual_seconds([first])[first], together[last] < usual_seconds([last])[last]
    (True, True)
    """
    seconds = {run: 0.2 + 2e-5 * run.data.n_points for run in course}
    seconds[course[0]] += _pursuits(course[-1])
    return seconds


def _pursuits(run: Run) -> float:
    """Seconds of the pursuits over all pairs of points."""
    parameters = dict(run.parameters)
    kept = 1.0 - float(parameters.get("dropout") or 0.0)
    passes = float(parameters.get("n_subproblems") or 1) * kept * float(parameters.get("max_iter") or 1)
    return 2e-9 * run.data.n_points**2 * float(parameters.get("n_nonzero") or 1) * passes


class Pace:
    """What is left to do, and how long what was done took, by data set and method."""

    def __init__(self, courses: Iterable[Sequence[Run]], say: Callable[[str], None]) -> None:
        self.say = say
        # Of the runs that are left, and of each kind of run so far: as estimated, and as it was.
        self.left: dict[Run, float] = {}
        for course in courses:
            self.left.update(usual_seconds(course))
        self.n_runs = len(self.left)
        self.usual: dict[tuple[str, str], float] = {}
        self.seconds: dict[tuple[str, str], float] = {}
        self.spoken = -PACE_INTERVAL

    def finished(self, run: Run, row: Row, seconds: float) -> None:
        """Note that a run has ended after so many seconds, and say so now and then."""
        kind = _kind(run)
        self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds
        self.usual[kind] = self.usual.get(kind, 0.0) + self.left.pop(run)
        now = time.monotonic()
        if self.left and now - self.spoken < PACE_INTERVAL:
            return
        self.spoken = now
        count = f"{self.n_runs - len(self.left)} of {self.n_runs}"
        what = f"{row['method']} on {row['n_points']} points of {row['dataset']}, seed {run.seed}"
        outcome = f"accuracy {100 * row['accuracy']:.2f} % in {row['seconds']:.1f} s"
        self.say(f"{count}: {what}: {outcome}; about {rough_duration(self.remaining)} left")

    @property
    def remaining(self) -> float:
        """Estimated seconds of what is left; kinds hardly seen deviate from the usual as all together do."""
        overall = _ratio(sum(self.seconds.values()), sum(self.usual.values()), expected=1.0)
        ratios = {kind: _ratio(self.seconds[kind], self.usual[kind], overall) for kind in self.usual}
        return sum(usual * ratios.get(_kind(run), overall) for run, usual in self.left.items())


def _ratio(seconds: float, usual: float, expected: float) -> float:
    """How much longer runs take than usual, with what was expected counted in."""
    return (seconds + TRUST * expected) / (usual + TRUST)


def _kind(run: Run) -> tuple[str, str]:
    return (run.data.name, run.method)


def rough_duration(seconds: float) -> str:
    """A span of time for a person.

    Examples
    --------
    >>> rough_duration(50), rough_duration(200), rough_duration(10_000)
    ('50 s', '3 min', '2.8 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
