"""The lower bounds of pyproject.toml as constraints of pip: the oldest releases that subspan supports."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

# What runs with subspan; tools that only check it may be newer.
EXTRAS = ("features", "images", "plots", "hdf5", "zarr", "parquet", "dask")
BOUND = re.compile(r"^([\w.-]+)(?:\[[^]]*\])?>=([\w.]+)")

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
wanted = project["dependencies"] + [
    each for extra in EXTRAS for each in project["optional-dependencies"][extra]
]
for requirement in wanted:
    if bound := BOUND.match(requirement):
        sys.stdout.write(
            f"{bound[1]}~={bound[2]}.0\n" if bound[2].count(".") == 1 else f"{bound[1]}=={bound[2]}\n"
        )
# Later ones give up the protocol by which scikit-learn 1.6 reads names of columns.
sys.stdout.write("polars<1.40\n")
