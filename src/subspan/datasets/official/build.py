"""From a folder of an official release to the file that the loaders read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from subspan.datasets.catalog import data_folder, find_dataset
from subspan.datasets.official import coil, gtsrb, idx, yale
from subspan.datasets.official.release import Collected
from subspan.datasets.stored import Stored, write_images
from subspan.handover import InputError

COLLECTORS: dict[str, Callable[[Path, bool], Collected]] = {
    "extended_yale_b": yale.collect_yale,
    "coil100": coil.collect_coil,
    "mnist": idx.collect_idx,
    "gtsrb": gtsrb.collect_gtsrb,
}


def build_dataset(
    name: str,
    source: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Stored:
    """Make the data file of a set from its official release.

    Parameters
    ----------
    name : str
        "extended_yale_b", "coil100", "mnist" or "gtsrb".
    source : path
        Folder of the unpacked release; the files may lie a few folders below it.
    data_dir : path, optional
        Folder for the result; by default the one named by SUBSPAN_DATA.
    progress : bool
        Show progress on stderr.

    Returns
    -------
    Stored
        Path and size of the file. It replaces an older one only when it is complete.

    Examples
    --------
    >>> build_dataset("mnist", "downloads/mnist", data_dir="data")  # doctest: +SKIP
    Stored(path=PosixPath('data/mnist.npz'), n_rows=70000, n_columns=784, n_classes=10)
    """
    info = find_dataset(name)
    folder = data_folder(data_dir)
    root = Path(source).expanduser()
    if not root.is_dir():
        raise InputError(
            f"{root} is not a folder: unpack {info.release} and give the folder that holds them."
        )
    collected = COLLECTORS[name](root, progress)
    return write_images(info, folder, collected.images, collected.y, **collected.more)
