"""Colours of clusters, on light and on dark pages."""

from __future__ import annotations

import colorsys

# The first ones are told apart by all eyes: light page, dark page.
CHOSEN = (
    ("#0072b2", "#56a9e0"), ("#d55e00", "#f2803d"), ("#00876a", "#2fc79c"), ("#b4528f", "#e39bc4"),
    ("#c98500", "#f2b63c"), ("#3a9bd6", "#9ad7f7"), ("#332288", "#a594f0"), ("#7a7400", "#e6da52"),
)  # fmt: skip
# More clusters share colours, and are told apart by their numbers.
N_COLOURS = 40
# Neighbours in a list of hues that turns by this much are far from each other.
GOLDEN_TURN = 0.618034
LIGHT_PAGE, DARK_PAGE = (0.30, 0.42, 0.52), (0.60, 0.70, 0.80)


def _drawn(place: int, levels: tuple[float, ...]) -> str:
    hue, level = (place * GOLDEN_TURN) % 1, levels[place % len(levels)]
    parts = colorsys.hls_to_rgb(hue, level, 0.65)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


COLOURS = (
    *CHOSEN,
    *((_drawn(place, LIGHT_PAGE), _drawn(place, DARK_PAGE)) for place in range(len(CHOSEN), N_COLOURS)),
)


def colour(cluster: int) -> str:
    """The class that gives a mark the colour of its cluster; -1 is grey."""
    return f"c{cluster % N_COLOURS}" if cluster >= 0 else "none"


def colour_style() -> str:
    """The style sheet of these classes."""
    values = "".join(f" --c{n}: light-dark({light}, {dark});" for n, (light, dark) in enumerate(COLOURS))
    classes = " ".join(f".c{n} {{ --own: var(--c{n}); }}" for n in range(N_COLOURS))
    return f":root {{{values} }}\n{classes}\n"


def palette() -> bytes:
    """Grey for no cluster, then the colours of a light page: three bytes each."""
    return bytes.fromhex("8b929b") + b"".join(bytes.fromhex(light[1:]) for light, _ in COLOURS)
