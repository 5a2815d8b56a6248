"""What the plots show, as numbers: plain functions on arrays, without a picture.

Labels may be of any type; the number -1 means "in no cluster". An affinity is a sparse or dense matrix,
`Factors` whose product it is, or anything with `shape` and `tocsr()`; points are an array, path or source.
"""

from subspan.plotting.numbers.affinity import OrderedAffinity, ordered_affinity
from subspan.plotting.numbers.confusion import Confusion, confusion
from subspan.plotting.numbers.connectivity import ClusterConnectivity, cluster_connectivity
from subspan.plotting.numbers.convergence import Convergence, convergence
from subspan.plotting.numbers.embedding import EmbeddingPlane, embedding_neighbours, embedding_plane
from subspan.plotting.numbers.evidence import NumberEvidence, number_evidence
from subspan.plotting.numbers.representatives import Representatives, representatives, tiles
from subspan.plotting.numbers.residuals import Residuals, residuals
from subspan.plotting.numbers.settings import SettingScores, setting_scores
from subspan.plotting.numbers.singular_values import SingularValues, singular_values
from subspan.plotting.numbers.spectrum import Spectrum, spectrum
from subspan.plotting.numbers.support import SupportSizes, support_sizes

__all__ = [
    "ClusterConnectivity",
    "Confusion",
    "Convergence",
    "EmbeddingPlane",
    "NumberEvidence",
    "OrderedAffinity",
    "Representatives",
    "Residuals",
    "SettingScores",
    "SingularValues",
    "Spectrum",
    "SupportSizes",
    "cluster_connectivity",
    "confusion",
    "convergence",
    "embedding_neighbours",
    "embedding_plane",
    "number_evidence",
    "ordered_affinity",
    "representatives",
    "residuals",
    "setting_scores",
    "singular_values",
    "spectrum",
    "support_sizes",
    "tiles",
]
