"""Files of models: written whole, read in another process, and refused if anything is wrong with them."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import stat
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import subspan
from subspan import LSR, SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.handover import InputError
from subspan.model.storing import CHECKSUM, COMMENT

X, _ = make_union_of_subspaces(3, 2, 10, 20, noise=0.02, random_state=0)
TRACE = Path("executed")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    fitted = SSCOMP(3, n_nonzero=2, random_state=0).fit(X[::2])
    return fitted, fitted.save(tmp_path_factory.mktemp("models") / "a.subspan")


def test_another_process_predicts_the_same_bits(saved, tmp_path):
    fitted, path = saved
    np.save(tmp_path / "new.npy", X)
    program = (
        "import subspan, sys, numpy as np;"
        "np.save(sys.argv[3], subspan.load(sys.argv[1]).membership(sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, path, tmp_path / "new.npy", tmp_path / "out.npy"], timeout=120
    )
    assert done.returncode == 0
    assert np.array_equal(np.load(tmp_path / "out.npy"), fitted.membership(X))


def test_a_loaded_model_has_what_was_saved(saved):
    fitted, path = saved
    loaded = subspan.load(path)
    assert repr(loaded) == repr(fitted.model_)
    assert loaded.facts == fitted.model_.facts
    assert np.array_equal(loaded.labels_, fitted.labels_)
    assert [each.dimension for each in loaded.subspaces_] == [each.dimension for each in fitted.subspaces_]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_equal_models_are_equal_files(saved, tmp_path):
    fitted, path = saved
    assert fitted.save(tmp_path / "b.subspan").read_bytes() == path.read_bytes()


def test_float32_and_names_of_columns_are_kept(tmp_path):
    import pandas as pd

    names = [f"band {number}" for number in range(10)]
    fitted = LSR(3, random_state=0).fit(pd.DataFrame(X.astype(np.float32), columns=names))
    loaded = subspan.load(fitted.save(tmp_path / "c.subspan"))
    assert loaded.atoms.dtype == np.float32
    other = pd.DataFrame(X, columns=["band 0", "other", *names[2:]])
    with pytest.raises(InputError, match="has a column 'other' where the model has 'band 1'"):
        loaded.predict(other)


def sealed(contents: bytes) -> bytes:
    """An archive with a comment that fits: what someone would write who wants to be believed."""
    body = contents[:-COMMENT]
    return body + CHECKSUM + hashlib.sha256(body).hexdigest().encode()


def archived(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED, copies: int = 1) -> bytes:
    """With more than one copy all entries of the archive point to the same members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.comment = CHECKSUM + b"0" * 64
        for name, content in members.items():
            archive.writestr(name, content)
        archive.filelist = archive.filelist * copies
    return sealed(file.getvalue())


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def as_npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


class Hostile:
    def __reduce__(self):
        return TRACE.touch, ()


