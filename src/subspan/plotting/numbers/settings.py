"""Settings of a method in the order of their agreement with the consensus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.handover import InputError

SCORES = ("agreement", "gap", "left_out")


@dataclass(frozen=True, eq=False)
class SettingScores:
    """The settings that agree most with the consensus, best first."""

    # What tells a setting from the others, such as "n_neighbors=5".
    names: tuple[str, ...]
    agreement: NDArray[np.float64]
    # Behind as many eigenvalues as clusters; nan where it is not in sight.
    gap: NDArray[np.float64]
    left_out: NDArray[np.intp]
    # How many settings there are, those that are not shown included.
    n_settings: int


def setting_scores(rows: Sequence[Mapping[str, Any]], most: int = 20) -> SettingScores:
    """Take the best settings from the table of a search.

    Parameters
    ----------
    rows : sequence of dict
        What `subspan.tuning.search` returned.
    most : int
        Settings that are shown at most.

    Examples
    --------
    >>> rows = [
    ...     {"n_neighbors": 5, "scale": "l2", "agreement": 0.7, "gap": 0.1, "left_out": 0},
    ...     {"n_neighbors": 8, "scale": "l2", "agreement": 0.9, "gap": 0.2, "left_out": 3},
    ... ]
    >>> scores = setting_scores(rows)
    >>> scores.names, scores.agreement.tolist(), scores.left_out.tolist()
    (('n_neighbors=8', 'n_neighbors=5'), [0.9, 0.7], [3, 0])
    """
    if not rows or any(score not in row for row in rows for score in SCORES):
        raise InputError("rows must be what subspan.tuning.search returned.")
    ordered = sorted(rows, key=lambda row: -row["agreement"])
    parameters = [name for name in ordered[0] if name not in SCORES]
    # What all settings have in common tells none of them apart.
    varied = [name for name in parameters if len({repr(row.get(name)) for row in rows}) > 1] or parameters
    shown = ordered[:most]
    names = tuple(", ".join(f"{name}={row.get(name)}" for name in varied) for row in shown)
    agreement, gap, left_out = (np.array([row[score] for row in shown]) for score in SCORES)
    return SettingScores(names, agreement, gap, left_out, len(rows))
