"""The process that is attacked, and may be lost."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection

from benchmarks.attack.cases import answer, warm_up

# Seconds after which a case counts as a hang.
LIMIT = 120.0


def _work(pipe: Connection) -> None:
    warm_up()
    pipe.send("warm")
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
        # Kernels may have to be compiled, however long that takes.
        self._pipe.recv()

    def answer(self, kind: str, number: int) -> str:
        """How a case is answered, a crash and a hang included."""
        self._pipe.send((kind, number))
        try:
            if self._pipe.poll(LIMIT):
                found: str = self._pipe.recv()
                return found
            outcome = f"hang: no answer in {LIMIT:.0f} s"
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
