"""
A stream of batches
===================

A model is fitted once, kept in a file, and labels batches as they come. Its outlier score says when the data
have moved: from the sixth batch on, some rows come from a subspace that the model has never seen.

The data are made: points on 4 subspaces, and on a fifth one later.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import subspan
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy

X, y = make_union_of_subspaces(5, 4, 40, 600, noise=0.1, random_state=0)
old, new = np.flatnonzero(y < 4), np.flatnonzero(y == 4)
first, stream = old[:800], old[800:]

# %%
# The fit, on another day or another machine. Only the file is needed afterwards.

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "monday.subspan"
fitted = subspan.S3COMPC(4, n_nonzero=4, random_state=0).fit(X[first])
fitted.save(path)
print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")

# %%
# Batches of 150 rows. After the fifth a third of each is new.

model = subspan.load(path)
scores, labels, truth = [], [], []
for number in range(10):
    batch = stream[number * 150 : (number + 1) * 150].copy()
    if number >= 5:
        batch[:50] = new[(number - 5) * 50 : (number - 4) * 50]
    rows = X[batch]
    labels.append(model.predict(rows))
    truth.append(y[batch])
    scores.append(model.outlier_score(rows))

known = np.concatenate(truth) < 4
accuracy = clustering_accuracy(np.concatenate(truth)[known], np.concatenate(labels)[known])
print(f"accuracy on rows of the four subspaces: {accuracy:.3f}")

# %%
# The median hardly moves, but the upper tenth of each batch does.

fig, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for share, name in ((0.5, "median"), (0.9, "upper tenth")):
    axes.plot(range(1, 11), [np.quantile(batch, share) for batch in scores], "o-", label=name)
axes.axvline(5.5, color="grey", linestyle=":")
axes.set(xlabel="batch", ylabel="outlier score", ylim=(0, 1), title="Strangers from the sixth batch on")
axes.legend()
plt.show()
folder.cleanup()
