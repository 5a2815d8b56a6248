"""Write the small files that the commands of tasks.md read, into the current folder."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

from subspan.datasets import make_rigid_motions, make_union_of_subspaces

OWN_METHOD = """class Signs:
    def fit_predict(self, X):
        return (X[:, 0] > 0).astype(int)
"""


def write_images() -> None:
    """Forty pictures of each of four digits, in folders of their names."""
    digits = load_digits()
    for digit in (0, 1, 4, 6):
        folder = Path("images") / f"digit{digit}"
        folder.mkdir(parents=True)
        for row in np.flatnonzero(digits.target == digit)[:40]:
            grey = (digits.images[row] * 15.9).astype(np.uint8)
            Image.fromarray(grey).save(folder / f"{row:04d}.png")


def write_tables() -> None:
    """Three kinds of parts with names and a few gaps; the last rows come a day later."""
    X, y = make_union_of_subspaces(3, 2, 5, 60, noise=0.05, random_state=0)
    order = np.random.default_rng(0).permutation(len(X))
    for name, rows in (("monday", order[:140]), ("tuesday", order[140:])):
        with Path(f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["part", "alloy", *(f"sensor_{j}" for j in range(5))])
            for i in rows.tolist():
                cells = [f"{value:.4f}" for value in X[i]]
                if name == "monday" and i % 45 == 7:
                    cells[i % 5] = ""
                writer.writerow([f"P{i:03d}", ("steel", "brass", "zinc")[y[i]], *cells])


def write_scene() -> None:
    """Three materials, each a mixture of two spectra, in an image of 24 lines and 32 columns."""
    rng = np.random.default_rng(0)
    classes = np.zeros((24, 32), np.int64)
    classes[:, 18:] = 1
    classes[14:, 8:26] = 2
    spectra = np.abs(rng.standard_normal((3, 2, 16)))
    shares = rng.uniform(0.2, 1, (24, 32, 1, 2))
    scene = (shares @ spectra[classes])[:, :, 0] + 0.01 * rng.standard_normal((24, 32, 16))
    np.save("scene.npy", scene)
    np.save("classes.npy", classes)


def write_tracks() -> None:
    """Points on three moving bodies."""
    X, y = make_rigid_motions(3, 40, 20, noise=0.002, random_state=0)
    np.savez("tracks.npz", X=X, y=y)


def main() -> None:
    """All of them."""
    write_images()
    write_tables()
    write_scene()
    write_tracks()
    Path("mine.py").write_text(OWN_METHOD, encoding="utf-8")


if __name__ == "__main__":
    main()
