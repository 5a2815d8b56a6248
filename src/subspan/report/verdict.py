"""All signs together, and the result in one paragraph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from subspan.plotting.numbers import Confusion
from subspan.report import data_signs, graph_signs
from subspan.report.axes import number
from subspan.report.calibration import RIGHT, group_of
from subspan.report.elements import short
from subspan.report.finding import MOST_NAMED, Finding, Level
from subspan.report.material import Material
from subspan.report.tables import percent

NO_GROUP = "No number of this run tells whether it is right: it has too few rows, or only a graph is known."
# Accuracy below which a result is in doubt, whatever else it looks like, and a class that is as good as lost.
POOR, LOST = 0.6, 0.5


def findings(material: Material) -> list[Finding]:
    """All signs, those of the graph first."""
    return [
        *graph_signs.about_spectrum(material),
        *graph_signs.about_number(material),
        *graph_signs.about_components(material),
        *graph_signs.about_weight(material),
        *graph_signs.about_connectivity(material),
        *data_signs.about_sizes(material),
        *data_signs.about_representation(material),
        *data_signs.about_truth(material),
        *data_signs.about_data(material),
    ]


def level_of(material: Material) -> Level:
    """What is known of the result, where the classes are; what calibration says of such runs elsewhere."""
    if not material.estimator.certificate_.converged:
        return "doubt"
    known = material.confusion
    if known is not None:
        if known.accuracy < POOR:
            return "doubt"
        return "look" if known.accuracy < RIGHT or lost_classes(known) else "good"
    group = group_of(material.evidence)
    return "note" if group is None else group.level


def lost_classes(known: Confusion) -> list[str]:
    """Classes of which less than half of the rows are in the cluster that stands for them."""
    sizes = known.table.sum(axis=1)
    matched = np.zeros(len(sizes))
    matched[: known.n_matched] = np.diagonal(known.table)[: known.n_matched]
    return [str(known.classes[place]) for place in np.flatnonzero(matched < LOST * sizes)]


def verdict(material: Material, found: Sequence[Finding]) -> str:
    """What was done, how it compares with the truth if that is known, and which signs bear on it."""
    sentences = [_what(material)]
    if material.confusion is not None:
        sentences.append(
            f"Compared with the known classes, {percent(material.confusion.accuracy)} of the rows are in "
            "the right cluster."
        )
        lost = lost_classes(material.confusion)
        if lost:
            names = ", ".join(map(short, lost[:MOST_NAMED]))
            sentences.append(f"Less than half is found of: {names}.")
    else:
        group = group_of(material.evidence)
        sentences.append(NO_GROUP if group is None else group.statement())
    grave = [finding.title for finding in found if finding.level in ("doubt", "look")]
    firm = [finding.title for finding in found if finding.level == "good"]
    if grave:
        sentences.append(f"To look at: {'; '.join(map(_inside, grave))}.")
    if firm:
        sentences.append(f"What speaks for it: {'; '.join(map(_inside, firm))}.")
    return " ".join(sentences)


def _what(material: Material) -> str:
    sizes = material.sizes
    is_points = material.estimator.affinity == "self_expressive"
    of_points = f" of {number(material.estimator.n_features_in_)} numbers" if is_points else ""
    spread = (
        f"{number(sizes.min())} to {number(sizes.max())}"
        if len(set(sizes.tolist())) > 1
        else number(sizes[0])
    )
    clusters = "clusters" if len(sizes) > 1 else "cluster"
    return (
        f"{material.method_name} sorted {number(len(material.labels))} rows{of_points} into {len(sizes)} "
        f"{clusters} of {spread} rows."
    )


def _inside(title: str) -> str:
    """A title in the middle of a sentence."""
    return title[0].lower() + title[1:]
