"""
Without parameters
==================

``SubspaceClustering`` cuts many graphs of the data, and joins the cuts to one result. No parameter has to be
chosen. Here it clusters handwritten digits. The classes are known, so its confidence can be checked.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from subspan import SubspaceClustering, estimate_n_clusters
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy
from subspan.plotting import EvidenceDisplay

X, y = load_digits(return_X_y=True)
model = SubspaceClustering(n_clusters=10, random_state=0).fit(X)
accuracy = clustering_accuracy(y, model.labels_)
print(f"accuracy {accuracy:.3f}, {len(model.members_)} members")

# %%
# Each member has its own settings, and a weight: how far it agrees with the others of its family. The
# pursuits agree on the digits, so they decide. Where members disagree about a point, its confidence is low,
# and its label is wrong more often.

tenths = np.array_split(np.argsort(model.confidence_), 10)
# Of every cluster the class that is most frequent in it.
majority = np.array([np.bincount(y[model.labels_ == cluster]).argmax() for cluster in range(10)])
right = majority[model.labels_] == y
shares = [float(right[tenth].mean()) for tenth in tenths]

figure, (left, right_axes) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for family in ("pursuit", "ridge"):
    rows = [row for row in model.members_ if row["family"] == family]
    left.scatter([row["agreement"] for row in rows], [row["weight"] for row in rows], label=family)
left.set(title="members", xlabel="agreement with the family", ylabel="weight")
left.legend()
right_axes.bar(range(1, 11), shares)
right_axes.set(title="labels that are right", xlabel="tenth of the points, by confidence", ylabel="share")
plt.show()

# %%
# The number of clusters can be left out, too. Then numbers from 2 to 20 are tried, and each has its
# evidence: the bits about a point's cluster that members share, less four times those that only one of them
# has. These points lie on six subspaces.

points, _ = make_union_of_subspaces(6, 4, 30, 50, noise=0.05, random_state=0)
found = estimate_n_clusters(points, random_state=0)
print(found)
EvidenceDisplay.from_predictions(found)
plt.show()
