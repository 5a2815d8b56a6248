"""How pictures look, and where matplotlib comes from."""

from __future__ import annotations

from typing import Any

from subspan.extras import optional_import

# The colours of Okabe and Ito, which people with any kind of colour vision tell apart.
COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7")
MARKERS = "osD^vP*X<>"
# Of pictures that are written to a file.
STYLE = {
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    # Names inside the file come from this word instead of chance: the same numbers give the same file.
    "svg.hashsalt": "subspan",
}


def require_matplotlib(module: str = "matplotlib") -> Any:
    """The library or one of its modules, or an error that says how to install it."""
    return optional_import(module, package="matplotlib", extra="plots")
