"""One file for each published method: its parameters, its paper, an example and a short body."""

from subspan.methods.ensc import ElasticNetSC
from subspan.methods.esc import ESC
from subspan.methods.lrsc import LRSC
from subspan.methods.lsr import LSR
from subspan.methods.olrsc import OLRSC
from subspan.methods.s3comp import S3COMP, S3COMPC
from subspan.methods.scc import SCC
from subspan.methods.sr_ssc import SRSSC
from subspan.methods.ssc_omp import SSCOMP

__all__ = ["ESC", "LRSC", "LSR", "OLRSC", "S3COMP", "S3COMPC", "SCC", "SRSSC", "SSCOMP", "ElasticNetSC"]
