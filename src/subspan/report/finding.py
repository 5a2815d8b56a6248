"""Signs that can be read from a result without knowing the truth, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from subspan.report.axes import number

Level = Literal["good", "note", "look", "doubt"]

# Shapes, so that nobody has to tell colours apart.
SIGNS: dict[Level, str] = {
    "good": "✓ In order",
    "note": "• For information",
    "look": "▲ Worth a look",
    "doubt": "✕ In doubt",
}

# Clusters named one by one in a sentence.
MOST_NAMED = 8


@dataclass(frozen=True)
class Finding:
    """A sign, how it bears on the result, and what may be done about it."""

    level: Level
    title: str
    text: str
    remedy: str = ""


def n_rows(count: int) -> str:
    """A number of rows in words."""
    return f"{number(count)} row{'s' * (count != 1)}"


def named_clusters(chosen: NDArray[np.bool_]) -> str:
    """The clusters that are true, in words.

    Examples
    --------
    >>> named_clusters(np.array([False, True, True]))
    'Clusters 1 and 2'
    """
    places = np.flatnonzero(chosen).tolist()
    if len(places) == 1:
        return f"Cluster {places[0]}"
    shown, rest = places[:MOST_NAMED], len(places) - MOST_NAMED
    if rest > 0:
        return f"Clusters {', '.join(map(str, shown))} and {rest} more"
    return f"Clusters {', '.join(map(str, shown[:-1]))} and {shown[-1]}"
