"""Parameters of the methods that S3COMP is compared with, on each data set.

The paper tunes these methods "to give the best accuracy", which takes the true labels. So do we, here and
nowhere else, and the tables say so: one seed over the grids of `benchmarks/tuning.py`. Everything tried is
in `docs/results/tuning.csv`.
"""

from __future__ import annotations

from collections.abc import Mapping

from subspan.reproduction.runs import Value

Parameters = Mapping[str, Value]

# By method and data set. A pair that is missing appears in the tables with its published value only.
TUNED: Mapping[str, Mapping[str, Parameters]] = {}
