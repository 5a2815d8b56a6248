"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, BinaryIO

# How the name of a file ends while it is being written.
PARTIAL = re.compile(r"\.[0-9a-f]{8}\.part$")
# A partial file older than this many seconds is taken for abandoned.
ABANDONED = 24 * 3600.0


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write to. It becomes `path` if all went well, and is removed otherwise.

    It is written in the same folder under a unique name that ends in .part, so that two processes do not
    write to the same file. It is synchronised to the disk before it is renamed. Only its owner can read it,
    and a link in its place is replaced, not followed.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole_file(folder / "notes.txt") as file:
    ...     _ = file.write(b"complete")
    >>> [path.name for path in folder.iterdir()]
    ['notes.txt']
    """
    _sweep(path)
    partial = path.with_name(f"{path.name}.{token_hex(4)}.part")
    try:
        # A new file: a link of that name would be an error.
        with partial.open("xb") as file:
            partial.chmod(0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def private(path: str, flags: int) -> int:
    """An opener for files that nobody else can read, whatever the umask; OSError if `path` is a link."""
    # Windows has no such flag, and its files follow the rights of their folder.
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def partial_files(folder: Path, name: str = "*") -> list[Path]:
    """Files that `whole_file` has begun, and no others."""
    return [path for path in folder.glob(f"{name}.*.part") if PARTIAL.search(path.name)]


def _sweep(path: Path) -> None:
    """Remove what writers that were killed have left behind."""
    for partial in partial_files(path.parent, escape(path.name)):
        # Another writer of the same file may end between the listing and the removal.
        with suppress(FileNotFoundError):
            if time.time() - partial.stat().st_mtime > ABANDONED:
                partial.unlink()


def lock_file(file: IO[Any]) -> None:
    """Lock an open file until it is closed or its process ends, in whatever way; OSError if it is locked."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
