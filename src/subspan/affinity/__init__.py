"""Stage 2: a symmetric graph from coefficients, and checks of graphs and coefficients handed in."""

from subspan.affinity.dense import DENSE, dense_affinity
from subspan.affinity.handed_in import check_coefficients, check_graph, undamaged
from subspan.affinity.implicit import ImplicitAffinity
from subspan.affinity.symmetrize import symmetric_affinity

__all__ = [
    "DENSE",
    "ImplicitAffinity",
    "check_coefficients",
    "check_graph",
    "dense_affinity",
    "symmetric_affinity",
    "undamaged",
]
