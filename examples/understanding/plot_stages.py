"""
Stage by stage
==============

A fit passes the data through four stages, and keeps what each of them found: coefficients, graph,
embedding, labels. Any stage can be entered with an object of your own. The points are made, on four
subspaces of dimension 3, in the order of their subspaces so that the pictures can be read.
"""

import matplotlib.pyplot as plt
import numpy as np

from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces

X, y = make_union_of_subspaces(4, 3, 12, 60, noise=0.2, shuffle=False, random_state=0)
model = S3COMPC(4, n_nonzero=3, dropout=0.3, random_state=0).fit(X)
for stage, seconds in model.stage_seconds_.items():
    print(f"{stage:<15} {seconds:.3f} s")

# %%
# Row *j* of the coefficients represents point *j* by others, nearly all of them of its own subspace. The
# graph is the mean of their magnitudes in both directions. The leading eigenvectors take the points to
# four places, and k-means reads the labels off.

figure, axes = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained")
axes[0].imshow(model.representation_.toarray(), cmap="RdBu", vmin=-0.3, vmax=0.3, interpolation="none")
axes[0].set_title("representation_")
axes[1].imshow(model.affinity_.toarray() ** 0.5, cmap="magma", interpolation="none")
axes[1].set_title("affinity_")
axes[2].imshow(model.embedding_, aspect="auto", cmap="PuOr", vmin=-1, vmax=1, interpolation="none")
axes[2].set_title("embedding_")
axes[3].scatter(model.embedding_[:, 1], model.embedding_[:, 2], c=model.labels_, cmap="tab10", vmax=9, s=12)
axes[3].set(title="labels_", xlabel="second eigenvector", ylabel="third")
for ax in axes[:3]:
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# The graph of one fit is the input of another. Here its weak edges are dropped before it is cut again.

graph = model.affinity_.copy()
graph.data[graph.data < np.quantile(graph.data, 0.2)] = 0
again = S3COMPC(4, affinity="precomputed", random_state=0).fit(graph)
unchanged = bool((again.labels_ == model.labels_).all())
print("labels of the thinned graph are the same:", unchanged)
