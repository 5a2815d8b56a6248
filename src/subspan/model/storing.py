"""A model as one file: arrays and JSON in a zip archive that nothing is executed from.

Arrays are .npy members without pickles, stored without compression, so that no member is larger than the
file. The comment of the archive is a checksum of all bytes before it. A file is read only if its size, its
members, their types and shapes are what this module would have written.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import zipfile
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from subspan.execution.files import whole_file
from subspan.handover import InputError
from subspan.model.coding import CODINGS, Coding
from subspan.model.extension import Extension
from subspan.model.preparation import Preparation
from subspan.model.remains import RULES, Habits, Model

# Raised when older programs would misread what newer ones write.
FORMAT = 1
MAGIC = "subspan model"
FACTS = "model.json"
MOST_FACTS = 2**20
CHECKSUM = b"sha256:"
COMMENT = len(CHECKSUM) + 64
PIECE = 2**20
# What an array of ours begins with: version 1.0 of the format, and a header as NumPy writes it.
PREFIX = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '(?P<type><[fiu][48])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>\d{1,18},(?: \d{1,18})?)\), \} *\n"
)

# Arrays of a model: types they may have, and number of axes.
ARRAYS: dict[str, tuple[str, int]] = {
    "labels_": ("i8", 1),
    "digests": ("u8", 2),
    "point_labels": ("i8", 1),
    "atom_points": ("i8", 1),
    "atoms": ("f4 f8", 2),
    "atom_rows": ("i8", 1),
}
# Arrays that need not be there: those of the preparation and of the embedding, and the origin of flats.
PREPARATION: dict[str, tuple[str, int]] = {
    "fill": ("f8", 1),
    "shift": ("f8", 1),
    "scale": ("f8", 1),
    "axes": ("f8", 2),
}
EXTENSION: dict[str, tuple[str, int]] = {"vectors": ("f8", 2), "eigenvalues": ("f8", 1)}
OPTIONAL = {**PREPARATION, **EXTENSION, "center": ("f8", 1)}


def write_model(model: Model, path: Path) -> Path:
    """Write a model; only its owner may read the file."""
    with whole_file(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.comment = CHECKSUM + b"0" * 64
            archive.writestr(_entry(FACTS), json.dumps(_facts(model), indent=1))
            arrays = {name: getattr(model, name) for name in ARRAYS}
            arrays |= {name: getattr(model.preparation, name) for name in PREPARATION}
            arrays |= {name: getattr(model.extension, name, None) for name in EXTENSION}
            arrays["center"] = model.center
            for name, array in arrays.items():
                if array is not None:
                    with archive.open(_entry(f"{name}.npy"), "w", force_zip64=True) as member:
                        npy.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
        _seal(file)
    return path


def _entry(name: str) -> zipfile.ZipInfo:
    """Without the time of writing: equal models are equal files."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o600 << 16
    return entry


def _seal(file: BinaryIO) -> None:
    """Put the checksum of all bytes before it at the end of the file."""
    file.flush()
    with Path(file.name).open("rb") as written:
        digest = _digest(written, written.seek(0, os.SEEK_END) - COMMENT)
    file.seek(-len(digest), os.SEEK_END)
    file.write(digest)


def _digest(file: BinaryIO, n_bytes: int) -> bytes:
    """SHA-256 of the first bytes of a file, as letters."""
    file.seek(0)
    found = hashlib.sha256()
    while n_bytes > 0:
        piece = file.read(min(PIECE, n_bytes))
        if not piece:
            break
        found.update(piece)
        n_bytes -= len(piece)
    return found.hexdigest().encode()


def _facts(model: Model) -> dict[str, Any]:
    coding = model.coding
    return {
        "what": MAGIC,
        "format": FORMAT,
        "facts": model.facts,
        "habits": asdict(model.habits),
        "coding": None if coding is None else {"kind": coding.kind, **asdict(coding)},  # type: ignore[call-overload]
        "missing": model.preparation.missing,
        "columns": list(model.columns),
    }


class UnreadableError(Exception):
    """Why a file is no model."""


