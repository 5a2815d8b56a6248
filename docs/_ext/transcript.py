"""Commands whose output is that of the program itself, run when the pages are built."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

SECONDS = 300
FOLDER = "transcript folder"


class Transcript(SphinxDirective):
    """Every line of the content is a command of a shell; those of one page share a folder.

    The option `fails` gives the exit code that the last command is expected to have; that of the others, and
    of all without it, is 0. Anything else is a warning, and so the end of a build. With the option `silent`
    commands are performed and not shown: they prepare those that follow.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = {
        "fails": directives.nonnegative_int,
        "silent": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """The commands, each with what it printed."""
        lines: list[str] = []
        for command in self.content:
            code, output = perform(command, self._folder())
            lines += [f"$ {command}", *output]
            expected = self.options.get("fails", 0) if command == self.content[-1] else 0
            if code != expected:
                raise self.error(f"{command!r} ended with {code} instead of {expected}: {output}")
        if "silent" in self.options:
            return []
        text = "\n".join(lines)
        return [nodes.literal_block(text, text, language="console")]

    def _folder(self) -> Path:
        of_page = self.env.temp_data
        if FOLDER not in of_page:
            # Kept while the page is read, and removed from the disk together with this object.
            of_page[FOLDER] = tempfile.TemporaryDirectory()
        return Path(of_page[FOLDER].name)


def perform(command: str, folder: Path) -> tuple[int, list[str]]:
    """Exit code and output of a command, errors and messages in between as in a terminal."""
    beside_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # Where scripts are that write data for a page.
    docs = str(Path(__file__).parents[1])
    surroundings = {"PATH": beside_python, "DOCS": docs, "NO_COLOR": "1", "COLUMNS": "92"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout.rstrip().splitlines()


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("transcript", Transcript)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
