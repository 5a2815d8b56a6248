"""Docstrings of the estimators: what is declared, and what all of them share."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import TypeVar

from subspan.parameters import Parameter, declared

__all__ = ["documented"]

Estimator = TypeVar("Estimator", bound=type)

# Width of a line in a docstring, without its indentation.
LINE_WIDTH = 100

ATTRIBUTES = """
labels_ : ndarray of shape (n_samples,)
    Cluster of each row, numbered by their first row.
representation_ : csr_array of shape (n_samples, n_samples)
    Coefficients; row j represents point j.
affinity_ : csr_array of shape (n_samples, n_samples)
    The graph that was cut.
embedding_ : ndarray of shape (n_samples, n_components)
    Points in the space of the leading eigenvectors, rows of unit norm.
eigenvalues_ : ndarray
    Leading eigenvalues of the normalised affinity, largest first.
certificate_ : Certificate
    Evidence that these are the leading eigenvectors.
n_iter_ : int
    Outer iterations run.
changes_ : tuple of float
    Relative change of the coefficients at each outer iteration.
stage_seconds_ : dict
    Seconds taken by "representation", "affinity", "embedding" and "labeling".
peak_memory_ : int or None
    Largest memory of the process up to the end of `fit`, in bytes; None where the system does not tell.
counts_ : dict
    What was out of the ordinary: zero and duplicate rows, empty representations, dependent atoms,
    twins, unsettled points, connected components, isolated points, points left out of the embedding.
n_features_in_ : int
    Number of columns seen by `fit`.
feature_names_in_ : ndarray
    Their names, if they were strings.
n_clusters_ : int
    Number of clusters that was used.
n_components_ : int
    Number of eigenvectors that was used.
seed_ : int
    Seed of everything that was drawn at random.
n_threads_ : int
    Number of threads that was used.
"""


def _edited(text: str, changes: dict[str, str]) -> str:
    """The text with some passages replaced, each of which it has."""
    for old, new in changes.items():
        if old not in text:
            raise AssertionError(old)
        text = text.replace(old, new)
    return text


# For methods that compute block by block.
BLOCK_ATTRIBUTES = _edited(
    ATTRIBUTES,
    {
        "row j represents point j.": (
            "row j represents point j. Those that the memory budget keeps on disk are read\n"
            "    when they are asked for: ``representation_[start:stop]``; all by ``representation_.tocsr()``"
        ),
        "The graph that was cut.": (
            "The graph that was cut. For 32768 points and more of which at most half are atoms it is not\n"
            "    formed: ``affinity_.tocsr()`` does so."
        ),
    },
)

# For methods whose coefficients are a product of thin matrices.
DENSE_GRAPH = """
Every point has a coefficient on every other. `representation_` is therefore kept as `Factors`, thin
matrices whose product they are, while `affinity_` is a dense array of n_samples^2 numbers. If these do
not fit into `memory_budget`, the data are refused before any work.
"""


def summary(declaration: type) -> str:
    """What a method is, in one line: the docstring of its declaration."""
    return (declaration.__doc__ or "").partition("\n")[0]


def documented(estimator: Estimator) -> Estimator:
    """Complete the docstring of an estimator, in which names in braces stand on lines of their own.

    ``{parameters}`` is the section about what it declares. ``{attributes}`` and ``{block_attributes}`` are
    sections that are the same for all methods; attributes of its own may follow on the next line.
    ``{dense_graph}`` is a note. If its first base is nothing but a declaration, the first line is that of the
    declaration.
    """
    sections = {
        "parameters": _section("Parameters", parameter_list(declared(estimator))),
        "attributes": _section("Attributes", ATTRIBUTES),
        "block_attributes": _section("Attributes", BLOCK_ATTRIBUTES),
        "dense_graph": DENSE_GRAPH.strip(),
    }

    def filled(placeholder: re.Match[str]) -> str:
        return textwrap.indent(sections[placeholder[2]], placeholder[1])

    text = re.sub(r"^( *)\{(\w+)\}$", filled, estimator.__doc__ or "", flags=re.MULTILINE)
    declaration = estimator.__bases__[0]
    estimator.__doc__ = text if hasattr(declaration, "fit") else f"{summary(declaration)}\n\n    {text}"
    return estimator


def _section(heading: str, entries: str) -> str:
    return f"{heading}\n{'-' * len(heading)}\n{entries.strip()}"


def parameter_list(parameters: Iterable[Parameter]) -> str:
    """Parameters in numpy's style.

    Examples
    --------
    >>> from subspan.parameters import Shared
    >>> print(parameter_list(declared(Shared)[:1]))
    n_clusters : int, default=8
        Number of clusters n.
    """
    return "\n".join(
        f"{each.name} : {each.type}, default={_as_written(each.default)}\n"
        + textwrap.fill(
            each.meaning,
            LINE_WIDTH,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for each in parameters
    )


def _as_written(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)
