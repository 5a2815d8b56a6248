"""The same answer from any source, on any number of workers, with and without interruptions."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from benchmarks.soak.kills import WORKERS, Soak, kills

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.execution.cluster import local_cluster
from subspan.execution.work_directory import WorkDirectory
from subspan.handover import InputError
from subspan.methods import planning
from subspan.sources import scanning
from subspan.sources.unchanged import tile_hashes

PARAMETERS = {"n_clusters": 4, "n_nonzero": 3, "random_state": 0}


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    X, _ = make_union_of_subspaces(4, 3, 30, 300, noise=0.1, random_state=0, dtype=np.float32)
    # Rows that are merged and rows that are left out take the same way.
    X[700] = 2 * X[5]
    return X


@pytest.fixture(scope="module")
def reference(points) -> S3COMPC:
    with pytest.warns(UserWarning, match="duplicate rows: 1"):
        return S3COMPC(**PARAMETERS).fit(points)


def same(fitted: S3COMPC, reference: S3COMPC) -> bool:
    ours, theirs = fitted.representation_, reference.representation_
    return (
        np.array_equal(ours.indptr, theirs.indptr)
        and np.array_equal(ours.indices, theirs.indices)
        and ours.data.tobytes() == theirs.data.tobytes()
        and np.array_equal(fitted.labels_, reference.labels_)
    )


def _npy(path: Path, X: np.ndarray) -> Path:
    np.save(path / "X.npy", X)
    return path / "X.npy"


def _fortran(path: Path, X: np.ndarray) -> str:
    np.save(path / "X.npy", np.asfortranarray(X))
    return str(path / "X.npy")


def _hdf5(path: Path, X: np.ndarray) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path / "X.h5", "w") as file:
        file["X"] = X
    return path / "X.h5"


def _zarr(path: Path, X: np.ndarray) -> Path:
    zarr = pytest.importorskip("zarr")
    zarr.save_array(str(path / "X.zarr"), X)
    return path / "X.zarr"


def _parquet(path: Path, X: np.ndarray) -> Path:
    frame = pd.DataFrame(X, columns=[f"band {i}" for i in range(X.shape[1])])
    frame.to_parquet(path / "X.parquet")
    return path / "X.parquet"


def _dask(path: Path, X: np.ndarray):  # noqa: ARG001
    dask_array = pytest.importorskip("dask.array")
    return dask_array.from_array(X, chunks=(250, 30))


@pytest.fixture
def in_pieces(monkeypatch):
    """No budget has room for all rows of a file."""
    monkeypatch.setattr(planning, "ROOM_FOR_ROWS", 10**9)


class Counted:
    """An array as a source that is not in memory, and counts how often each row is read."""

    name = "counted"
    columns = ()
    held_bytes = 0

    def __init__(self, X: np.ndarray) -> None:
        self.X, self.shape, self.dtype = X, X.shape, X.dtype
        self.counts = np.zeros(len(X), int)
        self.n_prints = 0

    def rows(self, start: int, stop: int) -> np.ndarray:
        self.counts[start:stop] += 1
        return self.X[start:stop]

    def take(self, indices: np.ndarray) -> np.ndarray:
        self.counts[indices] += 1
        return self.X[indices]

    def fingerprint(self) -> str:
        self.n_prints += 1
        return "counted=1"


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("work", [False, True])
def test_rows_that_fit_are_read_once(work, points, reference, tmp_path):
    source = Counted(points)
    fitted = S3COMPC(**PARAMETERS, work_dir=tmp_path / "work" if work else None).fit(source)
    assert same(fitted, reference)
    assert source.counts.tolist() == [1] * len(points)
    assert source.n_prints == 0


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("work", [False, True])
def test_rows_of_an_array_are_hashed_where_results_are_stored(work, points, tmp_path, monkeypatch):
    hashed = []
    monkeypatch.setattr(scanning, "tile_hashes", lambda rows: hashed.append(len(rows)) or tile_hashes(rows))
    S3COMPC(**PARAMETERS, work_dir=tmp_path if work else None).fit(points)
    assert sum(hashed) == work * len(points)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.usefixtures("in_pieces")
def test_other_rows_are_read_again(points, reference):
    source = Counted(points)
    assert same(S3COMPC(**PARAMETERS).fit(source), reference)
    assert source.counts.min() > 1


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("normalize", [True, False])
def test_the_same_rows_are_the_same_job_however_they_are_read(normalize, points, tmp_path, monkeypatch):
    path, work_dir = _npy(tmp_path, points), tmp_path / "work"
    first = S3COMPC(**PARAMETERS, normalize=normalize, work_dir=work_dir).fit(points)
    stamps = {block: block.stat().st_mtime_ns for block in work_dir.glob("block-*")}
    for room in (planning.ROOM_FOR_ROWS, 10**9):
        monkeypatch.setattr(planning, "ROOM_FOR_ROWS", room)
        assert same(S3COMPC(**PARAMETERS, normalize=normalize, work_dir=work_dir).fit(path), first)
    # Nothing was solved again.
    assert {block: block.stat().st_mtime_ns for block in work_dir.glob("block-*")} == stamps


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("room", [planning.ROOM_FOR_ROWS, 10**9], ids=["read once", "in pieces"])
@pytest.mark.parametrize("stored", [_npy, _fortran, _hdf5, _zarr, _parquet, _dask])
def test_every_source_gives_the_same_answer(stored, room, points, reference, tmp_path, monkeypatch):
    monkeypatch.setattr(planning, "ROOM_FOR_ROWS", room)
    fitted = S3COMPC(**PARAMETERS).fit(stored(tmp_path, points))
    assert same(fitted, reference)
    assert fitted.n_features_in_ == 30
    assert fitted.counts_ == reference.counts_


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_a_work_directory_changes_nothing_and_is_used_again(points, reference, tmp_path):
    work = tmp_path / "work"
    assert same(S3COMPC(**PARAMETERS, work_dir=work).fit(points), reference)
    stamps = {path: path.stat().st_mtime_ns for path in work.glob("block-*")}
    (work / "block-00000001").write_bytes(b"damaged")
    assert same(S3COMPC(**PARAMETERS, work_dir=str(work)).fit(points), reference)
    changed = [path.name for path in sorted(stamps) if path.stat().st_mtime_ns != stamps[path]]
    assert changed == ["block-00000001"]
    # What comes after the coefficients may change.
    more = S3COMPC(**{**PARAMETERS, "n_clusters": 3}, work_dir=work).fit(points)
    assert len(set(more.labels_)) == 3


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_nonzero": 2}, "parameters.n_nonzero is 3 there and 2 here"),
        ({"dropout": 0.4}, "parameters.dropout is 0.5 there and 0.4 here"),
        ({"random_state": 1}, r"parameters.seed is \d+ there and \d+ here"),
        ({"max_iter": 2}, "parameters.max_iter is 5 there and 2 here"),
    ],
)
def test_other_parameters_are_refused(change, sentence, points, tmp_path):
    S3COMPC(**PARAMETERS, work_dir=tmp_path).fit(points)
    with pytest.raises(InputError, match=sentence):
        S3COMPC(**{**PARAMETERS, **change}, work_dir=tmp_path).fit(points)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_other_data_are_refused(points, tmp_path):
    SSCOMP(**PARAMETERS, work_dir=tmp_path).fit(points)
    # One bit of one number.
    other = points.copy()
    other[333, 3] = np.nextafter(other[333, 3], 9)
    with pytest.raises(InputError, match=r"holds another job: data\.content is "):
        SSCOMP(**PARAMETERS, work_dir=tmp_path).fit(other)


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
def test_a_work_directory_needs_a_seed(random_state, points, tmp_path):
    with pytest.raises(InputError, match=r"^random_state=.*work_dir needs a whole number"):
        S3COMP(4, work_dir=tmp_path, random_state=random_state).fit(points)


def test_a_cluster_needs_a_work_directory(points):
    with pytest.raises(InputError, match=r"^executor: needs work_dir"):
        S3COMP(4, random_state=0).fit(points, executor=SimpleNamespace(nthreads=dict))


def test_killed_fits_go_on(tmp_path):
    """SIGKILL at every point of the writer of blocks and at random moments; `make soak` does it 200 times."""
    soak = Soak(tmp_path)
    for kill in kills(20):
        outcome = soak.try_out(kill)
        assert outcome.same, kill
        assert outcome.lost <= WORKERS, kill
        assert outcome.needless == 0, kill
        assert outcome.partial_files == 0, kill


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.usefixtures("in_pieces")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_file_that_changes_is_never_mixed_in(n_jobs, points, tmp_path, monkeypatch):
    """Its rows are replaced when the first block has been written, and put back after the error."""
    path = _npy(tmp_path, points)
    content, stat = path.read_bytes(), path.stat()
    model = SSCOMP(**PARAMETERS, n_jobs=n_jobs, work_dir=tmp_path / "work")
    write = WorkDirectory.write

    def disturbed(work: WorkDirectory, number: int, arrays: dict[str, np.ndarray]) -> None:
        write(work, number, arrays)
        # In place: whoever reads meanwhile finds old rows and new ones, but never a file cut short.
        with path.open("r+b") as file:
            np.save(file, points[::-1])
        # Nobody is to notice by the time.
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    with monkeypatch.context() as patched:
        patched.setattr(WorkDirectory, "write", disturbed)
        with pytest.raises(
            InputError, match=r"X\.npy: rows \d+ to \d+ have changed since they were first read"
        ):
            model.fit(path)
    with pytest.raises(InputError, match=r"holds another job: data\.content is "):
        model.fit(path)
    path.write_bytes(content)
    assert same(model.fit(path), SSCOMP(**PARAMETERS).fit(points))


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_a_cluster_gives_the_same_answer(points, reference, tmp_path):
    with local_cluster(2) as client:
        from_array = S3COMPC(**PARAMETERS, work_dir=tmp_path / "a").fit(points, executor=client)
        from_file = S3COMPC(**PARAMETERS, work_dir=tmp_path / "b").fit(
            _npy(tmp_path, points), executor=client
        )
        new_rows = points[:700] + 0.01
        remote = from_array.predict(new_rows, executor=client)
        model = reference.model_
        from_model = model.predict(_npy(tmp_path, new_rows), executor=client, work_dir=tmp_path / "c")
    assert same(from_array, reference)
    assert same(from_file, reference)
    assert np.array_equal(remote, reference.predict(new_rows))
    assert np.array_equal(from_model, remote)
    assert not list((tmp_path / "c").iterdir())
    with pytest.raises(InputError, match=r"^executor: needs work_dir"):
        model.predict(new_rows, executor=client)
