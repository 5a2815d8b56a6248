"""Methods by the short names of the literature: what the command line and the experiments read."""

from __future__ import annotations

from difflib import get_close_matches

from subspan.base import SubspaceClusterer
from subspan.handover import InputError
from subspan.methods.ensc import ElasticNetSC
from subspan.methods.esc import ESC
from subspan.methods.lrsc import LRSC
from subspan.methods.lsr import LSR
from subspan.methods.olrsc import OLRSC
from subspan.methods.s3comp import S3COMP, S3COMPC
from subspan.methods.scc import SCC
from subspan.methods.sr_ssc import SRSSC
from subspan.methods.ssc_omp import SSCOMP

# Names this short resemble each other: a suggestion takes more than the usual likeness.
SIMILAR = 0.7

METHODS: dict[str, type[SubspaceClusterer]] = {
    "s3comp": S3COMP,
    "s3comp-c": S3COMPC,
    "ssc-omp": SSCOMP,
    "ensc": ElasticNetSC,
    "lsr": LSR,
    "lrsc": LRSC,
    "scc": SCC,
    "olrsc": OLRSC,
    "sr-ssc": SRSSC,
    "esc": ESC,
}


def get(name: str) -> type[SubspaceClusterer]:
    """The estimator class of a method.

    Examples
    --------
    >>> from subspan.methods import registry
    >>> registry.get("s3comp-c").__name__
    'S3COMPC'
    """
    try:
        return METHODS[name.lower()]
    except KeyError:
        close = get_close_matches(name.lower(), METHODS, n=1, cutoff=SIMILAR)
        hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(METHODS)}."
        raise InputError(f"There is no method {name!r}{hint}") from None
