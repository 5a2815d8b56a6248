"""
Objects from all sides
======================

An object on a turntable, photographed every five degrees: neighbouring views are alike, opposite ones are
not. The images of one object lie on a closed curve rather than on one subspace, and a graph that links
each view to its nearest relatives only is a ring, which is easily cut in two.

With COIL100 in the folder that ``SUBSPAN_DATA`` names, its first twenty objects are used. Otherwise
twenty objects are made, each a handful of balls of different size and brightness at random places, turned
and seen from the front: the geometry of a turntable, without texture.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from subspan import S3COMPC, SSCOMP
from subspan.datasets import load_coil100
from subspan.metrics import clustering_accuracy

N_OBJECTS, N_VIEWS = 20, 72


def made_objects(side=24, n_balls=9, seed=0):
    """Views of balls on a turntable; those in front hide those behind."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j]
    angles = 2 * np.pi * np.arange(N_VIEWS) / N_VIEWS
    images = np.zeros((N_OBJECTS, N_VIEWS, side, side))
    for one in images:
        radius, start = 0.7 * np.sqrt(rng.uniform(size=n_balls)), rng.uniform(0, 2 * np.pi, n_balls)
        height, size = rng.uniform(-0.7, 0.7, n_balls), rng.uniform(0.15, 0.4, n_balls)
        grey = rng.uniform(0.2, 1, n_balls)
        for image, angle in zip(one, angles, strict=True):
            for ball in np.argsort(radius * np.cos(start + angle)):
                squared = (x - radius[ball] * np.sin(start[ball] + angle)) ** 2 + (y - height[ball]) ** 2
                inside = squared < size[ball] ** 2
                image[inside] = grey[ball] * np.sqrt(1 - squared[inside] / size[ball] ** 2)
    images += rng.normal(0, 0.02, images.shape)
    return images.reshape(-1, side, side), np.repeat(np.arange(N_OBJECTS), N_VIEWS)


folder = os.environ.get("SUBSPAN_DATA")
if folder and (Path(folder) / "coil100.npz").exists():
    objects = load_coil100()
    kept = objects.target < N_OBJECTS
    images, y = objects.images[kept], objects.target[kept]
    print(f"COIL100: {len(y)} views of {N_OBJECTS} objects")
else:
    images, y = made_objects()
    print(f"made: {len(y)} views of {N_OBJECTS} objects")
X = images.reshape(len(images), -1).astype(np.float32)

# %%
# SSC-OMP takes the sparsest representation, S3COMP-C the consensus of many over random parts of the
# views. With part of the neighbours missing each time, views further apart come into play, and the ring
# gets chords.

methods = {
    "SSC-OMP": SSCOMP(N_OBJECTS, n_nonzero=3, random_state=0),
    "S3COMP-C": S3COMPC(N_OBJECTS, n_nonzero=3, damping=0.6, dropout=0.3, max_iter=4, random_state=0),
}
accuracies = {name: clustering_accuracy(y, method.fit(X).labels_) for name, method in methods.items()}
for name, accuracy in accuracies.items():
    print(f"{name:<9} {accuracy:.3f}")

# %%
# Twelve views of three objects above. Below, the graph among the views of the first object, ordered by
# angle: a narrow band along the diagonal and its two corners for the ring, wider with the consensus.

figure = plt.figure(figsize=(10, 6.5), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=[2, 3])
for row, axes in enumerate(above.subplots(3, 12)):
    views = np.flatnonzero(y == row)
    for ax, image in zip(axes, images[views[:: len(views) // 12][:12]], strict=True):
        ax.imshow(image, cmap="gray")
        ax.set_axis_off()
first = np.flatnonzero(y == 0)
for ax, (name, method) in zip(below.subplots(1, 2), methods.items(), strict=True):
    ax.imshow(method.affinity_[first][:, first].toarray() ** 0.5, cmap="magma", extent=(0, 360, 360, 0))
    ax.set(title=name, xlabel="angle", ylabel="angle", xticks=range(0, 361, 90), yticks=range(0, 361, 90))
plt.show()