def load_model(path: str | PathLike[str]) -> Model:
    """Read a model that `save` has written. Nothing in the file is executed.

    Parameters
    ----------
    path : path

    Returns
    -------
    Model

    Raises
    ------
    InputError
        If the file is something else, damaged, or written by a newer version.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.subspan"
    >>> _ = path.write_text("no model")
    >>> load_model(path)
    Traceback (most recent call last):
    subspan.handover.InputError: ...notes.subspan: is no model that can be used: it is not a file of subspan.
    """
    place = Path(path).expanduser()
    if not place.is_file():
        raise InputError(f"{path}: there is no such file.")
    with place.open("rb") as file:
        try:
            return _read(file)
        except UnreadableError as error:
            why = str(error)
        # Whatever a damaged file makes the readers of archives, JSON and numbers say.
        except Exception as error:
            why = f"it is damaged ({type(error).__name__})"
    raise InputError(f"{path}: is no model that can be used: {why}.")


def _read(file: BinaryIO) -> Model:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - COMMENT, 0))
    comment = file.read()
    file.seek(0)
    if file.read(2) != b"PK" or not comment.startswith(CHECKSUM):
        raise UnreadableError("it is not a file of subspan")
    if _digest(file, size - COMMENT) != comment[len(CHECKSUM) :]:
        raise UnreadableError("it is damaged, since its checksum is another")
    with zipfile.ZipFile(file) as archive:
        members = _checked_members(archive, size)
        facts = _checked_facts(archive.read(FACTS))
        arrays = {
            name: _array(archive, f"{name}.npy", (ARRAYS | OPTIONAL)[name], members[f"{name}.npy"])
            for name in (*ARRAYS, *OPTIONAL)
            if name in ARRAYS or f"{name}.npy" in members
        }
    return _consistent(_model(facts, arrays))


def _checked_members(archive: zipfile.ZipFile, size: int) -> dict[str, int]:
    """Sizes of the members by name, if they are those of a model, stored as they are."""
    known = {FACTS, *(f"{name}.npy" for name in (*ARRAYS, *OPTIONAL))}
    needed = {FACTS, *(f"{name}.npy" for name in ARRAYS)}
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) < len(names) or not needed <= set(names) <= known:
        raise UnreadableError("its contents are not those of a model")
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 0x1:
            raise UnreadableError("its contents are compressed or encrypted")
        if entry.file_size != entry.compress_size:
            raise UnreadableError("it declares sizes that it does not have")
    if sum(entry.file_size for entry in entries) > size:
        raise UnreadableError("it declares sizes that it does not have")
    if archive.getinfo(FACTS).file_size > MOST_FACTS:
        raise UnreadableError("its description is too long")
    return {entry.filename: entry.file_size for entry in entries}


def _checked_facts(text: bytes) -> dict[str, Any]:
    facts = json.loads(text)
    if not isinstance(facts, dict) or facts.get("what") != MAGIC or not isinstance(facts.get("format"), int):
        raise UnreadableError("it is not a file of subspan")
    if facts["format"] > FORMAT:
        raise UnreadableError("it was written by a newer version; update subspan")
    return facts


def _array(archive: zipfile.ZipFile, name: str, kind: tuple[str, int], member_size: int) -> NDArray[Any]:
    """An array of a member, if its header declares what the member holds."""
    dtypes, n_axes = kind
    with archive.open(name) as member:
        start = member.read(len(PREFIX) + 2)
        header = HEADER.fullmatch(member.read(int.from_bytes(start[-2:], "little")))
        if not start.startswith(PREFIX) or header is None:
            raise UnreadableError(f"{name} is not an array as they are written")
        dtype = np.dtype(header["type"].decode())
        shape = tuple(int(length) for length in re.findall(rb"\d+", header["shape"]))
        if header["type"].decode()[1:] not in dtypes.split() or len(shape) != n_axes:
            raise UnreadableError(f"{name} is not an array of the right type and shape")
        if math.prod(shape) * dtype.itemsize != member_size - member.tell():
            raise UnreadableError(f"{name} declares a size that it does not have")
        array: NDArray[Any] = np.empty(shape, dtype)
        _fill(member, array.reshape(-1).view(np.uint8))
    return array


