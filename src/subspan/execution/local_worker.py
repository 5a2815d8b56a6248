"""What a worker process on this machine does when it starts and when it is asked to end; Dask calls both."""

from __future__ import annotations

import signal
from threading import Event
from typing import Any

# Tasks stop where they are: what they have not finished is done again anyway.
leaving = Event()


def dask_setup(_: Any) -> None:
    """Ctrl-C in a terminal reaches every process; that of the user is the one to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def dask_teardown(_: Any) -> None:
    """Do not keep anybody waiting."""
    leaving.set()
