"""Methods by the short names of the literature: what the command line and the experiments read."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from subspan.handover import InputError

if TYPE_CHECKING:
    from subspan.base import SubspaceClusterer

# Names this short resemble each other: a suggestion takes more than the usual likeness.
SIMILAR = 0.7

# Where each of them is: the file beside this one, and the class in it.
PLACES = {
    "s3comp": ("s3comp", "S3COMP"),
    "s3comp-c": ("s3comp", "S3COMPC"),
    "ssc-omp": ("ssc_omp", "SSCOMP"),
    "ensc": ("ensc", "ElasticNetSC"),
    "lsr": ("lsr", "LSR"),
    "lrsc": ("lrsc", "LRSC"),
    "scc": ("scc", "SCC"),
    "olrsc": ("olrsc", "OLRSC"),
    "sr-ssc": ("sr_ssc", "SRSSC"),
    "esc": ("esc", "ESC"),
}


class _Methods(Mapping[str, "type[SubspaceClusterer]"]):
    """Estimators by name, each imported when it is asked for: names alone cost no time."""

    def __getitem__(self, name: str) -> type[SubspaceClusterer]:
        module, estimator = PLACES[name]
        found: type[SubspaceClusterer] = getattr(
            importlib.import_module(f"subspan.methods.{module}"), estimator
        )
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


METHODS: Mapping[str, type[SubspaceClusterer]] = _Methods()


def find(name: str) -> str:
    """The name as it is written here; an unknown one is answered with the likely one.

    Examples
    --------
    >>> from subspan.methods import registry
    >>> registry.find("S3COMP-C")
    's3comp-c'
    """
    known = name.lower()
    if known in PLACES:
        return known
    close = get_close_matches(known, PLACES, n=1, cutoff=SIMILAR)
    hint = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(PLACES)}."
    raise InputError(f"There is no method {name!r}{hint}")


def get(name: str) -> type[SubspaceClusterer]:
    """The estimator class of a method.

    Examples
    --------
    >>> from subspan.methods import registry
    >>> registry.get("s3comp-c").__name__
    'S3COMPC'
    """
    return METHODS[find(name)]
