"""The spectral stage of a fit with a work directory: kept on disk, its passes on a cluster."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numpy.typing import NDArray

from subspan.embedding.atom_graph import PassJob
from subspan.execution.cluster import run_on_cluster
from subspan.execution.work_directory import WorkDirectory


@dataclass(frozen=True)
class KeptSearch:
    """The state of a search, in a file that is replaced when there is a newer one."""

    work: WorkDirectory

    def load(self) -> dict[str, NDArray[Any]] | None:
        """The state kept last, if it can be trusted."""
        return self.work.read(0)

    def save(self, state: dict[str, NDArray[Any]]) -> None:
        """Keep a state instead of the one before."""
        self.work.write(0, state)


@contextmanager
def kept_search(place: Path, identity: Mapping[str, Any]) -> Iterator[KeptSearch]:
    """A place for the state of the search that `identity` names; gone when the search has come to its end."""
    folder = place / f"search-{WorkDirectory(place, identity).key}"
    work = WorkDirectory(folder, identity)
    with work.held():
        yield KeptSearch(work)
    shutil.rmtree(folder, ignore_errors=True)


def pass_on_cluster(client: Any, place: Path, job: PassJob) -> Iterator[dict[str, NDArray[Any]]]:
    """One pass over all coefficients by the workers; vectors go to them and come back through files."""
    with TemporaryDirectory(prefix="pass-", dir=place) as folder:
        yield from run_on_cluster(job, client, WorkDirectory(Path(folder), {"pass": folder}))
