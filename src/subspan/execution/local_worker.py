"""What a worker process on this machine does when it starts and when it is asked to end; Dask calls both."""

from __future__ import annotations

import signal
from threading import Event
from typing import Any

# Set when the worker ends: tasks then stop at once, because unfinished blocks are solved again anyway.
leaving = Event()


def dask_setup(_: Any) -> None:
    """Ignore Ctrl-C, which a terminal sends to every process: the process of the user handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def dask_teardown(_: Any) -> None:
    """Stop running tasks."""
    leaving.set()
