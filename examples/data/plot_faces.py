"""
Faces under changing light
==========================

A matt surface under one distant lamp has the brightness *albedo · max(0, normal · light)* at every pixel.
Without the shadows that is linear in the three numbers of the light, so all images of one face lie near a
subspace of few dimensions: faces under changing light are the classical case of subspace clustering.

If the environment variable ``SUBSPAN_DATA`` names a folder with Extended Yale B, photographs of ten
persons are clustered. Otherwise the same law is applied to ten heads made of bumps, lit from random
sides: made data, with shadows and noise, but without expressions and without the errors of cropping.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from subspan import S3COMPC, SSCOMP
from subspan.datasets import load_extended_yale_b
from subspan.metrics import clustering_accuracy, connectivity

N_FACES = 10


def made_faces(n_lights=50, height=32, width=28, seed=0):
    """Images of heads of random shape and skin, each under random lights."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    images = []
    for _ in range(N_FACES):
        depth = np.sqrt(np.clip(1.6 - x**2 - y**2, 0, None))
        skin = np.ones_like(x)
        for _ in range(12):
            cx, cy, size = rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7), rng.uniform(0.1, 0.3)
            bump = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * size**2))
            depth += rng.normal(0, 0.15) * bump
            skin -= rng.uniform(0, 0.4) * bump
        slope_y, slope_x = np.gradient(depth, y[:, 0], x[0])
        normals = np.stack([-slope_x, -slope_y, np.ones_like(depth)], axis=-1)
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        lights = rng.normal([0, 0, 1], [0.8, 0.5, 0.3], (n_lights, 3))
        shades = np.clip(np.einsum("hwc,lc->lhw", normals, lights), 0, None)
        images.append(np.clip(skin, 0.1, None) * shades + rng.normal(0, 0.01, shades.shape))
    return np.concatenate(images), np.repeat(np.arange(N_FACES), n_lights)


folder = os.environ.get("SUBSPAN_DATA")
if folder and (Path(folder) / "extended_yale_b.npz").exists():
    faces = load_extended_yale_b()
    kept = faces.target < N_FACES
    images, y = faces.images[kept], faces.target[kept]
    print(f"Extended Yale B: {len(y)} photographs of {N_FACES} persons")
else:
    images, y = made_faces()
    print(f"made: {len(y)} images of {N_FACES} heads")
X = images.reshape(len(images), -1).astype(np.float32)

# %%
# Three clusterings of the same rows.

methods = {
    "k-means": KMeans(N_FACES, n_init=3, random_state=0),
    "SSC-OMP": SSCOMP(N_FACES, n_nonzero=5, random_state=0),
    "S3COMP-C": S3COMPC(N_FACES, n_nonzero=4, damping=0.01, dropout=0.1, max_iter=5, random_state=0),
}
accuracies = {}
for name, method in methods.items():
    accuracies[name] = clustering_accuracy(y, method.fit_predict(normalize(X)))
    print(f"{name:<9} {accuracies[name]:.3f}")

# %%
# Six images of each of the first five clusters of S3COMP-C, one cluster in each row, and the shares of
# images that were put right. k-means compares images as points and finds the light; subspace clustering
# finds the face. A frame marks an image that is not of the face which most of the cluster shows.

labels = methods["S3COMP-C"].labels_
figure = plt.figure(figsize=(9, 5), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[3, 2])
rng = np.random.default_rng(0)
for row, axes in enumerate(left.subplots(5, 6)):
    members = np.flatnonzero(labels == row)
    usual = np.bincount(y[members]).argmax()
    for ax, shown in zip(axes, rng.choice(members, 6), strict=True):
        ax.imshow(images[shown], cmap="gray")
        ax.set(xticks=[], yticks=[])
        strange = y[shown] != usual
        plt.setp(ax.spines.values(), color="tab:red" if strange else "none", linewidth=3)
ax = right.subplots()
bars = ax.bar(list(accuracies), list(accuracies.values()), color=["0.7", "tab:blue", "tab:orange"])
ax.bar_label(bars, fmt="%.2f")
ax.set(ylabel="accuracy", ylim=(0, 1.1))
plt.show()

# %%
# What the consensus is for: the graph of SSC-OMP hangs together less well within each face, and what
# hangs by a thread is cut there.

links = {name: connectivity(methods[name].affinity_, y).mean for name in ("SSC-OMP", "S3COMP-C")}
print({name: round(link, 4) for name, link in links.items()})
