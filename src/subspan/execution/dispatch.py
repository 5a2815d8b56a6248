"""Tasks on the workers of a Dask cluster, any of which may be lost at any time."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from subspan.sources.extras import optional_import

Item = TypeVar("Item")

# Tasks that wait at each thread of the cluster, so that none runs dry while the scheduler hears of it.
WAITING = 3
# Times that Dask may hold a task responsible for the loss of its workers before we do so too: it blames
# all tasks that were at such a worker.
RETRIES = 2
# Seconds that a cluster may be without any worker, and between two looks at that.
PATIENCE = 60.0
LOOK = 2.0


def dispatch(
    client: Any, task: Callable[[Item], object], items: Collection[Item], kept: Path
) -> Iterator[Item]:
    """Have the workers do `task` for all items, a bounded number at a time; gives those that are done.

    What a task finds out goes to storage, not through the scheduler, and must come out the same if it is done
    twice. Errors of a task come through as they are.

    Parameters
    ----------
    client : distributed.Client
    task : callable
        Has to be small: it travels with every item.
    items : collection
    kept : Path
        Where results are, for the sentence that says how to go on.
    """
    killed = distributed().KilledWorker
    waiting, running, losses = deque(items), dict[Any, Item](), Counter[Item]()
    try:
        while waiting or running:
            with _connection(kept):
                for _ in range(min(len(waiting), _width(client) - len(running))):
                    item = waiting.popleft()
                    running[client.submit(task, item, pure=False)] = item
                done = _some_done(client, running, kept)
            for future in done:
                item = running.pop(future)
                error = future.exception() if future.status == "error" else None
                if error is None:
                    yield item
                    continue
                losses[item] += 1
                if not isinstance(error, killed):
                    raise error
                if losses[item] > RETRIES:
                    raise _lost(f"Every worker that took on part {item} was lost", kept) from error
                waiting.append(item)
    finally:
        # Tasks that nobody asks for any more are dropped.
        running.clear()


def _width(client: Any) -> int:
    """Tasks that may be under way; workers may come and go meanwhile."""
    n_threads: int = sum(client.nthreads().values())
    return WAITING * max(1, n_threads)


def _some_done(client: Any, futures: Iterable[Any], kept: Path) -> Collection[Any]:
    """Wait for the first of the futures, but not for ever if there is nobody to work on them."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        # Among several clients, `wait` has to be told which one it is about.
        with suppress(TimeoutError), client.as_current():
            done: Collection[Any] = (
                distributed().wait(list(futures), timeout=LOOK, return_when="FIRST_COMPLETED").done
            )
            return done
        if client.nthreads():
            deadline = time.monotonic() + PATIENCE
    raise _lost(f"The cluster has had no workers for {PATIENCE:.0f} seconds", kept)


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
    """There is nobody left to work; what was finished is safe."""


def _lost(reason: str, kept: Path) -> ClusterLostError:
    return ClusterLostError(f"{reason}; what is finished is in {kept}, and the same call goes on from there.")


def distributed() -> Any:
    """The package, imported when it is needed."""
    return optional_import("distributed", package="Dask", extra="dask")
