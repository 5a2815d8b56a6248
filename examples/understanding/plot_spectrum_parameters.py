"""
Parameters without labels: read the spectrum
============================================

Without known classes there is no accuracy to look at. There is the spectrum: if the graph falls into *n*
well connected parts with few edges between them, *n* eigenvalues of the normalised affinity are close to
1 and the next one is clearly smaller. The wider that gap, the clearer the graph. So the number of
clusters and the parameters can be chosen by the gap, and nothing else.

The points are made: five subspaces of dimension 5 in 10 dimensions, with noise. Their labels are used
once, at the end, to see how good the choice was.
"""

import matplotlib.pyplot as plt
import numpy as np

from subspan import S3COMP
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy
from subspan.plotting import SpectrumDisplay

X, y = make_union_of_subspaces(5, 5, 10, 120, noise=0.2, random_state=1)

# %%
# **How many clusters?** ``n_components`` asks for more eigenvectors than clusters, and ``eigenvalues_``
# keeps them. The first eigenvalue is 1 for every connected graph, so gaps count from the second on.

model = S3COMP(2, n_nonzero=3, dropout=0.7, n_components=12, random_state=0).fit(X)
eigenvalues = model.eigenvalues_[:12]
gaps = eigenvalues[1:-1] - eigenvalues[2:]
n_clusters = int(gaps.argmax()) + 2
print("eigenvalues:", *eigenvalues.round(3))
print("clusters by the widest gap:", n_clusters)

# %%
# **Which parameters?** The gap after that many eigenvalues, over a grid of dropout rates and sizes of the
# support.

dropouts, supports = [0.1, 0.5, 0.7, 0.9, 0.95], [2, 3, 4, 6]
gap = np.zeros((len(supports), len(dropouts)))
accuracy = np.zeros_like(gap)
for row, n_nonzero in enumerate(supports):
    for column, dropout in enumerate(dropouts):
        model = S3COMP(
            n_clusters, n_nonzero=n_nonzero, dropout=dropout, n_subproblems=10, n_init=5, random_state=0
        ).fit(X)
        gap[row, column] = model.eigenvalues_[n_clusters - 1] - model.eigenvalues_[n_clusters]
        accuracy[row, column] = clustering_accuracy(y, model.labels_)
best = np.unravel_index(gap.argmax(), gap.shape)
print(f"chosen: n_nonzero={supports[best[0]]}, dropout={dropouts[best[1]]}")
print(f"accuracy there {accuracy[best]:.3f}, best of the grid {accuracy.max():.3f}")

# %%
# Left, the spectrum with its gap after the fifth value. Right, every setting of the grid by its gap and,
# with the labels for once, its accuracy: wide gaps go with good clusterings, and the widest is close to
# the best there is. A narrow gap is no proof of a bad clustering, only the lack of evidence for a good
# one.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
SpectrumDisplay.from_predictions(eigenvalues, n_clusters, ax=left)
for n_nonzero, gaps_of_row, accuracies in zip(supports, gap, accuracy, strict=True):
    right.plot(gaps_of_row, accuracies, "o", label=f"n_nonzero={n_nonzero}")
right.plot(
    gap[best], accuracy[best], "o", markersize=16, markerfacecolor="none", color="black", label="chosen"
)
right.set(xlabel="gap of the spectrum", ylabel="accuracy")
right.legend()
plt.show()
