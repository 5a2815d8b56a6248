"""Stage 2: a symmetric graph from coefficients, and checks of graphs and coefficients handed in."""

from subspan.affinity.handed_in import check_coefficients, check_graph
from subspan.affinity.symmetrize import symmetric_affinity

__all__ = ["check_coefficients", "check_graph", "symmetric_affinity"]
