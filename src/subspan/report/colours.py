"""Colours of clusters, on light and on dark pages."""

from __future__ import annotations

# Light page, dark page. The first eight are told apart by all eyes. Of those after them each is far from all
# before it, in OKLab, among colours with a contrast of 3 or more.
COLOURS = (
    ("#0072b2", "#56a9e0"), ("#d55e00", "#f2803d"), ("#00876a", "#2fc79c"), ("#b4528f", "#e39bc4"),
    ("#c98500", "#f2b63c"), ("#3a9bd6", "#9ad7f7"), ("#332288", "#a594f0"), ("#7a7400", "#e6da52"),
    ("#520029", "#ff0a85"), ("#005200", "#0aff0a"), ("#850085", "#ff38ff"), ("#14223d", "#4770c2"),
    ("#e33be3", "#f7c9f7"), ("#17a12e", "#79ec8c"), ("#534232", "#b49c83"), ("#850000", "#ff3838"),
    ("#5c00b8", "#b266ff"), ("#0000b8", "#6666ff"), ("#b8005c", "#ff66b3"), ("#360052", "#ad0aff"),
    ("#899358", "#d2d7bc"), ("#25331f", "#7aa366"), ("#3d3253", "#9383b4"), ("#005252", "#0affff"),
    ("#456373", "#9fb9c6"), ("#632163", "#cd6acd"), ("#9c00eb", "#db94ff"), ("#4d6321", "#accd6a"),
    ("#8a5c2e", "#d9b28c"), ("#004eeb", "#94b8ff"), ("#428500", "#9cff38"), ("#3d1b14", "#c25c47"),
    ("#a1172e", "#ec798c"), ("#895893", "#d2bcd7"), ("#17a173", "#79ecc6"), ("#b80099", "#ff66e5"),
    ("#850058", "#ff38bd"), ("#5c4573", "#b29fc6"), ("#eb0000", "#ff9494"), ("#003db8", "#6699ff"),
)  # fmt: skip
# More clusters share colours, and are told apart by their numbers.
N_COLOURS = len(COLOURS)


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
