"""What the graph says: its spectrum, its pieces, its weight, and how clusters hold together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from subspan.report.axes import number
from subspan.report.finding import Finding, Level, n_rows, named_clusters
from subspan.report.material import Material
from subspan.report.tables import percent

# A gap that is as wide as this, and this many times as wide as the next, is a clear one.
LEAST_GAP, CLEAR = 0.05, 1.5
# Shares of the weight inside clusters: above the first few edges cross, below the second most do.
WELL_APART, MIXED = 0.8, 0.5
# A cluster whose connectivity is below this is held together by few edges.
WEAK = 0.01
# Rows outside the embedding, as a share, that put the result in doubt.
MANY_OUTSIDE = 0.05
MORE_COEFFICIENTS = (
    "More coefficients for each row (n_nonzero), or a larger dictionary, connect the graph better."
)


def about_spectrum(material: Material) -> Iterator[Finding]:
    """Whether the spectrum drops where the clusters end."""
    estimator, spectrum = material.estimator, material.spectrum
    if not estimator.certificate_.converged:
        yield Finding(
            "doubt",
            "The eigenvectors are in doubt",
            f"Their search ended in doubt ({estimator.certificate_.doubt}), so embedding and clusters "
            "may differ from what the graph really says.",
            "Run again with another seed. Often the graph falls into too many pieces: connect it better.",
        )
    if spectrum is None or spectrum.gap_at_n_clusters is None:
        yield Finding(
            "note",
            "There is no spectrum to judge by",
            "This run clustered without eigenvalues beyond the number of clusters.",
        )
        return
    yield _gap(spectrum.eigenvalues, material)


def _gap(values: NDArray[np.float64], material: Material) -> Finding:
    """What the drop after the k-th eigenvalue says, beside the others in its neighbourhood."""
    estimator = material.estimator
    k, pieces = estimator.n_clusters_, estimator.counts_["components"]
    gaps = values[:-1] - values[1:]
    # Early gaps are wide in any graph, and the first only tells that it is in one piece.
    first = max(min(2, k), k // 2)
    at = first + int(np.argmax(gaps[first - 1 :]))
    fall = f"from {number(values[at - 1])} to {number(values[at])}"
    second = np.sort(np.append(gaps[first - 1 :], 0.0))[-2]
    is_clear = gaps[at - 1] >= max(LEAST_GAP, CLEAR * second)
    if pieces == k or (is_clear and at == k):
        drop = (
            f"The eigenvalues drop most clearly after number {k}, {fall}" if at == k else "One for each piece"
        )
        return Finding(
            "good",
            f"The spectrum speaks for {k} cluster{'s' * (k > 1)}",
            f"{drop}: as many directions stand out as there are clusters.",
        )
    if is_clear:
        remedy = f"If {at} clusters make sense, try that number."
        # Members of the front door have as many as they need.
        if estimator.n_components != "auto" and not material.by_front_door:
            remedy += ' If not, n_components="auto" gives the embedding as many directions.'
        return Finding(
            "look",
            f"The spectrum drops after {at} eigenvalues, not after {k}",
            f"Around that number the clearest drop is {fall}.",
            remedy,
        )
    return Finding(
        "note",
        "The spectrum does not tell the number of clusters",
        f"The eigenvalues fall evenly around number {k}, without a clear drop. That is common with real "
        "data, and means that the number of clusters has to be known from elsewhere.",
    )


def about_number(material: Material) -> Iterator[Finding]:
    """What the evidence says, where the number of clusters was to be found."""
    tried = getattr(material.estimator, "n_clusters_tried_", None)
    if tried is None:
        return
    in_doubt = tried.weak or bool(tried.rivals)
    yield Finding(
        "doubt" if not tried.shows_clusters else "look" if in_doubt else "good",
        tried.verdict.removesuffix("."),
        tried.reasons,
        "If you know the number of clusters, give it." if in_doubt or not tried.shows_clusters else "",
    )


def about_components(material: Material) -> Iterator[Finding]:
    """Into how many pieces the graph falls."""
    counts, k = material.estimator.counts_, material.estimator.n_clusters_
    pieces, n_points = counts["components"], len(material.labels)
    if material.graph is None:
        return
    if pieces == 1:
        yield Finding(
            "good", "The graph is in one piece", "Every row that has an edge can be reached from every other."
        )
    elif pieces <= k:
        same = "exactly as many pieces as there are clusters" if pieces == k else f"{pieces} pieces"
        yield Finding(
            "good",
            f"The graph falls into {same}",
            "No edge leads from one piece to another, so no row can have been drawn into a foreign piece.",
        )
    else:
        yield _too_many_pieces(material, pieces, k)
    if counts["isolated_points"]:
        alone = counts["isolated_points"]
        yield Finding(
            "look" if alone < MANY_OUTSIDE * n_points else "doubt",
            f"{n_rows(alone)} without any edge",
            "Nothing represents them and they represent nothing. They may be outliers.",
            MORE_COEFFICIENTS,
        )


def _too_many_pieces(material: Material, pieces: int, k: int) -> Finding:
    left_out = material.estimator.counts_["left_out"]
    attached = material.estimator.left_out == "attach" and material.estimator.affinity == "self_expressive"
    fate = "joined the cluster of the most similar row" if attached else "are in no cluster"
    return Finding(
        "look" if left_out < MANY_OUTSIDE * len(material.labels) else "doubt",
        f"The graph falls into {pieces} pieces, more than {k} clusters",
        f"The largest pieces were cut into clusters; the {n_rows(left_out)} of the others {fate}.",
        MORE_COEFFICIENTS,
    )


def about_weight(material: Material) -> Iterator[Finding]:
    """How much of the graph lies inside clusters."""
    if material.affinity is None or len(material.sizes) < 2:
        return
    inside = material.affinity.inside_total
    shares = material.sizes / material.sizes.sum()
    level: Level = "good" if inside >= WELL_APART else "look" if inside >= MIXED else "doubt"
    yield Finding(
        level,
        f"{'' if level == 'good' else 'Only '}{percent(inside)} of the graph's weight stays inside clusters",
        "Rows are mostly represented by rows of their own cluster if this is high. Clusters of these "
        f"sizes drawn at random would keep {percent(float(shares @ shares))}.",
        ""
        if level == "good"
        else "Fewer coefficients for each row, or more regularization, keep edges inside.",
    )


def about_connectivity(material: Material) -> Iterator[Finding]:
    """Whether each cluster holds together."""
    found = material.connectivity
    if found is None:
        return
    # A single row has nothing to fall apart from.
    broken = (found.values == 0) & (found.sizes > 1)
    weak = (found.values > 0) & (found.values < WEAK)
    if not broken.any() and not weak.any():
        weakest = int(np.argmin(found.values))
        yield Finding(
            "good",
            "Every cluster holds together",
            f"The weakest is cluster {weakest}, with a connectivity of {number(found.values[weakest])}; "
            "0 would mean that it falls apart.",
        )
    if broken.any():
        yield Finding(
            "look",
            f"{named_clusters(broken)} {'fall' if broken.sum() > 1 else 'falls'} into pieces",
            "Inside them some rows have no path of edges to the others: they may be several groups in "
            "one, or contain rows that joined by similarity alone.",
            MORE_COEFFICIENTS,
        )
    if weak.any():
        yield Finding(
            "look",
            f"{named_clusters(weak)} only just {'hold' if weak.sum() > 1 else 'holds'} together",
            f"With a connectivity below {WEAK}, a few edges decide whether this is one group or two.",
            "Try one cluster more, and see whether it falls apart there. " + MORE_COEFFICIENTS,
        )
