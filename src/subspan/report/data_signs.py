"""What the sizes, the representation and the counts of a fit say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from subspan.report.axes import number
from subspan.report.elements import short
from subspan.report.finding import Finding, Level, n_rows, named_clusters
from subspan.report.material import Material
from subspan.report.tables import percent

# A cluster smaller than this share of the middle one is suspicious.
SMALL = 0.1
# And one this many times as large, or of so many times the dimension, is no better.
LARGE_RATIO = 3
# Of what a representation leaves of a row of length 1.
WELL_REPRESENTED = 0.5
# Accuracy below which clusters are something else than the classes.
AGREEMENT = 0.7

# What is counted during a fit: how it bears on the result, what it is called and what it means.
COUNTED: dict[str, tuple[Level, str, str]] = {
    "zero_rows": ("look", "Rows of zeros", "They have no direction, and got the label -1."),
    "duplicate_rows": (
        "note",
        "Rows equal to another",
        "They were represented once, and share a label. If they are errors, remove them.",
    ),
    "empty_representations": (
        "look",
        "Rows that nothing represents",
        "Others may still be represented by them.",
    ),
    "dependent_atoms": (
        "note",
        "Dependent atoms",
        "They add nothing to those chosen before, so the next best were taken.",
    ),
    "twins": ("note", "Near copies of a row", "No row was represented by its own near copy."),
    "atoms_beyond_n_features": (
        "note",
        "Coefficients for each row beyond the number of columns",
        "No pursuit can use them without damping: n_nonzero could be smaller.",
    ),
    "unsettled": (
        "look",
        "Rows whose coefficients were not exact",
        "Their rounds ran out before; a larger max_iter gives them more.",
    ),
}


def about_sizes(material: Material) -> Iterator[Finding]:
    """Whether there are suspiciously large or small clusters, or rows in none."""
    yield from _catch_all(material)
    small = material.sizes < SMALL * np.median(material.sizes)
    if small.any():
        yield Finding(
            "look",
            f"{named_clusters(small)} {'are' if small.sum() > 1 else 'is'} very small",
            "Fewer rows than a tenth of the middle cluster: often a handful of outliers that took a "
            "cluster for themselves.",
            "Look at these rows. Without them, or with one cluster less, the others may be found better.",
        )
    if len(material.sizes) < material.estimator.n_clusters_:
        yield Finding(
            "look",
            f"Only {len(material.sizes)} of {material.estimator.n_clusters_} clusters have rows",
            "The others stayed empty.",
            "Ask for fewer clusters.",
        )
    if material.n_outside:
        yield Finding(
            "look",
            f"{n_rows(material.n_outside)} in no cluster",
            "They have the label -1.",
            " ".join(_inside_again(material.estimator.counts_)) or "Look at these rows.",
        )


def _inside_again(counts: Mapping[str, int]) -> Iterator[str]:
    """What gives such rows a cluster, by the reason why they have none."""
    if counts.get("left_out"):
        yield 'left_out="attach" gives them the cluster of the most similar row.'
    if counts.get("incomplete_rows"):
        yield 'Some lack numbers: missing="mean" fills the gaps.'
    if counts.get("zero_rows"):
        yield "Some are zero: they have no direction, so nothing can be said of them."


def _catch_all(material: Material) -> Iterator[Finding]:
    """A cluster far larger than the others, or of far higher dimension, collects what fits nowhere."""
    large = material.sizes > LARGE_RATIO * np.median(material.sizes)
    if material.singular_values is not None:
        dimensions = material.singular_values.dimensions()
        large |= dimensions > LARGE_RATIO * np.median(dimensions)
    if large.any():
        several = large.sum() > 1
        yield Finding(
            "look",
            f"{named_clusters(large)} may mix rows of several groups",
            f"{'They are' if several else 'It is'} more than {LARGE_RATIO} times as large as the middle "
            "cluster, or of as many times its dimension. Such rows may also lie near no subspace at all.",
            "Try more clusters, or look at the rows that fit worst and leave them out.",
        )


def about_representation(material: Material) -> Iterator[Finding]:
    """Whether rows follow from others, and the search had come to rest."""
    if material.residuals is not None and material.estimator.normalize:
        left = material.residuals.median
        is_good = left <= WELL_REPRESENTED
        yield Finding(
            "good" if is_good else "look",
            f"Rows are represented {'well' if is_good else 'poorly'} by others: the middle residual is "
            f"{percent(left)}",
            "Half of the rows, brought to length 1, differ by less than this from the combination of others "
            "that represents them. Damping and few coefficients make it larger without harm to the clusters.",
            "" if is_good else "Allow more coefficients, or look whether the data are near subspaces at all.",
        )
    settled = material.convergence
    if settled is not None and settled.reached is not None:
        last = percent(float(settled.changes[-1]))
        yield Finding(
            "good" if settled.reached else "note",
            "The consensus converged" if settled.reached else "The consensus had not quite converged",
            f"In the last of {len(settled.changes)} outer iterations the coefficients changed by {last}.",
        )


def about_truth(material: Material) -> Iterator[Finding]:
    """Whether clusters are the known classes, where there are any."""
    found = material.confusion
    if found is not None and found.accuracy < AGREEMENT:
        yield Finding(
            "look",
            f"Clusters and known classes differ: they agree on {percent(found.accuracy)} of the rows",
            "The clusters may follow something else in the data, or parameters and method do not suit them.",
            "Compare methods, or take other features."
            if material.by_front_door
            else "Try the front door (method auto) and compare methods.",
        )


def about_data(material: Material) -> Iterator[Finding]:
    """What was out of the ordinary, and whether another run would give the same."""
    for name, (level, what, meaning) in COUNTED.items():
        if count := material.estimator.counts_.get(name, 0):
            yield Finding(level, f"{what}: {number(count)}", meaning)
    if not isinstance(material.estimator.random_state, (int, np.integer)):
        yield Finding(
            "look",
            "No seed was given",
            "Another run may give other labels.",
            "random_state=0, or any whole number, fixes everything.",
        )
    # What the estimator itself warns of are the counts above.
    own = f"{type(material.estimator).__name__}: "
    for remark in (each for each in material.origin.remarks if not each.startswith(own)):
        yield Finding("note", "A message of the run", short(remark, 500))
