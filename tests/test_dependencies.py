"""Nothing older is allowed than the first release without a weakness that is known."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The first release that has been mended.
MENDED = {
    "numpy": ("1.22", "CVE-2021-41496"),
    "scipy": ("1.10", "CVE-2023-25399"),
    "scikit-learn": ("1.5", "CVE-2024-5206"),
    "joblib": ("1.2", "CVE-2022-21797"),
    "pillow": ("11.3", "CVE-2025-48379"),
    "pyarrow": ("14.0.1", "CVE-2023-47248"),
    "distributed": ("2026.1.1", "CVE-2026-23528"),
    "cryptography": ("44.0.1", "CVE-2024-12797"),
}
WANTED = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]


def release(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


@pytest.mark.parametrize("name", MENDED)
def test_floors_are_above_known_weaknesses(name: str) -> None:
    floors = [found[1] for each in WANTED if (found := re.match(rf"{name}(?:\[.*\])?>=([\d.]+)", each))]
    assert floors
    assert all(release(floor) >= release(MENDED[name][0]) for floor in floors)
