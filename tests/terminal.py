"""A real terminal, in which programs are typed and read: tmux behind a few words.

For tests, and for the transcripts of docs/command-line.md (see docs/transcripts.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

PROMPT = "$"


def is_available() -> bool:
    """Whether there is a tmux to drive."""
    return shutil.which("tmux") is not None and shutil.which("bash") is not None


class Terminal:
    """A shell in a terminal of its own, which ends with the block that opened it."""

    def __init__(self, folder: Path, *, columns: int = 100, lines: int = 50, seconds: float = 300) -> None:
        # A server of its own: the user's sessions have nothing to do with it.
        self.server = f"subspan-{uuid4().hex}"
        self.folder = folder
        self.size = (columns, lines)
        # How long anything may take.
        self.seconds = seconds

    def __enter__(self) -> Self:
        programs = Path(sys.executable).parent
        environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PS1": f"{PROMPT} ",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
        }
        columns, lines = map(str, self.size)
        shell = ["bash", "--norc", "--noprofile"]
        command = ["-f", os.devnull, "new-session", "-d", "-x", columns, "-y", lines, "-c", str(self.folder)]
        self._tmux(*command, *shell, env=environment)
        self.wait(lambda: self.screen().strip() == PROMPT)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tmux("kill-server")

    def run(self, command: str) -> str:
        """Type a command, wait until it has ended, and return what it has shown."""
        self.type(command)
        return self.shown()

    def type(self, command: str) -> None:
        """Type a command on an empty screen, without waiting for its end."""
        # The shell clears the screen and writes its prompt again.
        self.press("C-l")
        self.wait(self._is_empty)
        self._tmux("send-keys", "-l", command)
        self._tmux("send-keys", "Enter")

    def _is_empty(self) -> bool:
        # What the screen held is not to be read behind it.
        self._tmux("clear-history")
        return self.screen().strip() == PROMPT

    def press(self, key: str) -> None:
        """Press a key by the name that tmux has for it, such as C-c."""
        self._tmux("send-keys", key)

    def shown(self) -> str:
        """What a command has shown, from its line to its last, once the prompt is back."""
        self.wait(lambda: self.screen().rstrip().endswith(f"\n{PROMPT}"))
        return self.screen().rstrip().removesuffix(PROMPT).strip()

    def screen(self) -> str:
        """All that can be read, scrolled away or not."""
        return "\n".join(line.rstrip() for line in self._tmux("capture-pane", "-p", "-S", "-").splitlines())

    def wait(self, happened: Callable[[], bool]) -> None:
        """Wait for something to happen."""
        deadline = time.monotonic() + self.seconds
        while not happened():
            if time.monotonic() > deadline:
                raise TimeoutError(f"after {self.seconds:.0f} s the screen shows:\n{self.screen()}")
            time.sleep(0.05)

    def _tmux(self, *words: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.server, *words], capture_output=True, text=True, check=True, env=env
        )
        return done.stdout
