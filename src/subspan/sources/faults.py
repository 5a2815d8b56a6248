"""What goes wrong with files, as one sentence that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from subspan.handover import InputError

# A file that unpacks to more than this many times its size, and to more than this many bytes, is taken
# for a trap: images that are mostly black reach a few dozen times.
MOST_TIMES_LARGER = 200
UNSUSPICIOUS_BYTES = 2**26


@contextmanager
def reading(name: str, what: str = "") -> Iterator[None]:
    """Turn whatever a library raises on a damaged or unreadable file into a sentence.

    Examples
    --------
    >>> with reading("X.h5", "rows 0 to 128 "):
    ...     raise OSError("truncated file")
    Traceback (most recent call last):
    subspan.handover.InputError: X.h5: rows 0 to 128 cannot be read (truncated file).
    """
    try:
        yield
    except (InputError, MemoryError):
        raise
    # The readers of all formats raise dozens of types of errors, and the type does not matter here.
    except Exception as error:
        raise InputError(f"{name}: {what}cannot be read ({_reason(error)}).") from error


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    return str(text).rstrip(":. ") or type(error).__name__


def check_table(name: str, shape: tuple[int, ...]) -> tuple[int, int]:
    """The shape, if it is that of a table with at least one entry."""
    if len(shape) != 2:
        raise InputError(f"{name}: must be a table with a point in each row, but has shape {shape}.")
    if min(shape) < 1:
        raise InputError(f"{name}: has no entries (its shape is {shape}).")
    return shape[0], shape[1]


def check_claim(name: str, claimed: int, stored: int) -> None:
    """Refuse what would unpack to implausibly many times the bytes that are stored."""
    if claimed > UNSUSPICIOUS_BYTES and claimed > MOST_TIMES_LARGER * stored:
        raise InputError(
            f"{name}: claims to hold {size(claimed)} in {size(stored)}, more than {MOST_TIMES_LARGER} times "
            "as much; if that is right, store it without compression."
        )


def check_chunks(name: str, found: int, expected: int) -> None:
    """Refuse an array of which a part is missing: it would read as zeros."""
    if found < expected:
        raise InputError(
            f"{name}: {expected - found} of {expected} chunks are missing and would read as zeros; if zeros "
            "are meant, store them (in Zarr: write_empty_chunks=True)."
        )


def size(n_bytes: int) -> str:
    """A number of bytes for a reader.

    Examples
    --------
    >>> size(950), size(200 * 10**12)
    ('950 bytes', '200.0 TB')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {name}"
    return f"{n_bytes} bytes"
