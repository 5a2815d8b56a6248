"""The process that is attacked, and may be lost."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

from benchmarks.attack.cases import answer

# Seconds after which a case counts as a hang; the first case of a process compiles kernels.
LIMIT, FIRST_LIMIT = 120.0, 600.0


def _work(pipe: Connection) -> None:
    for kind, number in iter(pipe.recv, None):
        pipe.send(answer(kind, number))


class Victim:
    """A process that answers cases; another one takes its place when it is lost."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._limit = FIRST_LIMIT

    def answer(self, kind: str, number: int) -> str:
        """How a case is answered, a crash and a hang included."""
        self._pipe.send((kind, number))
        try:
            if self._pipe.poll(self._limit):
                found: str = self._pipe.recv()
                self._limit = LIMIT
                return found
            outcome = f"hang: no answer in {self._limit:.0f} s"
        except (EOFError, ConnectionError):
            self._process.join()
            outcome = f"crash: exit code {self._process.exitcode}"
        self._process.kill()
        self._process.join()
        self._start()
        return outcome

    def end(self) -> None:
        """Let the process end."""
        self._pipe.send(None)
        self._process.join()
