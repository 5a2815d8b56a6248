"""Pictures of README.md and docs/benchmarks.md: digits by the front door, and what was measured.

python -m benchmarks.readme_figures

Numbers of the second come from docs/results and benchmarks/results; nothing is measured here.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import coo_array
from sklearn.manifold import TSNE

from subspan.cli import digits
from subspan.metrics import clustering_accuracy

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
TABLES = ROOT / "docs" / "results"
SPEED = ROOT / "benchmarks" / "results"

# Seen on white and on black: nothing has a ground, and letters are of a middling grey.
GREY = "#7d8590"
STYLE = {
    "font.size": 10,
    "text.color": GREY,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "axes.titlecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "savefig.transparent": True,
}
ORANGE, BLUE = "#E08A00", "#2F86C8"

LABEL = {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": GREY, "alpha": 0.8}

# Side of the picture of the graph, in cells, and images of each cluster.
CELLS = 120
TILES = 10

DATASETS = {
    "Extended Yale B": ("table-eyaleb.csv", "EYaleB"),
    "COIL100": ("table-coil100.csv", "COIL100"),
    "GTSRB": ("table-gtsrb.csv", "GTSRB"),
    "MNIST4000": ("table-mnist.csv", "MNIST4000"),
    "MNIST10000": ("table-mnist.csv", "MNIST10000"),
    "MNIST70000": ("table-mnist70000.csv", "MNIST70000"),
}
# What is compared, the file, and the beginning of its line.
RATIOS = {
    "representation vs NumPy loop": ("representation.md", "NumPy loop / S3COMP"),
    "representation vs SPAMS in blocks": ("representation.md", "SPAMS, no point by itself"),
    "spectral stage vs scikit-learn": ("spectral.md", "scikit-learn / ours"),
    "EnSC vs loop over SPAMS": ("elastic_net.md", "loop over spams.lasso / EnSC"),
    "ESC vs all costs each time": ("exemplars.md", "all costs at each step, from the solutions before"),
}


def accuracies(file: str, dataset: str, method: str = "S3COMP-C") -> tuple[float, float, float]:
    """Published accuracy, ours, and its standard deviation, in per cent."""
    with (TABLES / file).open() as lines:
        for line in csv.DictReader(lines):
            if (line["dataset"], line["method"], line["metric"]) == (dataset, method, "accuracy"):
                return float(line["published"]), float(line["mean"]), float(line["sd"])
    raise LookupError(f"{file} has no accuracy of {method} on {dataset}")


def ratio(file: str, beginning: str) -> float:
    """The value in a line of a benchmark's results."""
    text = (SPEED / file).read_text()
    found = re.search(rf"^\| {re.escape(beginning)}.*\| ([\d.]+) \|$", text, re.MULTILINE)
    if found is None:
        raise LookupError(f"{file} has no line {beginning}")
    return float(found[1])


def save(figure: Figure, name: str) -> None:
    IMAGES.mkdir(exist_ok=True)
    figure.savefig(IMAGES / name, dpi=120)


def draw_digits() -> None:
    """Images of each cluster, the graph ordered by cluster, and the embedding."""
    X, y = digits.load_rows()
    model = digits.front_door(0).fit(X)
    figure = Figure(figsize=(9.6, 3.5), layout="constrained")
    tiles, graph, points = figure.subplots(1, 3)
    tiles.imshow(_tiles(X, model.labels_), cmap="gray_r")
    tiles.set_title("some rows of each cluster")
    graph.imshow(
        _ordered(coo_array(model.affinity_.rows(0, len(X))), model.labels_),
        cmap="magma",
        interpolation="nearest",
    )
    graph.set_title("the graph, ordered by cluster")
    _draw_points(points, model.embedding_, y)
    share = 100 * clustering_accuracy(y, model.labels_)
    points.set_title(f"the embedding: {share:.0f} % right")
    for axes in (tiles, graph, points):
        axes.set_axis_off()
    save(figure, "digits.png")


def _tiles(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    rows = []
    for cluster in range(labels.max() + 1):
        members = X[labels == cluster][:TILES].reshape(-1, 8, 8)
        rows.append(np.hstack([np.pad(image / image.max(), 1) for image in members]))
    return np.vstack(rows)


def _ordered(edges: coo_array, labels: np.ndarray) -> np.ndarray:
    """Mean weight in each of a few cells, brought closer together so that weak ones are seen."""
    order = np.argsort(labels, kind="stable")
    cell = np.empty(len(labels), int)
    cell[order] = np.arange(len(labels)) * CELLS // len(labels)
    summed = np.zeros((CELLS, CELLS))
    np.add.at(summed, (cell[edges.row], cell[edges.col]), edges.data)
    return np.minimum(summed / np.quantile(summed[summed > 0], 0.95), 1) ** 0.5


def _draw_points(axes: Any, embedding: np.ndarray, y: np.ndarray) -> None:
    places = TSNE(random_state=0, init="pca").fit_transform(embedding)
    axes.scatter(*places.T, c=y, cmap="tab10", s=3, linewidths=0)
    for digit in range(10):
        middle = np.median(places[y == digit], axis=0)
        axes.annotate(str(digit), middle, ha="center", va="center", color="black", bbox=LABEL)


def draw_benchmark() -> None:
    """Accuracy beside the paper's, and how many times faster than other implementations."""
    figure = Figure(figsize=(9.6, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_accuracies(left)
    _draw_ratios(right)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, "benchmark.png")


def _draw_accuracies(axes: Any) -> None:
    found = {name: accuracies(*place) for name, place in DATASETS.items()}
    for row, (published, ours, deviation) in enumerate(found.values()):
        axes.plot([published, ours], [row, row], color=GREY, linewidth=1)
        paper = axes.scatter(published, row, facecolors="none", edgecolors=GREY, zorder=3)
        bar = axes.errorbar(ours, row, xerr=deviation, color=ORANGE, marker="D", markersize=5, capsize=3)
    axes.set_yticks(range(len(found)), found)
    axes.invert_yaxis()
    axes.legend([paper, bar], ["published", "subspan"], frameon=False, loc="lower left", labelcolor=GREY)
    axes.set_title("accuracy of S3COMP-C, %")


def _draw_ratios(axes: Any) -> None:
    found = {name: ratio(*place) for name, place in RATIOS.items()}
    axes.barh(range(len(found)), list(found.values()), height=0.6, color=BLUE)
    for row, value in enumerate(found.values()):
        axes.annotate(f"{value:.0f}x", (value, row), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(found)), found)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_title("times faster, at 10 000 points")


def main() -> None:
    """Draw both."""
    with mpl.rc_context(STYLE):
        draw_digits()
        draw_benchmark()


if __name__ == "__main__":
    main()
