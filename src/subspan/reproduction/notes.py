"""The remarks under a table or figure: departures from the paper, and where the numbers were made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from subspan.reproduction.plan import Results, Scope
from subspan.reproduction.runs import Row
from subspan.reproduction.settings import Setting

QUICK = "A quick run on parts of the data: not to be compared with the published numbers."
TIME = (
    "Our time is that of the whole fit on the machine below; the paper's is MATLAB's, for S3COMP the longest "
    "of the T sub-problems plus spectral clustering."
)

TUNING = (
    "The parameters of the methods compared with were searched with the true labels, as the paper did: the "
    "best accuracy of one seed. This is no way to choose them for data of one's own."
)
OUTER = (
    "The paper says that 3 to 5 outer iterations were enough on real data, but not how many were run on "
    "which set."
)
SYNTHETIC_OUTER = (
    "S3COMP-C runs 5 outer iterations on synthetic data; the paper does not say how many it runs."
)

SYNTHETIC_ENSC = (
    "EnSC takes gamma = 500, as its authors' code does on synthetic data, and tau = 0.9; the paper does not "
    "say what it takes. 34 settings were tried first, with one seed and the true labels: none was "
    "better at 98 and 320 points on each subspace."
)
CHOSEN_SIZES = (
    "The paper does not say which numbers of points it draws; the curves are a choice among its nine."
)


def remarks(results: Results, settings: Iterable[Setting], scope: Scope) -> list[str]:
    """Everything a reader has to know besides the numbers."""
    notes = [QUICK] if scope.quick else []
    rows = [row for rows in results.values() for row in rows]
    return notes + departures(settings) + origins(rows) + earlier_times(rows)


def departures(settings: Iterable[Setting]) -> list[str]:
    """Departures from the paper, each with the data sets it concerns."""
    concerned: dict[str, list[str]] = {}
    for setting in settings:
        for departure in setting.departures:
            concerned.setdefault(departure, []).append(setting.family)
    return [f"{', '.join(dict.fromkeys(families))}: {departure}" for departure, families in concerned.items()]


def origins(rows: Iterable[Row]) -> list[str]:
    """Days, machines and versions, one line for each combination that occurs."""
    rates: dict[str, list[float]] = {}
    for row in rows:
        machine = row["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
        day = row["finished"].split("T")[0]
        origin = f"{day}, {machine['cpu']}, {machine['cores']} cores; {versions}"
        rates.setdefault(origin, []).append(machine["gemm_gflops"])
    return [f"Run on {origin}; {_range(rate)} GFLOP/s in float32 products." for origin, rate in rates.items()]


def earlier_times(rows: Sequence[Row]) -> list[str]:
    """What to know of the times, if some are not those of the runs that gave the other numbers."""
    days = sorted({row["timed"].split("T")[0] for row in rows if "timed" in row})
    if not days:
        return []
    n_timed = sum("timed" in row for row in rows)
    return [
        f"{n_timed} of the {len(rows)} runs were made beside other work. Their times and memory, where "
        f"shown, are those of the same run by an earlier version, of {' and '.join(days)}."
    ]


def _range(numbers: Sequence[float]) -> str:
    """The numbers from the smallest to the largest, without decimals."""
    return " to ".join(dict.fromkeys(f"{number:.0f}" for number in (min(numbers), max(numbers))))
