"""
Larger than memory
==================

Where an array goes, the path of a file goes too. Rows are then read block by block, only the
sub-dictionaries are held, and with ``work_dir`` every finished block of coefficients is on disk: after a
crash the same call goes on where it stopped. The file written here is small, so that the example takes
seconds; nothing but its size would change.

The data are made: 8000 points on 8 subspaces, written to an ``.npy`` file piece by piece, as a program
would that cannot hold them all.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from subspan import S3COMP
from subspan.datasets import make_union_of_subspaces
from subspan.metrics import clustering_accuracy

N_POINTS, N_SUBSPACES, N_FEATURES = 8_000, 8, 60
temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
path = folder / "points.npy"

table = np.lib.format.open_memmap(path, "w+", dtype=np.float32, shape=(N_POINTS, N_FEATURES))
y = np.empty(N_POINTS, int)
for start in range(0, N_POINTS, 2000):
    # One seed, one set of subspaces: each piece takes the next points of them.
    piece, labels = make_union_of_subspaces(
        N_SUBSPACES, 6, N_FEATURES, (start + 2000) // N_SUBSPACES, noise=0.2, shuffle=False, random_state=0
    )
    new = np.concatenate([np.flatnonzero(labels == label)[-250:] for label in range(N_SUBSPACES)])
    table[start : start + 2000], y[start : start + 2000] = piece[new], labels[new]
table.flush()
del table
print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")

# %%
# A fixed number of atoms in each sub-dictionary makes time and memory grow in proportion to the number of
# points, and a memory budget says what the whole process may take; how the work is done is fitted to it.

model = S3COMP(
    N_SUBSPACES,
    n_nonzero=5,
    n_subproblems=10,
    dictionary_size=600,
    memory_budget="2GB",
    work_dir=folder / "work",
    random_state=0,
)
model.fit(path)
accuracy = clustering_accuracy(y, model.labels_)
first = dict(model.stage_seconds_)
print(f"accuracy {accuracy:.3f}; files in the work directory: {len(list((folder / 'work').rglob('*')))}")

# %%
# The same points in memory give the same labels, every one of them.

in_memory = S3COMP(
    N_SUBSPACES, n_nonzero=5, n_subproblems=10, dictionary_size=600, memory_budget="2GB", random_state=0
)
same = bool((in_memory.fit_predict(np.load(path)) == model.labels_).all())
print("the same labels from memory:", same)

# %%
# Other numbers of clusters need the same coefficients, which are on disk already: only the later stages
# run again.

times = {f"{N_SUBSPACES} clusters, first fit": first}
for n_clusters in (7, 9):
    again = model.set_params(n_clusters=n_clusters).fit(path)
    times[f"{n_clusters} clusters, from the work directory"] = dict(again.stage_seconds_)

figure, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
left = np.zeros(len(times))
for stage in first:
    seconds = np.array([stages[stage] for stages in times.values()])
    ax.barh(list(times), seconds, left=left, label=stage)
    left += seconds
ax.set_xlabel("seconds")
ax.invert_yaxis()
ax.legend(loc="lower right")
plt.show()
temporary.cleanup()
