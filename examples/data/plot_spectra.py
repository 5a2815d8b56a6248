"""
Spectra of pixels
=================

A hyperspectral camera takes a whole spectrum in every pixel. Where several materials share a pixel, its
spectrum is nearly their mixture in proportion to the area: a field of soil and young wheat is spanned by
two or three spectra, whatever the proportions and however bright the sun. Each kind of land is a
subspace, and mixtures are what moves within it, so the distance between spectra says little.

The scene is made: six kinds of land, each mixed from three spectra of its own with random proportions and
brightness, in 120 bands, with noise. No real image is used, and real ones have borders that belong to
both sides.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

from subspan import S3COMPC
from subspan.metrics import clustering_accuracy

N_KINDS, N_BANDS, SIDE = 6, 120, 48
rng = np.random.default_rng(1)
wavelengths = np.linspace(0.4, 2.5, N_BANDS)


def materials(n_spectra):
    """Smooth spectra between 0 and 1, each a sum of broad bands."""
    centres = rng.uniform(0.3, 2.6, (n_spectra, 8, 1))
    widths = rng.uniform(0.08, 0.4, (n_spectra, 8, 1))
    heights = rng.uniform(0, 1, (n_spectra, 8, 1))
    spectra = (heights * np.exp(-((wavelengths - centres) ** 2) / (2 * widths**2))).sum(axis=1)
    return spectra / spectra.max(axis=1, keepdims=True)


# Land: every pixel belongs to the nearest of some places, in a slightly bent plane.
place = rng.uniform(0, SIDE, (16, 2))
rows, columns = np.mgrid[:SIDE, :SIDE]
bent = np.stack([rows + 2 * np.sin(columns / 6), columns + 2 * np.cos(rows / 7)], axis=-1)
nearest = np.linalg.norm(bent[:, :, None] - place, axis=-1).argmin(axis=-1)
land = nearest % N_KINDS
y = land.ravel()

spectra = materials(3 * N_KINDS).reshape(N_KINDS, 3, N_BANDS)
shares = rng.dirichlet([1, 1, 1], y.size)
brightness = rng.uniform(0.4, 1, (y.size, 1))
X = brightness * np.einsum("ps,psb->pb", shares, spectra[y])
X += rng.normal(0, 0.01, X.shape)
print(f"{y.size} pixels of {N_BANDS} bands")

# %%
# The clusters.

model = S3COMPC(N_KINDS, n_nonzero=3, damping=0.1, dropout=0.5, random_state=0).fit(X)
by_k_means = KMeans(N_KINDS, n_init=5, random_state=0).fit_predict(normalize(X))
accuracy = clustering_accuracy(y, model.labels_)
accuracy_k_means = clustering_accuracy(y, by_k_means)
print(f"S3COMP-C {accuracy:.3f}, k-means {accuracy_k_means:.3f}")

# %%
# From left to right: six spectra of one kind of land, which differ a lot; the land; and the two
# clusterings as maps, in the colours of the land that most of a cluster covers. k-means breaks kinds of
# land up by the material that happens to prevail, which shows as speckle.


def in_colours_of_land(labels):
    """Labels as the land that most of their pixels belong to."""
    usual = np.array([np.bincount(y[labels == label]).argmax() for label in range(N_KINDS)])
    return usual[labels].reshape(SIDE, SIDE)


figure, axes = plt.subplots(1, 4, figsize=(13, 3.3), layout="constrained", width_ratios=[1.3, 1, 1, 1])
axes[0].plot(wavelengths, X[np.flatnonzero(y == 0)[:6]].T, linewidth=1)
axes[0].set(xlabel="wavelength in micrometres", ylabel="reflectance", title="spectra of one kind")
maps = {
    "land": land,
    f"S3COMP-C: {accuracy:.2f}": in_colours_of_land(model.labels_),
    f"k-means: {accuracy_k_means:.2f}": in_colours_of_land(by_k_means),
}
for ax, (title, picture) in zip(axes[1:], maps.items(), strict=True):
    ax.imshow(picture, cmap="Set2", vmin=0, vmax=7, interpolation="nearest")
    ax.set(title=title, xticks=[], yticks=[])
plt.show()
