"""All experiments by name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from subspan.handover import InputError
from subspan.reproduction.motion import MOTION
from subspan.reproduction.plan import Experiment
from subspan.reproduction.real_figures import REAL_FIGURES
from subspan.reproduction.settings import RECIPES
from subspan.reproduction.synthetic_figures import SYNTHETIC_FIGURES
from subspan.reproduction.tables import TABLES

# In the order in which the paper and its appendix bring them, tables first; then what is not in the paper.
ORDER = (
    "table-eyaleb",
    "table-coil100",
    "table-mnist",
    "table-mnist70000",
    "table-gtsrb",
    "table-connectivity",
    "fig-synthetic",
    "fig-delta-T",
    "fig-convergence",
    "fig-gtsrb-connectivity",
    "fig-dropout",
    "fig-eigenvalues",
    "fig-sre-dropout",
    "fig-iterations",
    "fig-support",
    "table-hopkins",
)
_BY_NAME = {
    experiment.name: experiment for experiment in (*TABLES, *SYNTHETIC_FIGURES, *REAL_FIGURES, MOTION)
}
EXPERIMENTS = {name: _BY_NAME[name] for name in ORDER}


def find_experiments(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, each once; "all" means every one.

    Examples
    --------
    >>> [experiment.name for experiment in find_experiments(["fig-support", "fig-support"])]
    ['fig-support']
    >>> find_experiments(["table-coil"])
    Traceback (most recent call last):
    subspan.handover.InputError: There is no experiment 'table-coil'; did you mean 'table-coil100'?
    """
    found: dict[str, Experiment] = {}
    for name in names:
        if name == "all":
            found |= EXPERIMENTS
        elif name in EXPERIMENTS:
            found[name] = EXPERIMENTS[name]
        else:
            raise InputError(f"There is no experiment {name!r}; {_advice(name, [*EXPERIMENTS, 'all'])}")
    return list(found.values())


def find_methods(names: str) -> frozenset[str]:
    """Methods of a list with commas, as the command line takes it.

    Examples
    --------
    >>> sorted(find_methods("s3comp, SSC-OMP"))
    ['s3comp', 'ssc-omp']
    """
    wanted = [name.strip().lower() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in RECIPES:
            raise InputError(f"The method {name!r} cannot be run here; {_advice(name, list(RECIPES))}")
    if not wanted:
        raise InputError(f"No method is named; there are {', '.join(RECIPES)}.")
    return frozenset(wanted)


def _advice(name: str, choices: Sequence[str]) -> str:
    close = get_close_matches(name, choices, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(choices)}."
