"""
Traffic signs
=============

Photographs of one sign differ in brightness, distance and haze. Histograms of oriented gradients (HOG)
take the brightness out and leave the shape; in that space the photographs of one sign lie near a subspace
of very few dimensions.

With GTSRB in the folder that ``SUBSPAN_DATA`` names, 100 photographs of each of its 14 signs are used.
Otherwise signs are drawn: seven outlines and symbols, moved, scaled, turned, blurred and darkened at
random, with noise. The drawings are cleaner than any photograph, so expect better results than on a road.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter

from subspan import S3COMP, S3COMPC
from subspan.datasets import load_gtsrb
from subspan.features import hog, pca
from subspan.metrics import clustering_accuracy

SIDE, N_EACH = 40, 100


def made_signs(seed=0):
    """Signs of seven kinds, each drawn many times."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]

    def polygon(x, y, corners, turn=0.0):
        sides = turn + 2 * np.pi * np.arange(corners) / corners
        return np.max([x * np.cos(side) + y * np.sin(side) for side in sides], axis=0)

    kinds = [
        lambda x, y: (polygon(x, y, 3, np.pi / 2) < 0.4) * (0.3 + 0.7 * (np.abs(x) < 0.08)),
        lambda x, y: (polygon(x, y, 3, -np.pi / 2) < 0.4) * (0.3 + 0.7 * (y < -0.1)),
        lambda x, y: (polygon(x, y, 8, np.pi / 8) < 0.75) * (0.3 + 0.7 * (np.abs(y) < 0.15)),
        lambda x, y: (polygon(x, y, 4, np.pi / 4) < 0.6) * (0.3 + 0.7 * (polygon(x, y, 4, np.pi / 4) < 0.35)),
        lambda x, y: (np.hypot(x, y) < 0.75) * (0.3 + 0.7 * (np.abs(y) < 0.15) * (np.abs(x) < 0.5)),
        lambda x, y: (np.hypot(x, y) < 0.75) * (0.3 + 0.7 * (np.abs(x - y) < 0.2)),
        lambda x, y: (np.hypot(x, y) < 0.75) * (0.3 + 0.7 * (np.hypot(x, y) < 0.45)),
    ]
    images = []
    for kind in kinds:
        for _ in range(N_EACH):
            turn, scale = rng.normal(0, 0.05), rng.uniform(0.85, 1.1)
            x = (columns * np.cos(turn) - rows * np.sin(turn) - rng.normal(0, 0.05)) / scale
            y = (columns * np.sin(turn) + rows * np.cos(turn) - rng.normal(0, 0.05)) / scale
            light, haze = rng.uniform(0.3, 1), rng.uniform(0.05, 0.3)
            picture = haze + light * gaussian_filter(kind(x, y), rng.uniform(0.5, 2))
            images.append(picture + rng.normal(0, 0.03, picture.shape))
    return np.array(images), np.repeat(np.arange(len(kinds)), N_EACH)


folder = os.environ.get("SUBSPAN_DATA")
if folder and (Path(folder) / "gtsrb.npz").exists():
    signs = load_gtsrb()
    rng = np.random.default_rng(0)
    of_each = [rng.choice(np.flatnonzero(signs.target == sign), N_EACH) for sign in range(14)]
    kept = np.unique(np.concatenate(of_each))
    images, y = signs.images[kept], signs.target[kept]
    print(f"GTSRB: {len(y)} photographs of 14 signs")
else:
    images, y = made_signs()
    print(f"made: {len(y)} drawings of 7 signs")
n_signs = y.max() + 1

# %%
# The features: HOG with 1568 numbers, centred and brought to 100 dimensions by PCA.

X = pca(hog(images), 100)
model = S3COMPC(n_signs, n_nonzero=3, damping=0.8, dropout=0.5, random_state=0).fit(X)
raw = S3COMP(n_signs, n_nonzero=3, damping=0.8, dropout=0.5, random_state=0).fit(images.reshape(len(y), -1))
accuracy = clustering_accuracy(y, model.labels_)
from_pixels = clustering_accuracy(y, raw.labels_)
print(f"from HOG {accuracy:.3f}, from pixels {from_pixels:.3f}")

# %%
# Ten pictures of every cluster that was found in the features, and the spectra of the two graphs. That of
# the features has its gap after as many eigenvalues as there are signs; that of the pixels has it
# elsewhere, and the clusters from pixels are worse.

figure = plt.figure(figsize=(11, 5), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[3, 2])
rng = np.random.default_rng(0)
for cluster, axes in enumerate(left.subplots(n_signs, 10)):
    for ax, shown in zip(axes, rng.choice(np.flatnonzero(model.labels_ == cluster), 10), strict=True):
        ax.imshow(images[shown], cmap="gray")
        ax.set_axis_off()
ax = right.subplots()
for name, fitted in (("HOG", model), ("pixels", raw)):
    ax.plot(range(1, len(fitted.eigenvalues_) + 1), fitted.eigenvalues_, "o-", label=name)
ax.axvline(n_signs + 0.5, color="0.6", linestyle=":", label="number of signs")
ax.set(xlabel="number", ylabel="eigenvalue", ylim=(None, 1.01))
ax.legend()
plt.show()
