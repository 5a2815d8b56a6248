"""One file for each published method: its parameters, its paper, an example and a short body."""

from subspan.methods.s3comp import S3COMP, S3COMPC
from subspan.methods.ssc_omp import SSCOMP

__all__ = ["S3COMP", "S3COMPC", "SSCOMP"]
