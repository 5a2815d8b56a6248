"""Descriptions that several estimators share, written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import TypeVar

Estimator = TypeVar("Estimator", bound=type)

SECTIONS = {
    "n_clusters": """
n_clusters : int, default=8
    Number of clusters n.
""",
    "pursuit": """
residual_tol : float, default=1e-3
    A pursuit ends early once the norm of its residual is at most this (epsilon).
""",
    "stages": """
normalize : bool, default=True
    Bring every row to unit norm first, as the paper does in all experiments.
zero_rows : {"raise", "label"}, default="raise"
    A zero row has no direction: refuse the data, or give such rows the label -1.
duplicates : {"merge", "keep"}, default="merge"
    Represent equal rows once and give copies the label of the first, or treat every row as a point.
affinity : {"self_expressive", "precomputed", "precomputed_representation"}, default="self_expressive"
    What `fit` is given: points; a symmetric non-negative graph (sparse or dense); or a matrix of
    coefficients, row j representing point j.
scale : {"max", "l2"} or None, default=None
    Divide each point's coefficients by their largest magnitude or by their norm before symmetrising.
n_components : int, "auto" or None, default=None
    Number of eigenvectors. None means `n_clusters`; "auto" takes the number after which the spectrum
    has its widest gap, `n_clusters` or more.
n_init : int, default=20
    Starts of k-means.
left_out : {"attach", "label"}, default="attach"
    Points without any edge, and connected components in excess of `n_clusters`: give them the label
    of the most similar point, or the label -1.
memory_budget : int, str or None, default=None
    What Gram matrices may take, such as "2GB"; None means a share of the free memory. It decides how
    the coefficients are computed, not what they are.
n_jobs : int or None, default=None
    Threads. None and -1 mean all cores the process may use. The result does not depend on it.
random_state : int, RandomState or None, default=None
    Fixes everything that is drawn at random.
verbose : bool, default=False
    Show on stderr which stage `fit` is in, how far it is, how fast, and how long it still takes.
""",
    "attributes": """
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
""",
}


def _edited(text: str, changes: Mapping[str, str]) -> str:
    """The text with some passages replaced, each of which it has."""
    for old, new in changes.items():
        if old not in text:
            raise AssertionError(old)
        text = text.replace(old, new)
    return text


WORK_DIR = """work_dir : str, path or None, default=None
    A folder for finished blocks of coefficients. A fit that was interrupted goes on from there when the
    same call is made again; other data, parameters or seeds are refused. Needs a fixed `random_state`.
"""
# For methods that compute block by block; in the order of their arguments.
SECTIONS["block_stages"] = _edited(
    SECTIONS["stages"],
    {
        "What Gram matrices may take, such as": "What the whole process may take, such as",
        "a share of the free memory. It decides how": (
            "half of the free memory at most, more\n    only where nothing fits into that. It decides how"
        ),
        "the coefficients are computed, not what they are.": (
            "the work is done, not what comes out. One that is too small is refused before any work, with\n"
            "    the smallest that would do; see `plan`."
        ),
        "n_jobs : ": WORK_DIR + "n_jobs : ",
    },
)
SECTIONS["block_attributes"] = _edited(
    SECTIONS["attributes"],
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
# For methods that say themselves what happens to the rows at first.
SECTIONS["later_stages"] = SECTIONS["stages"][SECTIONS["stages"].index("duplicates : ") :]


def documented(estimator: Estimator) -> Estimator:
    """Fill in the shared parts of an estimator's docstring."""
    parameters = inspect.signature(estimator).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    estimator.__doc__ = filled(estimator.__doc__ or "", defaults)
    return estimator


def filled(documentation: str, defaults: Mapping[str, object]) -> str:
    """Replace each line ``{section}`` by the shared text of that name.

    Defaults in the shared text become those of the estimator.
    """

    def default(match: re.Match[str]) -> str:
        return match[1] + (_as_written(defaults[match[2]]) if match[2] in defaults else match[3])

    def text(match: re.Match[str]) -> str:
        section = re.sub(r"^((\w+) : .*default=)(.+)$", default, SECTIONS[match[2]], flags=re.MULTILINE)
        lines = section.strip("\n").split("\n")
        return "\n".join(match[1] + line if line else line for line in lines)

    return re.sub(r"^( *)\{(\w+)\}$", text, documentation, flags=re.MULTILINE)


def _as_written(default: object) -> str:
    if isinstance(default, str):
        return f'"{default}"'
    return "1e-3" if default == 1e-3 else str(default)
