"""
Modules of genes
================

Genes that are switched by the same few regulators rise and fall together over the conditions of an
experiment, each with weights of its own and some with the opposite sign. A module with two regulators is
a plane in the space of conditions: genes of one module may have no correlation at all, and a gene that is
repressed is as far as can be from one that is activated. Correlation alone does not find modules;
subspaces do.

The table is made: 8 modules with 2 or 3 regulators each, 60 conditions, noise of 30 % of the signal. Real
tables have genes in several modules, and in none.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering

from subspan import S3COMPC
from subspan.metrics import clustering_accuracy
from subspan.plotting import AffinityDisplay

rng = np.random.default_rng(2)
N_CONDITIONS, SIZES = 60, [120, 100, 90, 80, 70, 60, 50, 40]

parts = []
for module, size in enumerate(SIZES):
    regulators = rng.standard_normal((2 + module % 2, N_CONDITIONS))
    weights = rng.standard_normal((size, len(regulators)))
    activity = weights @ regulators
    noise = 0.3 * activity.std() * rng.standard_normal(activity.shape)
    parts.append(activity + noise)
shuffled = rng.permutation(sum(SIZES))
X = np.concatenate(parts)[shuffled]
y = np.repeat(range(len(SIZES)), SIZES)[shuffled]
print(f"{X.shape[0]} genes, {X.shape[1]} conditions, {len(SIZES)} modules")

# %%
# Rows are genes. The usual way, average linkage by correlation, for comparison.

model = S3COMPC(len(SIZES), n_nonzero=4, damping=0.1, dropout=0.3, random_state=0).fit(X)
tree = AgglomerativeClustering(len(SIZES), metric="correlation", linkage="average").fit(X)
accuracy = clustering_accuracy(y, model.labels_)
by_correlation = clustering_accuracy(y, tree.labels_)
print(f"S3COMP-C {accuracy:.3f}, average linkage {by_correlation:.3f}")

# %%
# Left: correlations between the genes, in the order of the modules found: within a module they range from
# -1 to 1. Right: the graph of the coefficients in the same order. What is a pattern on the left is a
# block on the right.

order = np.argsort(model.labels_, kind="stable")
figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.5), layout="constrained")
shown = left.imshow(np.corrcoef(X[order]), cmap="RdBu", vmin=-1, vmax=1)
figure.colorbar(shown, ax=left, label="correlation")
left.set(xticks=[], yticks=[], xlabel="genes, by module found", title="Correlation")
AffinityDisplay.from_estimator(model, ax=right)
plt.show()
