"""Forty clusters have forty colours that can be told apart and seen, on light and on dark pages."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from subspan.report.colours import COLOURS, colour

# What figures stand on, light and dark.
CARDS = ("#ffffff", "#1d2128")
# A just noticeable difference is 0.02 in this space.
LEAST_DIFFERENCE = 0.06
# What WCAG asks of parts of a figure.
LEAST_CONTRAST = 3


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(colour: str) -> np.ndarray:
    """Coordinates in Ottosson's OKLab, where distances are those that are seen."""
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(axes) @ np.cbrt(np.array(cones) @ linear(colour))


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_colours_are_told_apart_and_seen(page):
    own = [pair[page] for pair in COLOURS]
    assert len(own) == 40
    nearest = min(np.linalg.norm(oklab(one) - oklab(other)) for one, other in combinations(own, 2))
    assert nearest > LEAST_DIFFERENCE
    for each in own:
        dark, light = sorted((luminance(each), luminance(CARDS[page])))
        assert (light + 0.05) / (dark + 0.05) >= LEAST_CONTRAST, each


def test_more_clusters_share_them():
    assert [colour(cluster) for cluster in (-1, 0, 39, 40)] == ["none", "c0", "c39", "c0"]
