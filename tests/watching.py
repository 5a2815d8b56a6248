"""Progress that remembers everything that was reported, for tests of those who report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from subspan.execution.steps import Advance, Loop, Progress


@dataclass(frozen=True)
class Seen:
    """A loop as it was when it ended."""

    stage: str
    what: str
    total: int
    found: int
    done: int
    at_most: bool


class Recorder(Progress):
    def __init__(self) -> None:
        super().__init__()
        # Outermost loops only: others are never shown.
        self.seen: list[Seen] = []

    @contextmanager
    def in_loop(self, what: str, total: int, *, found: int = 0, at_most: bool = False) -> Iterator[Advance]:
        with super().in_loop(what, total, found=found, at_most=at_most) as advance:
            loop, is_shown = self.loop, len(self._loops) == 1
            assert isinstance(loop, Loop)
            try:
                yield advance
            finally:
                stage = self.stage[0] if self.stage else ""
                seen = Seen(stage, what, total, found, loop.done, at_most)
                self.seen += [seen] if is_shown else []
