"""Tracks of points on moving bodies: made ones, and the sequences of Hopkins155."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError
from scipy.spatial.transform import Rotation
from sklearn.utils import Bunch

from subspan.datasets.catalog import data_folder
from subspan.datasets.loaders import Folder
from subspan.datasets.synthetic import _generator, _length, _sizes, _whole_number
from subspan.handover import InputError

Doubles = NDArray[np.float64]

# The file in which all sequences are together.
STORED = "hopkins*.npz"
# How the release names the file of a sequence.
RELEASED = "*_truth.mat"
# Radius of a body, and what it turns and moves from frame to frame, where the image is 2 wide.
RADIUS, SPIN, SPEED = 0.25, 0.05, 0.02


def make_rigid_motions(
    n_bodies: int = 3,
    n_tracks: int | Sequence[int] = 80,
    n_frames: int = 25,
    *,
    noise: float = 0.0,
    gross: float = 0.0,
    missing: float = 0.0,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Doubles, NDArray[np.int64]]:
    """Tracks of points on rigid bodies that turn and wander before an affine camera.

    Row (x_1, y_1, x_2, y_2, ...) has the image coordinates of one point in all frames. The tracks of one body
    lie on a flat of at most three dimensions that misses the origin.

    Parameters
    ----------
    n_bodies : int
        Number of bodies, and of classes.
    n_tracks : int or sequence of int
        Points followed on each body.
    n_frames : int
        Length of the film, two frames at least.
    noise : float
        Standard deviation of the error of every coordinate; the image reaches from about -1 to 1.
    gross : float
        Share of the coordinates that are replaced by a number drawn from -1 to 1.
    missing : float
        Share of the coordinates that are NaN.
    random_state : int, numpy.random.Generator or None
        An int gives the same data in every call, and bodies that depend neither on errors nor on gaps.

    Returns
    -------
    X : ndarray of shape (n_points, 2 * n_frames)
        The tracks, body by body.
    y : ndarray of shape (n_points,)
        Number of the body of each track, from 0.

    Examples
    --------
    >>> X, y = make_rigid_motions(2, 30, 10, random_state=0)
    >>> X.shape
    (60, 20)
    >>> np.linalg.matrix_rank(X[y == 0] - X[y == 0].mean(axis=0), tol=1e-9)
    np.int64(3)
    """
    n_bodies = _whole_number("n_bodies", n_bodies, least=1)
    n_frames = _whole_number("n_frames", n_frames, least=2)
    sizes = _sizes(n_tracks, n_bodies, "n_tracks", "n_bodies")
    noise, gross, missing = (
        _length(name, value) for name, value in (("noise", noise), ("gross", gross), ("missing", missing))
    )
    for name, share in (("gross", gross), ("missing", missing)):
        if share >= 1:
            raise InputError(f"{name} is a share of the coordinates, and must be below 1; got {share:g}.")
    rng = _generator(random_state)
    camera = rng.normal(0, SPEED / 2, 2)
    X = np.concatenate([_film(rng, size, n_frames, camera) for size in sizes])
    errors, drawn, lots = rng.standard_normal(X.shape), rng.uniform(-1, 1, X.shape), rng.random(X.shape)
    X += noise * errors
    X = np.where(lots < gross, drawn, X)
    X[lots > 1 - missing] = np.nan
    return X, np.repeat(np.arange(n_bodies), sizes)


def _film(rng: np.random.Generator, n_tracks: int, n_frames: int, camera: Doubles) -> Doubles:
    """Tracks of one body, at a place and with a motion of its own, while the camera pans."""
    body = RADIUS * rng.uniform(-1, 1, (n_tracks, 3))
    frames = np.arange(n_frames)
    turns = Rotation.from_rotvec(frames[:, None] * rng.normal(0, SPIN, 3)).as_matrix()
    places = rng.uniform(-0.6, 0.6, 2) + frames[:, None] * (rng.normal(0, SPEED, 2) + camera)
    seen = (body @ turns.transpose(0, 2, 1))[..., :2] + places[:, None]
    tracks: Doubles = seen.transpose(1, 0, 2).reshape(n_tracks, -1)
    return tracks


def load_hopkins(*, data_dir: Folder = None) -> list[Bunch]:
    """Load sequences of Hopkins155: tracks of points on two to five moving bodies.

    Parameters
    ----------
    data_dir : path, optional
        Folder with the release, whose files end in `_truth.mat`, at any depth; or with one file
        `hopkins*.npz` that has `names` and for each of them `X_<name>` and `y_<name>`. By default the folder
        named by SUBSPAN_DATA.

    Returns
    -------
    list of Bunch
        In the order of their names: `name`; `data` of shape (n_points, 2 * n_frames), rows
        (x_1, y_1, x_2, y_2, ...) in normalised image coordinates; `target` from 0; `n_motions`; `filename`.

    Notes
    -----
    To be cited as Roberto Tron, Rene Vidal. A Benchmark for the Comparison of 3-D Motion Segmentation
    Algorithms. CVPR 2007.

    Examples
    --------
    >>> sequences = load_hopkins()  # doctest: +SKIP
    >>> sequences[0].data.shape, sequences[0].n_motions  # doctest: +SKIP
    ((459, 58), 3)
    """
    folder = data_folder(data_dir)
    released = sorted(folder.rglob(RELEASED), key=lambda path: path.name) if folder.is_dir() else []
    if released:
        return [_released(path) for path in released]
    stored = sorted(folder.glob(STORED))
    if not stored:
        raise InputError(f"{folder}: has neither files {RELEASED} nor a file {STORED}.")
    with np.load(stored[0]) as arrays:
        names = sorted(str(name) for name in arrays["names"])
        return [_sequence(name, arrays[f"X_{name}"], arrays[f"y_{name}"], stored[0]) for name in names]


def _released(path: Path) -> Bunch:
    """One file of the release: `x` has homogeneous coordinates, points and frames, `s` the motions."""
    try:
        found = loadmat(path)
        points, motions = found["x"], found["s"]
    except (ValueError, KeyError, NotImplementedError, OSError, MatReadError) as error:
        raise InputError(f"{path}: is no sequence with coordinates x and motions s ({error}).") from None
    if points.ndim != 3 or points.shape[0] < 2 or motions.size != points.shape[1]:
        raise InputError(f"{path}: x has shape {points.shape}, and s {motions.size} entries.")
    tracks = points[:2].transpose(1, 2, 0).reshape(points.shape[1], -1)
    return _sequence(path.name.removesuffix("_truth.mat"), tracks, motions.ravel(), path)


def _sequence(name: str, tracks: NDArray[np.floating], motions: NDArray[np.integer], path: Path) -> Bunch:
    classes, target = np.unique(motions, return_inverse=True)
    return Bunch(
        name=name,
        data=np.ascontiguousarray(tracks, np.float64),
        target=target.astype(np.int64),
        n_motions=len(classes),
        filename=str(path),
    )
