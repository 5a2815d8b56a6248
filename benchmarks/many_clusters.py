"""The spectral stage on graphs of real data, one with 100 clusters; for two versions of the code by turns.

python -m benchmarks.many_clusters keep FOLDER    fit S3COMP-C to COIL100, MNIST and GTSRB, keep the graphs
python -m benchmarks.many_clusters time FOLDER    seconds of one thread for the embedding of each

With PYTHONPATH at the sources of another version the second command times that version.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix, load_npz, save_npz
from sklearn.decomposition import PCA

from subspan import S3COMPC
from subspan.datasets import load_coil100, load_gtsrb, load_mnist
from subspan.embedding import spectral_embedding

Settings = dict[str, Any]

# How each is read, its number of clusters, parameters of the fit, and of the embedding.
GRAPHS: dict[str, tuple[Any, int, Settings, Settings]] = {
    "COIL100": (load_coil100, 100, {"n_nonzero": 2, "dropout": 0.1, "damping": 0.5, "max_iter": 4}, {}),
    "MNIST": (
        load_mnist,
        10,
        {"n_nonzero": 9, "dropout": 0.6, "damping": 0.5, "max_iter": 3, "normalize": False, "scale": "max"},
        {"n_components": "auto"},
    ),
    "GTSRB": (load_gtsrb, 14, {"n_nonzero": 3, "dropout": 0.5, "damping": 0.5, "max_iter": 4}, {}),
}
# Rows of MNIST, and directions that are kept of it and of GTSRB.
N_DIGITS, N_DIRECTIONS = 4000, 200


def keep(folder: Path) -> None:
    for name, (read, n_clusters, parameters, embedding) in GRAPHS.items():
        X = np.asarray(read(return_X_y=True)[0], np.float32)
        if name == "MNIST":
            X = X[np.random.default_rng(0).choice(len(X), N_DIGITS, replace=False)]
        if name != "COIL100":
            X = PCA(N_DIRECTIONS, random_state=0).fit_transform(X)
        model = S3COMPC(n_clusters, random_state=0, n_init=1, **parameters, **embedding).fit(X)
        save_npz(folder / f"{name}.npz", csr_matrix(model.affinity_))


def seconds(folder: Path) -> None:
    for name, (_, n_clusters, _, options) in GRAPHS.items():
        affinity = csr_array(load_npz(folder / f"{name}.npz"))
        start = time.process_time()
        found = spectral_embedding(affinity, n_clusters, n_threads=1, seed=0, **options).certificate
        taken = time.process_time() - start
        print(f"{name}: {taken:.2f} s, {found.n_products} products, converged {found.converged}", flush=True)


if __name__ == "__main__":
    {"keep": keep, "time": seconds}[sys.argv[1]](Path(sys.argv[2]))
