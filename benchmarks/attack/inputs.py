"""Hostile inputs, each drawn from the number of its case: parameters, arrays, graphs and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import scipy
import zarr
from numpy.random import Generator
from scipy.sparse import csr_array, random_array

from subspan.methods import registry
from subspan.parameters import declared

# Numbers that a slip, another library or an enemy may hand over.
NUMBERS: list[Any] = [
    0, 1, 2, 3, -1, 10**9, 2**31, 2**63, -(2**63), 0.0, -0.0, 0.5, 1.0, -1.0, 1e-300, 1e300, 1e-9, 5e-324,
    float("nan"), float("inf"), -float("inf"), True, False, None, "auto", "", "none", "\x1b[31m", "3",
    b"3", (), [], {}, 3j, object(), np.uint8(3), np.int8(-1), np.uint64(2**64 - 1), np.float16(0.5),
    np.float32(0.1), np.bool_(True), np.array(3), np.array([1, 2]), np.nan, np.datetime64("2026-01-01"),
]  # fmt: skip
SCALES = [1e-320, 1e-300, 1e-150, 1e-20, 1.0, 1.0, 1.0, 1e20, 1e150, 1e300]
# Parameters that decide about the machine, not about the answer; and the one that fits handed-in graphs.
LEFT_ALONE = ("work_dir", "verbose", "n_jobs", "affinity", "random_state")


def points(rng: Generator) -> Any:
    """A small table with faults of many kinds, if it is one."""
    n_rows, n_columns = int(rng.integers(0, 40)), int(rng.integers(0, 8))
    X = rng.standard_normal((n_rows, min(2, n_columns))) @ rng.standard_normal((min(2, n_columns), n_columns))
    X = X * rng.choice(SCALES)
    if X.size and rng.random() < 0.5:
        X.flat[rng.integers(X.size)] = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e308, 5e-324, -1e308])
    if n_rows > 2 and rng.random() < 0.3:
        X[rng.integers(n_rows, size=n_rows // 2)] = X[0] * rng.choice([0, 1, -1, 3.3])
    changes: list[Callable[[np.ndarray], Any]] = [
        lambda X: X,
        lambda X: X.astype(np.float32, copy=False),
        lambda X: X.astype(rng.choice(["f2", ">f8", "g", "i1", "u8", "?", "c16", "O", "U9", "S4", "M8[s]"])),
        np.asfortranarray,
        lambda X: X[::-1, ::-1],
        lambda X: X.tolist(),
        lambda X: [row[: int(rng.integers(n_columns + 1))].tolist() for row in X],
        lambda X: np.ma.masked_invalid(X),
        lambda X: X.ravel(),
        lambda X: X[None],
        lambda X: csr_array(X) if X.size else X,
    ]
    if rng.random() < 0.02:
        return [None, "X", 3.0, {}, [[1]], "", b"X"][int(rng.integers(7))]
    with np.errstate(all="ignore"):
        return changes[min(int(rng.geometric(0.25)) - 1, len(changes) - 1)](X)


def parameters(rng: Generator, name: str) -> dict[str, Any]:
    """Up to three parameters of a method with hostile values; the rest makes a fit short."""
    known = {each.name for each in declared(registry.get(name))}
    short = {"n_subproblems": 3, "max_iter": 2, "n_init": 2, "n_nonzero": 2, "dim": 1, "n_layers": 2}
    given: dict[str, Any] = {key: value for key, value in short.items() if key in known}
    given |= {"n_clusters": int(rng.integers(1, 5)), "random_state": 0, "n_jobs": 1}
    open_to_attack = sorted(known - set(LEFT_ALONE))
    for key in rng.choice(open_to_attack, size=int(rng.integers(0, 4)), replace=False):
        given[str(key)] = NUMBERS[int(rng.integers(len(NUMBERS)))]
    return given


def graph(rng: Generator) -> Any:
    """A graph or coefficients, dense or sparse, with a fault in most of them."""
    n = int(rng.integers(2, 30))
    A = random_array((n, n), density=rng.uniform(0, 0.6), random_state=rng, format="csr")
    if rng.random() < 0.8:
        A = csr_array(A + A.T)
    if rng.random() < 0.4:
        return _damaged(A, rng)
    dense = A.toarray() * 10.0 ** rng.integers(-300, 300)
    dense.flat[rng.integers(dense.size)] = rng.choice([np.nan, np.inf, -1.0, 0.0, 1e308])
    return dense if rng.random() < 0.5 else csr_array(dense)


def _damaged(A: csr_array, rng: Generator) -> csr_array:
    """A sparse matrix whose arrays do not fit together: compiled code would read past their ends."""
    part = str(rng.choice(["indices", "indptr", "data", "shape"]))
    if part == "shape":
        A._shape = (A.shape[0] + int(rng.integers(-2, 9)), A.shape[1])
        return A
    array = getattr(A, part)
    if len(array):
        array[rng.integers(len(array))] = rng.choice([-1, 0, 10**6, 2**31 - 1, 3])
    if rng.random() < 0.3:
        setattr(A, part, array[: len(array) // 2])
    return A


# How each format is written; the table is small, and its parts are all there.
def _csv(path: Path, X: np.ndarray) -> None:
    path.write_text("\n".join(["a,b,c,d", *(",".join(f"{x:.3f}" for x in row) for row in X)]))


def _hdf5(path: Path, X: np.ndarray) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("X", data=X, chunks=(16, 4), compression="gzip")


def _zarr(path: Path, X: np.ndarray) -> None:
    zarr.create_array(path, data=X, chunks=(16, 4))


WRITERS: dict[str, Callable[[Path, np.ndarray], Any]] = {
    ".npy": np.save,
    ".npz": lambda path, X: np.savez_compressed(path, X=X, y=X[:, 0]),
    ".csv": _csv,
    ".tsv": lambda path, X: np.savetxt(path, X, delimiter="\t"),
    ".h5": _hdf5,
    ".mat": lambda path, X: scipy.io.savemat(path, {"X": X}),
    ".parquet": lambda path, X: parquet.write_table(
        arrow.table({c: X[:, i] for i, c in enumerate("abcd")}), path
    ),
    ".zarr": _zarr,
}


def sound_file(folder: Path, suffix: str) -> Path:
    """A file of 40 rows, which is read without complaint."""
    path = folder / f"X{suffix}"
    WRITERS[suffix](path, np.random.default_rng(0).standard_normal((40, 4)))
    return path


def mutated(content: bytes, rng: Generator) -> bytes:
    """The same with some bytes changed, cut off, put in or doubled."""
    kind, place = rng.integers(5), int(rng.integers(len(content) + 1))
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + rng.bytes(int(rng.integers(1, 9))) + content[place:]
    if kind == 2:
        return content[:place] + content[place // 2 :]
    changed = bytearray(content)
    # What describes a file stands at its beginning or at its end.
    end = len(changed) if kind == 3 else min(200, len(changed))
    for spot in rng.integers(0, max(end, 1), int(rng.geometric(0.3))):
        if changed:
            changed[spot % len(changed)] = int(rng.choice([0, 255, 34, 44, 10, int(rng.integers(256))]))
    return bytes(changed)


def mutate_place(path: Path, rng: Generator) -> None:
    """Mutate a file, or one file of a folder; or take it away, or put something else in its place."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    file = files[int(rng.integers(len(files)))]
    kind = rng.integers(12)
    if kind == 0:
        file.unlink()
    elif kind == 1:
        file.unlink()
        file.mkdir()
    elif kind == 2:
        file.write_bytes(b"")
    elif kind == 3 and file.suffix == ".json":
        file.write_text(json.dumps({"format": [None] * 9, "key": "\x1b[31m"}))
    else:
        file.write_bytes(mutated(file.read_bytes(), rng))
