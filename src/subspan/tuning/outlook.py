"""What a fit through the front door may take, before it is made."""

from __future__ import annotations

import numpy as np

from subspan.execution.memory import used_memory
from subspan.execution.threads import n_threads
from subspan.execution.workplace import Workplace
from subspan.methods import LSR, S3COMPC
from subspan.methods.planning import FIRST_USE
from subspan.methods.rehearsal import FIRST, PER_CLUSTER, Outlook, rehearse, rows_bytes
from subspan.methods.room import fit_bytes
from subspan.sources import Source, Subset
from subspan.tuning.flats import MOST_POINTS as POINTS_FOR_FLATS
from subspan.tuning.front_door import MOST_POINTS, SAMPLE, SubspaceClustering, numbers_to_try
from subspan.tuning.members import N_NEIGHBORS, design

# Of each row beyond the sample: bytes for the labels of all members and the graph that joins them, and
# seconds for a row to follow the sample, at least and at most.
BYTES_BEYOND = 1000
SECONDS_BEYOND = (3e-5, 1e-3)


def front_door_outlook(estimator: SubspaceClustering, source: Source) -> Outlook:
    """Memory and time of a fit to these rows, which are not read.

    Raises
    ------
    InputError
        If a member does not fit into the memory budget.
    """
    n_points, n_features = source.shape
    process = used_memory() + FIRST_USE
    beyond = max(0, n_points - SAMPLE) if n_points > MOST_POINTS else 0
    seen = Subset(source, np.arange(SAMPLE)) if beyond else source
    asked = estimator.n_clusters
    most_clusters = asked if isinstance(asked, int) else max(numbers_to_try(asked, seen.shape[0]))
    peak = _members_peak(estimator, seen, most_clusters, process) + rows_bytes(source) + BYTES_BEYOND * beyond
    loading = first = max(FIRST, PER_CLUSTER * most_clusters)
    if seen.shape[0] > POINTS_FOR_FLATS:
        # Smaller tables have more members.
        first = max(first, POINTS_FOR_FLATS + 1)
    least, most = rehearse(estimator, seen.shape[0], n_features, first=first, loading=loading)
    less, more = (beyond * seconds for seconds in SECONDS_BEYOND)
    return Outlook(n_points, n_features, peak, process, least + less, most + more)


def _members_peak(estimator: SubspaceClustering, seen: Source, n_clusters: int, process: int) -> int:
    """Bytes of the process while the member that takes most is at work."""
    threads = n_threads(estimator.n_jobs)
    pursuits = [
        S3COMPC(n_clusters, **member.settings, memory_budget=estimator.memory_budget, normalize=False)
        for member in design(seen.shape[0])
        if member.method is S3COMPC
    ]
    peaks = [pursuit._plan(seen, Workplace(threads)).peak for pursuit in pursuits]
    ridge = LSR(n_clusters, n_neighbors=max(N_NEIGHBORS))
    own = ridge._own_bytes(seen.shape, seen.dtype.itemsize, threads)
    peaks.append(process + fit_bytes(ridge, seen.shape[0], n_clusters, own))
    return max(peaks)