def hostile_files(path: Path) -> dict[str, bytes]:
    """Files that are whole, with a checksum that fits, and wrong."""
    good = members_of(path)
    facts = json.loads(good["model.json"])
    lying = as_npy(np.zeros(3)).replace(b"(3,)", b"(99999999999,)"[:4])
    bomb = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
    bomb += b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999, 99999), }".ljust(117) + b"\n"

    def changed(**news: bytes) -> bytes:
        return archived({**good, **{name.replace("_npy", ".npy"): content for name, content in news.items()}})

    def with_facts(**news: object) -> bytes:
        return archived({**good, "model.json": json.dumps({**facts, **news}).encode()})

    return {
        "pickle of an object": pickle.dumps(Hostile()),
        "array of objects": changed(atoms_npy=as_npy(np.array([Hostile()], object))),
        "array of text": changed(labels__npy=as_npy(np.array(["a"]))),
        "absolute path": archived({**good, "/tmp/x.npy": b""}),
        "parent path": archived({**good, "../x.npy": b""}),
        "folder": archived({**good, "a/": b""}),
        "pickle beside it": archived({**good, "more.pkl": pickle.dumps(Hostile())}),
        "compressed": archived(good, zipfile.ZIP_DEFLATED),
        "compressed bomb": archived({**good, "fill.npy": bytes(10**7)}, zipfile.ZIP_DEFLATED),
        "every member twice": archived(good, copies=2),
        "declared bomb": changed(atoms_npy=bomb),
        "shape that lies": changed(labels__npy=lying),
        "no description": archived({name: good[name] for name in good if name != "model.json"}),
        "no atoms": archived({name: good[name] for name in good if name != "atoms.npy"}),
        "newer": with_facts(format=2),
        "other program": with_facts(what="something else"),
        "no format": with_facts(format="1"),
        "list of facts": archived({**good, "model.json": b"[]"}),
        "deep nesting": archived({**good, "model.json": b"[" * 10**5}),
        "long description": archived({**good, "model.json": b" " * 2**21}),
        "unknown coding": with_facts(coding={"kind": "shell"}),
        "settings of others": with_facts(habits={**facts["habits"], "command": "ls"}),
        "infinite setting": with_facts(coding={**facts["coding"], "damping": float("inf")}),
        "text for a number": with_facts(coding={**facts["coding"], "n_nonzero": "3"}),
        "unknown rule": with_facts(habits={**facts["habits"], "rule": "shell"}),
        "no names": with_facts(columns=[1]),
        "atoms beyond the points": changed(atom_points_npy=as_npy(np.arange(30) + 10**6)),
        "negative atoms": changed(atom_points_npy=as_npy(np.arange(30) - 5)),
        "labels beyond the clusters": changed(point_labels_npy=as_npy(np.full(30, 10**9))),
        "NaN among the atoms": changed(atoms_npy=as_npy(np.full((30, 10), np.nan))),
        "too few atoms": changed(atoms_npy=as_npy(np.zeros((3, 10)))),
        "eigenvalues without vectors": archived({name: good[name] for name in good if name != "vectors.npy"}),
        "vectors of other atoms": changed(vectors_npy=as_npy(np.ones((29, 3)))),
        "one eigenvalue for three vectors": changed(eigenvalues_npy=as_npy(np.ones(1))),
        "NaN among the vectors": changed(vectors_npy=as_npy(np.full((30, 3), np.nan))),
        "Fortran order": changed(atoms_npy=as_npy(np.asfortranarray(np.ones((30, 10))))),
        "empty": b"",
        "plain zip": b"PK",
    }


def damaged_files(contents: bytes, n_files: int = 280) -> list[bytes]:
    """Flipped bits, missing ends, bytes that came in between; and the same with a checksum that fits."""
    generator = np.random.default_rng(0)
    found = []
    for number in range(n_files):
        changed = bytearray(contents)
        place = int(generator.integers(len(changed)))
        if number % 4 == 0:
            changed = changed[:place]
        elif number % 4 == 1:
            changed[place:place] = b"\x00" * int(generator.integers(1, 9))
        else:
            changed[place] ^= 1 << int(generator.integers(8))
        found.append(bytes(changed))
    return found


def test_damaged_and_hostile_files_are_refused(saved, tmp_path, monkeypatch):
    _, good = saved
    monkeypatch.chdir(tmp_path)
    files = [*hostile_files(good).values(), *damaged_files(good.read_bytes())]
    assert len(files) >= 300
    path = tmp_path / "x.subspan"
    tracemalloc.start()
    for contents in files:
        path.write_bytes(contents)
        with pytest.raises(InputError, match=r"x\.subspan: is no model that can be used: .*\.$"):
            subspan.load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * max(map(len, files)) + 10**7
    assert not TRACE.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["x.subspan"]


def test_damage_behind_a_checksum_that_fits_does_no_harm(saved, tmp_path):
    """Whoever can compute a checksum can change numbers, but no more than that."""
    _, good = saved
    path = tmp_path / "x.subspan"
    n_refused = 0
    for contents in damaged_files(good.read_bytes(), 200):
        path.write_bytes(sealed(contents))
        try:
            model = subspan.load(path)
            assert model.predict(X).shape == (60,)
            assert model.transform(X).shape == (60, 3)
        except InputError:
            n_refused += 1
    assert n_refused > 100


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(InputError, match=r"none\.subspan: there is no such file"):
        subspan.load(tmp_path / "none.subspan")
