"""Finished blocks on disk, so that an interrupted job can be continued.

A work directory belongs to one job: a manifest names its data, parameters and seed, and another job is
refused. A block is written completely or not at all. It contains a digest of its content, its number and the
job. So a block that is damaged, truncated or in the wrong place is found when it is read, and solved again.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from subspan.execution.files import lock_file, partial_files, private, whole_file
from subspan.handover import InputError
from subspan.sources.faults import size

Arrays = Mapping[str, NDArray[Any]]

FORMAT = 1
DIGEST_BYTES = 32
MANIFEST = "job.json"
LOCK = "lock"
# Names that may be in a work directory before there is a manifest.
OURS = re.compile(r"lock$|block-\d{8}|points-|array-|pass-|search-|job\.json\.|.*\.[0-9a-f]{8}\.part$")


class WorkDirectory:
    """The blocks of one job.

    Parameters
    ----------
    path : Path
        The folder; made if it is not there.
    job : mapping
        What the blocks depend on, as JSON takes it: data, parameters, seed.

    Examples
    --------
    >>> import tempfile
    >>> work = WorkDirectory(Path(tempfile.mkdtemp()), {"seed": 0})
    >>> with work.held():
    ...     work.write(3, {"values": np.arange(2.0)})
    >>> work.read(3)["values"].tolist()
    [0.0, 1.0]
    >>> work.read(4) is None
    True
    """

    def __init__(self, path: Path, job: Mapping[str, Any]) -> None:
        self.path = path
        # Through JSON and back, so that it compares equal with what is read.
        self.job: dict[str, Any] = json.loads(json.dumps({"format": FORMAT, **job}))
        self._key = blake2b(json.dumps(self.job, sort_keys=True).encode(), digest_size=DIGEST_BYTES).digest()

    @property
    def key(self) -> str:
        """A name of the job that no other one has."""
        return self._key.hex()[:16]

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the directory; an error if another process holds it, or if it belongs to another job."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_foreign(self.path)
        with _opened_lock(self.path) as lock:
            _lock(lock, self.path)
            self._bind()
            _remove_partial_files(self.path)
            try:
                yield
            finally:
                _remove_partial_files(self.path)

    def write(self, number: int, arrays: Arrays) -> None:
        """Keep a finished block."""
        n_bytes = sum(array.nbytes for array in arrays.values())
        named: dict[str, Any] = dict(arrays)
        with _space_checked(self.path, n_bytes), whole_file(self._file(number)) as file:
            file.write(bytes(DIGEST_BYTES))
            content = _Digesting(file, self._digest(number))
            np.savez(content, **named)
            file.seek(0)
            file.write(content.digest.digest())

    def read(self, number: int) -> dict[str, NDArray[Any]] | None:
        """A finished block, or None if there is none that can be trusted."""
        try:
            with self._file(number).open("rb") as file:
                digest, content = file.read(DIGEST_BYTES), file.read()
        except FileNotFoundError:
            return None
        expected = self._digest(number)
        expected.update(content)
        return _unpacked(content) if digest == expected.digest() else None

    def missing(self, n_blocks: int) -> list[int]:
        """Numbers of the blocks that are still to be solved."""
        return [number for number in range(n_blocks) if self.read(number) is None]

    def _file(self, number: int) -> Path:
        return self.path / f"block-{number:08d}"

    def _digest(self, number: int) -> blake2b:
        """A digest of the job and of the number of a block, to be updated with its content."""
        return blake2b(number.to_bytes(8, "little"), key=self._key, digest_size=DIGEST_BYTES)

    def _bind(self) -> None:
        """Write the manifest of a new job, or compare with the one that is there."""
        manifest = self.path / MANIFEST
        if not manifest.exists():
            with whole_file(manifest) as file:
                file.write(json.dumps(self.job, indent=1, sort_keys=True).encode())
            return
        try:
            found = json.loads(manifest.read_text())
        except ValueError:
            raise InputError(
                "{work_dir:name}: {} is not readable; take another folder.", manifest, work_dir=str(self.path)
            ) from None
        for name, (theirs, ours) in _differences(found, self.job).items():
            raise InputError(
                "{work_dir:name}: {} holds another job: {} is {!r} there and {!r} here; take another folder, "
                "or remove this one.",
                *(self.path, name, theirs, ours),
                work_dir=str(self.path),
            )


class _Digesting(RawIOBase):
    """Writes to a file and updates a digest, without a copy of a large block in memory."""

    def __init__(self, file: BinaryIO, digest: blake2b) -> None:
        self._file = file
        self.digest = digest

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return self._file.write(data)


def _differences(found: Any, wanted: Any, name: str = "") -> dict[str, tuple[Any, Any]]:
    """Fields that differ, by their dotted names."""
    if not (isinstance(found, dict) and isinstance(wanted, dict)):
        return {} if found == wanted else {name: (found, wanted)}
    differences: dict[str, tuple[Any, Any]] = {}
    for key in sorted(found.keys() | wanted.keys()):
        inner = f"{name}.{key}" if name else key
        differences |= _differences(found.get(key), wanted.get(key), inner)
    return differences


def check_space(path: Path, n_bytes: int) -> None:
    """Refuse to begin what there may be no room for; blocks that are there already need none."""
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    kept = sum(block.stat().st_size for block in path.glob("block-*"))
    free = shutil.disk_usage(there).free
    if free < n_bytes - kept:
        raise InputError(
            "{work_dir:name}: {} may take {} for coefficients, but only {} are free there; free some space, "
            "or take another folder.",
            *(path, size(n_bytes - kept), size(free)),
            work_dir=str(path),
        )


def _refuse_foreign(path: Path) -> None:
    """Nothing is written into a folder that holds files of somebody else, and no job of ours."""
    if (path / MANIFEST).exists():
        return
    for entry in sorted(path.iterdir()):
        if not OURS.match(entry.name):
            raise InputError(
                "{work_dir:name}: {} is not empty and no work directory: it holds {!r}; take another folder.",
                *(path, entry.name),
                work_dir=str(path),
            )


def _opened_lock(path: Path) -> IO[str]:
    try:
        return open(path / LOCK, "a+", opener=private)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise InputError(
            "{work_dir:name}: {} is a link, which is never followed.", path / LOCK, work_dir=str(path)
        ) from None


def _lock(lock: IO[str], path: Path) -> None:
    """Take the lock, which the system frees when the process ends, however it ends."""
    try:
        lock_file(lock)
    except OSError:
        lock.seek(0)
        holder = lock.read().strip() or "another process"
        raise InputError("{work_dir:name}: {} is in use by {}.", path, holder, work_dir=str(path)) from None
    lock.seek(0)
    lock.truncate()
    lock.write(f"process {os.getpid()} on {socket.gethostname()}")
    lock.flush()


def _remove_partial_files(path: Path) -> None:
    """What a writer that was killed left behind.

    While we hold the lock, only a worker that has lost its scheduler still writes here, a block that is
    computed again.
    """
    for partial in partial_files(path):
        partial.unlink(missing_ok=True)


@contextmanager
def _space_checked(path: Path, n_bytes: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise OSError(
            error.errno,
            f"work_dir: no room for {n_bytes} bytes; finished blocks are safe, free some space and run again",
            str(path),
        ) from None


def _unpacked(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)
