"""How much memory this process may use."""

from __future__ import annotations

import ctypes
import mmap
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from subspan.handover import InputError

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
BINARY_UNITS = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
# Share of the free memory that is used by default; other processes need memory too.
DEFAULT_SHARE = 0.7
PROCESS = Path("/proc/self")
# Of a limited address space: stacks and pools of threads take room there before they take memory.
THREADS_ROOM = 2**28


def parse_bytes(budget: int | float | str) -> int:
    """Bytes of a budget such as "2GB", "512MiB" or a plain number.

    Examples
    --------
    >>> parse_bytes("2GB")
    2000000000
    >>> parse_bytes("1.5 MiB")
    1572864
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([kmgt]i?)?b?\s*", str(budget).lower())
    size = float(match[1]) * (UNITS | BINARY_UNITS)[match[2] or ""] if match else 0.0
    if not 0 < size < float("inf"):
        raise InputError(
            "{memory_budget} is not a size; write it like '2GB' or '512MiB'.", memory_budget=budget
        )
    return int(size)


def free_memory(root: Path = Path("/")) -> int:
    """Bytes that are free to the process: on the machine, in its control groups, in its address space."""
    rooms = (_cgroup_v2(root), _cgroup_v1(root), _machine(root), _address_space(root))
    free = [room for room in rooms if room is not None]
    return min(free, default=parse_bytes("4GB"))


def memory_budget(budget: int | float | str | None) -> int:
    """Bytes of the user's budget, or a share of what is free."""
    return int(DEFAULT_SHARE * free_memory()) if budget is None else parse_bytes(budget)


def check_room(needed: int, budget: int, advice: str) -> None:
    """Refuse work that takes more than the budget, with one that would do.

    Examples
    --------
    >>> check_room(1_234_567_890, 10**9, "take fewer rows")
    Traceback (most recent call last):
    subspan.handover.InputError: memory_budget: 1 GB is too little; 1.24 GB would do; take fewer rows.
    """
    if needed > budget:
        raise InputError(
            "{memory_budget:name}: {} is too little; {} would do; " + advice + ".",
            *(in_words(budget), in_words(rounded_up(needed))),
            memory_budget=budget,
        )


def rounded_up(n_bytes: int) -> int:
    """Up to a number that is still enough as it will be printed."""
    step: int = 10 ** max(7, len(str(n_bytes)) - 3)
    return -(-n_bytes // step) * step


def in_words(n_bytes: int) -> str:
    """A size as people say it.

    Examples
    --------
    >>> in_words(1_230_000_000), in_words(512_000_000)
    ('1.23 GB', '512 MB')
    """
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 10**9 else f"{n_bytes / 1e6:.0f} MB"


def used_memory(root: Path = Path("/")) -> int:
    """Bytes of this process that are in memory now; 0 where the system does not tell."""
    try:
        pages = int((root / "proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * mmap.PAGESIZE


def peak_memory(process: Path = PROCESS) -> int | None:
    """Largest resident memory of the process so far, in bytes; None where no system tells it."""
    return _peak_of_linux(process) or _peak_of_process()


def return_free_memory() -> None:
    """Return freed memory to the system. Some allocators keep it, and the next stage would need more.

    This works with glibc, the C library of most Linux systems; elsewhere nothing happens.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _peak_of_linux(process: Path) -> int | None:
    try:
        match = re.search(r"^VmHWM:\s+(\d+) kB", (process / "status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(match[1]) * 1024 if match else None


def _peak_of_process() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _room(limit: int | None, usage: int | None) -> int | None:
    return None if limit is None or usage is None else max(limit - usage, 0)


def _cgroup_v2(root: Path) -> int | None:
    return _tightest(_groups(root, "sys/fs/cgroup", "0::"), "memory.max", "memory.current")


def _cgroup_v1(root: Path) -> int | None:
    groups = _groups(root, "sys/fs/cgroup/memory", r"\d+:(?:[^:]+,)?memory(?:,[^:]+)?:")
    return _tightest(groups, "memory.limit_in_bytes", "memory.usage_in_bytes")


def _groups(root: Path, mounted: str, controller: str) -> list[Path]:
    """Folders of the control group of this process and of all groups around it, whose limits hold too."""
    top = root / mounted
    try:
        text = (root / "proc/self/cgroup").read_text()
    except OSError:
        return [top]
    match = re.search(rf"^{controller}/(.*)$", text, re.MULTILINE)
    own = PurePosixPath(match[1] if match else "")
    # In a container the path may be that of the host, which is not there.
    return [top, *(top / group for group in (own, *own.parents) if ".." not in group.parts)]


def _tightest(groups: Iterable[Path], limit: str, usage: str) -> int | None:
    rooms = [_room(_read_number(group / limit), _read_number(group / usage)) for group in groups]
    return min((room for room in rooms if room is not None), default=None)


def _address_space(root: Path) -> int | None:
    """What ``ulimit -v`` leaves to the process."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _read_number(root / "proc/self/statm")
    if limit == resource.RLIM_INFINITY or pages is None:
        return None
    return max(limit - pages * mmap.PAGESIZE - THREADS_ROOM, 0)


def _machine(root: Path) -> int | None:
    try:
        text = (root / "proc/meminfo").read_text()
    except OSError:
        return None
    match = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return None if match is None else int(match[1]) * 1024
