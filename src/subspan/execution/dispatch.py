"""Tasks on the workers of a Dask cluster, any of which may be lost at any time."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from subspan.extras import optional_import

Item = TypeVar("Item")

# Tasks that wait for each thread of the cluster, so that no thread is idle until the next one arrives.
WAITING = 3


@dataclass(frozen=True)
class Patience:
    """How long to go on with a cluster that loses workers."""

    # Times that a task is tried again after Dask blames it for the loss of a worker. Dask blames all tasks of
    # that worker.
    retries: int = 2
    # Seconds that a cluster may be without any worker, and seconds between two checks.
    seconds: float = 60.0
    look: float = 2.0


PATIENCE = Patience()


def dispatch(
    client: Any,
    task: Callable[[Item], object],
    items: Collection[Item],
    kept: Path,
    patience: Patience = PATIENCE,
) -> Iterator[Item]:
    """Have the workers do `task` for all items, a bounded number at a time; gives those that are done.

    A task writes its result to storage and does not return it. Its result must be the same if it is done
    twice. Errors of a task are raised unchanged.

    Parameters
    ----------
    client : distributed.Client
    task : callable
        Has to be small: it is sent with every item.
    items : collection
    kept : Path
        Where results are, for the error message that says how to continue.
    patience : Patience
    """
    killed = distributed().KilledWorker
    waiting, running, losses = deque(items), dict[Any, Item](), Counter[Item]()
    try:
        while waiting or running:
            with _connection(kept):
                for _ in range(min(len(waiting), _width(client) - len(running))):
                    item = waiting.popleft()
                    running[client.submit(task, item, pure=False)] = item
                done = _some_done(client, running, kept, patience)
            for future in done:
                item = running.pop(future)
                error = future.exception() if future.status == "error" else None
                if error is None:
                    yield item
                    continue
                losses[item] += 1
                if not isinstance(error, killed):
                    raise error
                if losses[item] > patience.retries:
                    raise _lost(f"Every worker that took on part {item} was lost", kept) from error
                waiting.append(item)
    finally:
        # Dask drops tasks without a future.
        running.clear()


def _width(client: Any) -> int:
    """Tasks that may be under way; workers may come and go meanwhile."""
    n_threads: int = sum(client.nthreads().values())
    return WAITING * max(1, n_threads)


def _some_done(client: Any, futures: Iterable[Any], kept: Path, patience: Patience) -> Collection[Any]:
    """Wait for the first of the futures; an error if there are no workers for too long."""
    deadline = time.monotonic() + patience.seconds
    while time.monotonic() < deadline:
        # If there are several clients, `wait` uses the current one.
        with suppress(TimeoutError), client.as_current():
            done: Collection[Any] = (
                distributed().wait(list(futures), timeout=patience.look, return_when="FIRST_COMPLETED").done
            )
            return done
        if client.nthreads():
            deadline = time.monotonic() + patience.seconds
    raise _lost(f"The cluster has had no workers for {patience.seconds:.0f} seconds", kept)


@contextmanager
def _connection(kept: Path) -> Iterator[None]:
    """What goes wrong between us and the scheduler, as one sentence."""
    lost = distributed()
    try:
        yield
    except ClusterLostError:
        raise
    except (OSError, lost.CancelledError, lost.client.ClosedClientError) as error:
        raise _lost("The connection to the Dask scheduler was lost", kept) from error


class ClusterLostError(OSError):
    """All workers are lost; finished blocks are on disk."""


def _lost(reason: str, kept: Path) -> ClusterLostError:
    return ClusterLostError(f"{reason}; what is finished is in {kept}, and the same call goes on from there.")


def distributed() -> Any:
    """The package, imported when it is needed."""
    return optional_import("distributed", package="Dask", extra="dask")
