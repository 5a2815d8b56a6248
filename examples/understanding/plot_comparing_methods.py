"""
All methods on the same points
==============================

Every method takes the same input and leaves the same attributes, so a comparison is a loop. No method is
the best everywhere; two kinds of made points show why.

*Crowded*: five subspaces of dimension 6 in a space of 9 dimensions, the paper's synthetic setup. Any two
of them share a subspace of three dimensions. *Roomy, but noisy*: five subspaces of dimension 6 in 60
dimensions, which share nothing, with noise a fifth longer than the points themselves.
"""

import matplotlib.pyplot as plt
import numpy as np

from subspan import ESC, LRSC, LSR, OLRSC, S3COMP, S3COMPC, SCC, SRSSC, SSCOMP, ElasticNetSC
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy

methods = {
    "S3COMP-C": S3COMPC(5, n_nonzero=5, damping=0.7, dropout=0.3, random_state=0),
    "S3COMP": S3COMP(5, n_nonzero=5, damping=0.7, dropout=0.3, random_state=0),
    "SSC-OMP": SSCOMP(5, n_nonzero=5, random_state=0),
    "EnSC": ElasticNetSC(5, tau=0.9, gamma=20, random_state=0),
    "ESC": ESC(5, n_exemplars=100, regularization=20, n_neighbors=5, random_state=0),
    "SR-SSC": SRSSC(5, n_layers=3, n_anchors=150, random_state=0),
    "LSR": LSR(5, regularization=0.1, random_state=0),
    "LRSC": LRSC(5, random_state=0),
    "OLRSC": OLRSC(5, n_basis=30, random_state=0),
    "SCC": SCC(5, dim=6, affine=False, n_columns=80, max_iter=6, random_state=0),
}
spaces = {
    "crowded": make_union_of_subspaces(5, 6, 9, 70, noise=0.02, random_state=0),
    "roomy, but noisy": make_union_of_subspaces(5, 6, 60, 70, noise=1.2, random_state=0),
}

# %%
# The parameters are the same for both; nothing was tuned on either. Times are those of the whole fit on
# the machine that made this page.

accuracy = {space: [] for space in spaces}
seconds = []
for name, method in methods.items():
    for space, (X, y) in spaces.items():
        accuracy[space].append(clustering_accuracy(y, method.fit(X).labels_))
    seconds.append(sum(method.stage_seconds_.values()))
    print(f"{name:<13}", *(f"{space} {values[-1]:.2f}  " for space, values in accuracy.items()))

# %%
# Where subspaces share directions, sparse coefficients are needed to keep them apart, and methods that
# give every point a coefficient on every other (LSR, LRSC) fail; where they have room and noise is the
# trouble, the same methods beat the sparse ones, and in closed form. The averages over many sub-problems
# of S3COMP and S3COMP-C are sparse, yet dense enough, and hold on both sides. SCC is told the dimension,
# which the others need not know: without noise no method can match that, under this noise it finds
# nothing.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 4.5), sharey=True, width_ratios=[3, 2], layout="constrained"
)
place = np.arange(len(methods))
for offset, (space, values) in zip((-0.2, 0.2), accuracy.items(), strict=True):
    left.barh(place + offset, values, 0.4, label=space)
left.set(xlabel="accuracy", xlim=(0, 1.02), yticks=place, yticklabels=list(methods))
left.invert_yaxis()
left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=2, frameon=False)
right.plot(seconds, place, "o", color="0.3")
right.set(xlabel="seconds, roomy points", xscale="log")
right.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
right.minorticks_off()
right.grid(axis="y", alpha=0.3)
plt.show()
