"""Methods by name: what the command line and the experiments read.

The built-in ones have the short names of the literature. Others are called ``file.py:Class``, or what
the package that installed them says.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from subspan.handover import InputError
from subspan.methods import declarations, outside
from subspan.parameters import Shared

if TYPE_CHECKING:
    from subspan.base import SubspaceMethod

# Short names resemble each other, so a suggestion must be more similar than usual.
SIMILAR = 0.7


class MethodPlace(NamedTuple):
    """Where a method is: its module, the class in it, and what it declares."""

    module: str
    estimator: str
    # Importing the class takes seconds; its declaration is available at once.
    declaration: type[Shared]


PLACES = {
    "auto": MethodPlace(
        "subspan.tuning.front_door", "SubspaceClustering", declarations.SubspaceClusteringParameters
    ),
    "s3comp": MethodPlace("subspan.methods.s3comp", "S3COMP", declarations.S3COMPParameters),
    "s3comp-c": MethodPlace("subspan.methods.s3comp", "S3COMPC", declarations.S3COMPCParameters),
    "ssc-omp": MethodPlace("subspan.methods.ssc_omp", "SSCOMP", declarations.SSCOMPParameters),
    "ensc": MethodPlace("subspan.methods.ensc", "ElasticNetSC", declarations.ElasticNetSCParameters),
    "lsr": MethodPlace("subspan.methods.lsr", "LSR", declarations.LSRParameters),
    "lrsc": MethodPlace("subspan.methods.lrsc", "LRSC", declarations.LRSCParameters),
    "scc": MethodPlace("subspan.methods.scc", "SCC", declarations.SCCParameters),
    "olrsc": MethodPlace("subspan.methods.olrsc", "OLRSC", declarations.OLRSCParameters),
    "sr-ssc": MethodPlace("subspan.methods.sr_ssc", "SRSSC", declarations.SRSSCParameters),
    "esc": MethodPlace("subspan.methods.esc", "ESC", declarations.ESCParameters),
}


class _Methods(Mapping[str, "type[SubspaceMethod]"]):
    """Built-in estimators by name, each imported when it is asked for: names alone cost no time."""

    def __getitem__(self, name: str) -> type[SubspaceMethod]:
        place = PLACES[name]
        module = importlib.import_module(place.module)
        found: type[SubspaceMethod] = getattr(module, place.estimator)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


METHODS: Mapping[str, type[SubspaceMethod]] = _Methods()


def names() -> list[str]:
    """Names of the built-in methods, then of those that other packages have installed."""
    return [*PLACES, *(name for name in outside.installed() if name not in PLACES)]


def find(name: str) -> str:
    """The name as it is spelled here; the error about an unknown name suggests a similar one.

    Examples
    --------
    >>> from subspan.methods import registry
    >>> registry.find("S3COMP-C")
    's3comp-c'
    """
    known = name.lower()
    if known in PLACES:
        return known
    if outside.is_in_file(name):
        outside.from_file(name)
        return name
    if known in outside.installed():
        outside.from_package(known)
        return known
    close = get_close_matches(known, names(), n=1, cutoff=SIMILAR)
    known_names = ", ".join(names())
    hint = f"; did you mean {close[0]!r}?" if close else f"; there are {known_names}, and FILE.py:CLASS."
    raise InputError(f"There is no method {name!r}{hint}")


def get(name: str) -> type[SubspaceMethod]:
    """The estimator class of a method, which is imported now.

    Examples
    --------
    >>> from subspan.methods import registry
    >>> registry.get("s3comp-c").__name__
    'S3COMPC'
    """
    name = find(name)
    if name in PLACES:
        outside.refuse_namesake(name)
        return METHODS[name]
    return outside.from_file(name) if outside.is_in_file(name) else outside.from_package(name)


def place(name: str) -> MethodPlace:
    """Where a method is; only one from outside the package is imported for that.

    Examples
    --------
    >>> from subspan.methods import registry
    >>> registry.place("lsr").declaration.__name__
    'LSRParameters'
    """
    if name in PLACES:
        return PLACES[name]
    estimator = get(name)
    # A class is its own declaration.
    return MethodPlace(outside.home(estimator), estimator.__name__, estimator)
