"""A run on all sequences of Hopkins155: one fit for each, told nothing of it but the number of motions."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

from subspan.datasets import load_hopkins
from subspan.methods import registry
from subspan.metrics import clustering_accuracy
from subspan.reproduction.runs import Row, Run


def follow_sequences(run: Run, data_dir: Path | None, n_jobs: int | None) -> Row:
    """The share of wrong tracks of every sequence, and what it took."""
    method = registry.get(run.method)
    parameters: dict[str, Any] = dict(run.parameters)
    found = []
    sequences = load_hopkins(data_dir=data_dir)[: run.data.n_sequences]
    for sequence in sequences:
        model = method(sequence.n_motions, **parameters, n_jobs=n_jobs, random_state=run.seed)
        start = time.perf_counter()
        with warnings.catch_warnings():
            # Small graphs often have more components than motions; the error tells what comes of it.
            warnings.simplefilter("ignore")
            labels = model.fit(sequence.data).labels_
        found.append(
            {
                "name": sequence.name,
                "n_motions": sequence.n_motions,
                "n_tracks": len(labels),
                "error": 1 - clustering_accuracy(sequence.target, labels),
                "seconds": time.perf_counter() - start,
            }
        )
    return {
        "dataset": run.data.name,
        "n_points": sum(each["n_tracks"] for each in found),
        "method": run.method,
        "parameters": parameters,
        "seed": run.seed,
        "accuracy": 1 - sum(each["error"] for each in found) / len(found),
        "sequences": found,
        "seconds": sum(each["seconds"] for each in found),
    }
