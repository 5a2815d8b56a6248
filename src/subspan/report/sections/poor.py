"""What may be done if the result is poor."""

from __future__ import annotations

from subspan.report.elements import h, with_options
from subspan.report.material import Material
from subspan.report.page import Section

LOOK = ("Look at the data.", "subspan look DATA names scales, copies, gaps and a mean that hides the rest.")
FRONT_DOOR = (
    "Use the front door.",
    "Without --method, many settings vote, and none has to be chosen. It has the options --center and "
    "--standardize, too.",
)
STEPS = (
    ("Compare methods.", "subspan compare DATA runs several of them, one beside the other."),
    (
        "Try other numbers of clusters.",
        "Leave out -k, and the number is found; or try one more and one less.",
    ),
    ("Subtract the mean.", "--center helps where all rows point in much the same direction, as images do."),
    ("Scale the columns.", "--standardize helps where they are in different units."),
    ("Change the number of coefficients.", "Too few leave the graph in pieces, too many mix the clusters."),
    (
        "Look at the worst rows.",
        "Misfits, listed for each cluster, fit badly. Errors and outliers can be left out.",
    ),
    ("Take other features.", "Subspaces may appear in gradients, wavelets or principal components."),
)


def poor_section(material: Material) -> Section:
    """Steps in the order in which they pay, without the one that was taken already."""
    first = [LOOK] if material.by_front_door else [LOOK, FRONT_DOOR]
    items = [h("li", h("strong", title), " ", with_options(text)) for title, text in (*first, *STEPS)]
    return Section("poor", "The result is poor: what now?", h("ol", items, class_="card"))
