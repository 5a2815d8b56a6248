"""What the paper's data sets are, where they come from and how their files are named.

Light on purpose: the command line reads it before any scientific library is imported.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from subspan.handover import InputError

# Traffic signs by their number in the release. The paper does not list its 14 classes; this choice has its
# 12 390 images.
TRAFFIC_SIGNS = {
    12: "priority road",
    13: "give way",
    14: "stop",
    15: "no vehicles",
    16: "no lorries",
    17: "no entry",
    32: "end of all limits",
    34: "left only",
    35: "straight only",
    36: "straight or right",
    37: "straight or left",
    38: "pass on the right",
    39: "pass on the left",
    40: "roundabout",
}


@dataclass(frozen=True)
class DatasetInfo:
    """One data set: the size of its release and the words that lead to it."""

    name: str
    title: str
    n_rows: int
    n_columns: int
    n_classes: int
    # What a person has to get hold of.
    release: str
    description: str

    @property
    def filename(self) -> str:
        """Name of the file in the data folder."""
        return f"{self.name}.npz"

    @property
    def build_command(self) -> str:
        """What makes the file from the release."""
        return f"subspan datasets build {self.name} --from PATH"


DATASETS = {
    info.name: info
    for info in (
        DatasetInfo(
            "extended_yale_b",
            "Extended Yale B",
            n_rows=2414,
            n_columns=2016,
            n_classes=38,
            release=(
                "the cropped images of the Extended Yale Face Database B (CroppedYale, "
                "folders yaleB01 to yaleB39)"
            ),
            description=(
                "Frontal faces of 38 people under 64 lights (18 images of the 2432 are not in the release), "
                "192 x 168 pixels reduced to 48 x 42. The images of one face under all lights lie near a "
                "subspace of about nine dimensions. For research only; to be cited as Georghiades, Belhumeur "
                "and Kriegman (2001) and Lee, Ho and Kriegman (2005)."
            ),
        ),
        DatasetInfo(
            "coil100",
            "COIL-100",
            n_rows=7200,
            n_columns=1024,
            n_classes=100,
            release=(
                "the PNG files of the Columbia Object Image Library COIL-100 (obj1__0.png to obj100__355.png)"
            ),
            description=(
                "100 objects on a turntable, one image every 5 degrees, 128 x 128 pixels in colour turned "
                "to grey and reduced to 32 x 32. For research only; to be cited as Nene, Nayar and Murase "
                "(1996)."
            ),
        ),
        DatasetInfo(
            "mnist",
            "MNIST",
            n_rows=70_000,
            n_columns=784,
            n_classes=10,
            release="the four idx files of MNIST (train-images-idx3-ubyte.gz and its three companions)",
            description=(
                "Handwritten digits of 28 x 28 pixels: 60 000 training images, then 10 000 test images. "
                "To be cited as LeCun, Bottou, Bengio and Haffner (1998)."
            ),
        ),
        DatasetInfo(
            "gtsrb",
            "GTSRB",
            n_rows=12_390,
            n_columns=1600,
            n_classes=14,
            release=(
                "the training images of the German Traffic Sign Recognition Benchmark "
                "(GTSRB_Final_Training_Images, with one CSV file for each class)"
            ),
            description=(
                "Photographs of traffic signs of 14 kinds with the border around them, in grey and 40 x 40 "
                "pixels; 30 images were taken of every physical sign while a car came closer (its track). "
                "The sizes of the classes differ tenfold. To be cited as Stallkamp, Schlipsing, Salmen and "
                "Igel (2012)."
            ),
        ),
    )
}


def find_dataset(name: str) -> DatasetInfo:
    """The data set of this name.

    Examples
    --------
    >>> find_dataset("mnist").n_rows
    70000
    """
    if name not in DATASETS:
        raise InputError(f"There is no data set {name!r}; there are {', '.join(DATASETS)}.")
    return DATASETS[name]


def data_folder(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """The folder of the data files: the argument, or else the environment variable SUBSPAN_DATA.

    Examples
    --------
    >>> data_folder("some/folder").name
    'folder'
    """
    chosen = data_dir or os.environ.get("SUBSPAN_DATA")
    if not chosen:
        raise InputError(
            "No data folder is known: give data_dir (--data-dir), or set SUBSPAN_DATA to its path."
        )
    return Path(chosen).expanduser()
