"""The figure of docs/which-method.md: accuracy over time of all methods, from the tables in docs/results.

python -m benchmarks.which_method
"""

from __future__ import annotations

import csv
from pathlib import Path

from matplotlib.figure import Figure

RESULTS = Path(__file__).parents[1] / "docs" / "results"
PANELS = {"GTSRB": "table-gtsrb.csv", "MNIST10000": "table-mnist.csv"}

# Where the name of a method stands beside its point, for those that are close together.
PLACES = {"ESC": (8, -3), "LRSC": (-30, 2), "S3COMP": (-26, 7), "S3COMP-C": (-24, -16), "LSR": (8, -10)}


def measured(file: str, dataset: str) -> dict[str, tuple[float, float]]:
    """Seconds and accuracy of each method that was run on a data set."""
    found: dict[str, dict[str, float]] = {}
    with (RESULTS / file).open() as lines:
        for line in csv.DictReader(lines):
            if line["dataset"] == dataset and line["mean"]:
                found.setdefault(line["method"], {})[line["metric"]] = float(line["mean"])
    return {method: (values["seconds"], values["accuracy"]) for method, values in found.items()}


def main() -> None:
    """Draw both panels."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, (dataset, file) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
        for method, (seconds, accuracy) in measured(file, dataset).items():
            colour, marker = ("#D55E00", "D") if method.startswith("S3COMP") else ("#0072B2", "o")
            axes.scatter(seconds, accuracy, color=colour, marker=marker)
            place = PLACES.get(method, (6, 3))
            axes.annotate(method, (seconds, accuracy), place, textcoords="offset points", fontsize=8)
        axes.set(xscale="log", xlabel="time of the fit (s)", ylabel="accuracy (%)", title=dataset)
        axes.margins(x=0.2, y=0.12)
        axes.grid(alpha=0.3)
    figure.savefig(RESULTS / "which-method.png", dpi=150)


if __name__ == "__main__":
    main()
