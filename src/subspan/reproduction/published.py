"""The numbers that the paper printed, read from one CSV file for each of its tables."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Beside this module in an installed package, in `benchmarks` of a checkout.
HERE = Path(__file__).parent
FOLDERS = (HERE / "published", HERE.parents[2] / "benchmarks" / "published")


@dataclass(frozen=True)
class Published:
    """The cells of one table, as printed."""

    cells: dict[tuple[str, str, str], str]

    def text(self, method: str, dataset: str, metric: str) -> str:
        """What stands in a cell; "-" if the table has no such cell."""
        return self.cells.get((method, dataset, metric), "-")

    def number(self, method: str, dataset: str, metric: str) -> float | None:
        """The number in a cell; None where a dash or a letter says why there is none."""
        return number_in(self.text(method, dataset, metric))

    def methods(self, dataset: str) -> list[str]:
        """Methods compared on a data set, in the order of the table."""
        return list(dict.fromkeys(method for method, of, _ in self.cells if of == dataset))


def published(table: str) -> Published:
    """The table of this name.

    Examples
    --------
    >>> table = published("table-eyaleb")
    >>> table.number("S3COMP-C", "EYaleB", "accuracy")
    87.41
    >>> table.text("SCC", "EYaleB", "sre")
    '-'
    """
    return Published(_cells(table))


def published_parameter(dataset: str, letter: str) -> float:
    """The paper's lambda or delta on a data set.

    Examples
    --------
    >>> published_parameter("COIL100", "lambda"), published_parameter("synthetic-320", "delta")
    (0.6, 0.4)
    """
    table = "parameters-synthetic" if dataset.startswith("synthetic") else "parameters-real"
    return float(_cells(table)["S3COMP-C", dataset, letter])


def number_in(text: str) -> float | None:
    """The number a text stands for, if it does.

    Examples
    --------
    >>> number_in("0.0550"), number_in("M")
    (0.055, None)
    """
    try:
        return float(text)
    except ValueError:
        return None


@cache
def _cells(table: str) -> dict[tuple[str, str, str], str]:
    folder = next(folder for folder in FOLDERS if folder.is_dir())
    with (folder / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return {
            (line["method"], line["dataset"], line["metric"]): line["value"] for line in csv.DictReader(file)
        }