def _fill(member: IO[bytes], array: NDArray[np.uint8]) -> None:
    """Read a member to its end, where the archive compares its checksum."""
    for start in range(0, len(array) + 1, PIECE):
        piece = np.frombuffer(member.read(PIECE), np.uint8)
        array[start : start + PIECE] = piece


def _model(facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Model:
    preparation = Preparation(
        str(facts["missing"]), **{name: arrays[name] for name in PREPARATION if name in arrays}
    )
    extension = (
        Extension(**{name: arrays[name] for name in EXTENSION})
        if any(name in arrays for name in EXTENSION)
        else None
    )
    columns = facts["columns"]
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise UnreadableError("its names of columns are no names")
    if not isinstance(facts["facts"], dict) or not isinstance(facts["facts"].get("method"), str):
        raise UnreadableError("it does not say where it comes from")
    return Model(
        facts=facts["facts"],
        habits=_plain_object(Habits, facts["habits"]),
        coding=_coding(facts["coding"]),
        preparation=preparation,
        columns=tuple(columns),
        center=arrays.get("center"),
        extension=extension,
        **{name: arrays[name] for name in ARRAYS},  # type: ignore[arg-type]
    )


def _coding(given: Any) -> Coding | None:
    if given is None:
        return None
    values = dict(given)
    found: Coding = _plain_object(CODINGS[values.pop("kind")], values)
    return found


def _plain_object(kind: Any, values: Any) -> Any:
    """An object of plain values, each of the type that its default or its field has."""
    types = {"int": int, "float": (int, float), "str": str, "bool": bool}
    declared = {each.name: str(each.type) for each in fields(kind)}
    if not isinstance(values, dict) or set(values) != set(declared):
        raise UnreadableError("its settings are not those of a model")
    for name, value in values.items():
        allowed = [part.strip() for part in declared[name].split("|")]
        if value is None and "None" in allowed:
            continue
        if not any(part in types and type(value) in _as_tuple(types[part]) for part in allowed):
            raise UnreadableError(f"its setting {name} is not of the right type")
        if isinstance(value, (int, float)) and not np.isfinite(value):
            raise UnreadableError(f"its setting {name} is not finite")
    return kind(**values)


def _as_tuple(kinds: Any) -> tuple[type, ...]:
    return kinds if isinstance(kinds, tuple) else (kinds,)


def _consistent(model: Model) -> Model:
    """The model, if its arrays go together, so that no index in it points outside."""
    n_atoms, n_columns = model.atoms.shape
    n_points = len(model.point_labels)
    n_features = model.n_features
    done, extension = model.preparation, model.extension
    good = (
        n_atoms > 0
        and n_columns > 0
        and model.digests.shape == (n_points, 2)
        and len(model.atom_points) == n_atoms == len(model.atom_rows)
        and bool((np.diff(model.atom_points) > 0).all())
        and int(model.atom_points[0]) >= 0
        and int(model.atom_points[-1]) < n_points
        and bool(np.isfinite(model.atoms).all())
        and bool((model.atom_labels >= 0).all())
        and -1 <= int(model.point_labels.min()) <= int(model.point_labels.max()) < n_atoms
        and int(model.point_labels.max()) == int(model.atom_labels.max())
        and len(np.unique(model.atom_labels)) == model.n_clusters_
        and model.habits.rule in RULES
        and (model.habits.rule == "subspace" or model.coding is not None)
        and model.habits.zero_rows in ("raise", "label")
        and done.missing in ("raise", "mean", "drop")
        and (done.missing != "mean" or done.fill is not None)
        and all(each is None or each.shape == (n_features,) for each in (done.fill, done.shift, done.scale))
        and (done.axes is None or len(done.axes) == n_columns - (model.center is not None))
        and (model.center is None or model.center.shape == (n_columns - 1,))
        and model.habits.length > 0
        and (model.center is None or model.habits.constant > 0)
        and (not model.columns or len(model.columns) == n_features)
        and 0 < model.habits.keep <= 1
        and (extension is None or (model.coding is not None and extension.fits(n_atoms)))
    )
    if not good:
        raise UnreadableError("its parts do not go together")
    return model
