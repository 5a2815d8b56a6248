"""What is done with a hostile input, and how it was answered."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.attack.inputs import WRITERS, graph, mutate_place, parameters, points, sound_file
from numpy.random import Generator

from subspan import S3COMPC, SSCOMP
from subspan.handover import InputError
from subspan.methods import registry
from subspan.model import load
from subspan.sources import open_source

LABELS, SENTENCE = "labels", "a sentence"
METHODS = [name for name in registry.names() if name != "auto"]
# A table on which every method works in no time.
SOUND = np.random.default_rng(1).standard_normal((24, 2)) @ np.random.default_rng(2).standard_normal((2, 4))


def _checked(labels: np.ndarray, n_rows: int, n_clusters: int) -> str:
    if labels.shape != (n_rows,) or labels.dtype.kind != "i":
        return f"labels of shape {labels.shape} and type {labels.dtype} for {n_rows} rows"
    if labels.min() < -1 or labels.max() >= n_clusters:
        return f"labels from {labels.min()} to {labels.max()} for {n_clusters} clusters"
    return LABELS


def _fit(name: str, given: dict[str, Any], X: Any) -> str:
    model = registry.get(name)(**given).fit(X)
    return _checked(model.labels_, len(model.labels_), model.n_clusters_)


def hostile_parameters(rng: Generator) -> str:
    """Sound points, parameters of any kind."""
    name = str(rng.choice(METHODS))
    return _fit(name, parameters(rng, name), SOUND)


def hostile_points(rng: Generator) -> str:
    """Sound parameters, points of any kind."""
    name = str(rng.choice(METHODS))
    given = {"n_clusters": int(rng.integers(1, 4)), "random_state": 0, "n_jobs": 1, "n_init": 2}
    given |= {"dim": 1, "max_iter": 2} if name == "scc" else {}
    given |= {"n_nonzero": 2} if hasattr(registry.get(name)(), "n_nonzero") else {}
    return _fit(name, {**given, "normalize": bool(rng.random() < 0.7)}, points(rng))


def front_door(rng: Generator) -> str:
    """The front door, with points or parameters of any kind."""
    if rng.random() < 0.5:
        return _fit("auto", {"n_clusters": 2, "random_state": 0, "n_jobs": 1}, points(rng))
    return _fit("auto", parameters(rng, "auto"), SOUND)


def hostile_graphs(rng: Generator) -> str:
    """Graphs and coefficients that were handed in."""
    given = {"affinity": str(rng.choice(["precomputed", "precomputed_representation"]))}
    return _fit(str(rng.choice(METHODS)), {**given, "n_clusters": 2, "random_state": 0}, graph(rng))


def mutated_files(rng: Generator) -> str:
    """Files of all formats with bytes changed: rows, or a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        path = sound_file(Path(folder), str(rng.choice(list(WRITERS))))
        mutate_place(path, rng)
        source = open_source(path)
        rows = source.rows(0, source.shape[0])
        return LABELS if rows.shape == source.shape else f"rows of shape {rows.shape}, not {source.shape}"


@cache
def _kept(what: str) -> bytes:
    """A model or a work directory as a sound fit leaves it, packed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / what
        if what == "model":
            SSCOMP(2, n_nonzero=2, random_state=0, n_jobs=1).fit(SOUND).save(place)
            return place.read_bytes()
        _stored(place)
        return Path(shutil.make_archive(f"{folder}/packed", "tar", place)).read_bytes()


def _stored(place: Path) -> np.ndarray:
    given: dict[str, Any] = {"n_nonzero": 2, "n_subproblems": 3, "max_iter": 2, "n_jobs": 1}
    labels: np.ndarray = S3COMPC(2, **given, random_state=0, work_dir=place).fit(SOUND).labels_
    return labels


@cache
def _undisturbed() -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        return _stored(Path(folder) / "work")


def mutated_models(rng: Generator) -> str:
    """A kept model with bytes changed: labels for rows, or a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(_kept("model"))
        mutate_place(path, rng)
        return _checked(np.asarray(load(path).predict(SOUND)), len(SOUND), 2)


def mutated_work(rng: Generator) -> str:
    """A work directory with files changed: the labels of an undisturbed fit, or a sentence."""
    expected = _undisturbed()
    with tempfile.TemporaryDirectory() as folder:
        packed, place = Path(folder) / "packed.tar", Path(folder) / "work"
        packed.write_bytes(_kept("work"))
        shutil.unpack_archive(packed, place, filter="data")
        mutate_place(place, rng)
        return LABELS if np.array_equal(_stored(place), expected) else "other labels"


def warm_up() -> None:
    """One sound fit of every method, and of the front door."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in registry.names():
            few = {"n_nonzero": 2} if hasattr(registry.get(name)(), "n_nonzero") else {}
            few |= {"dim": 1} if name == "scc" else {}
            registry.get(name)(n_clusters=2, random_state=0, n_jobs=1, **few).fit(SOUND)


KINDS: dict[str, Callable[[Generator], str]] = {
    "parameters of ten methods": hostile_parameters,
    "points of ten methods": hostile_points,
    "front door": front_door,
    "graphs and coefficients": hostile_graphs,
    "files of eight formats": mutated_files,
    "kept models": mutated_models,
    "work directories": mutated_work,
}


def answer(kind: str, number: int) -> str:
    """How a case is answered: labels or rows, a sentence, or anything else with its name."""
    rng = np.random.default_rng([list(KINDS).index(kind), number])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return KINDS[kind](rng)
        except InputError as error:
            return SENTENCE if str(error) and "\n" not in str(error) else f"no sentence: {error}"
        except (TypeError, OSError) as error:
            # Of a wrong type of points, and of a disk, in the words of scikit-learn and of the system.
            ours = str(error).startswith("X: ") or "Sparse data was passed for X" in str(error)
            if ours or (isinstance(error, OSError) and error.filename):
                return SENTENCE
            return f"{type(error).__name__}: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
