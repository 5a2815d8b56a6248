"""All signs together, and the result in one paragraph."""

from __future__ import annotations

from collections.abc import Sequence

from subspan.report import data_signs, graph_signs
from subspan.report.axes import number
from subspan.report.finding import Finding, Level
from subspan.report.material import Material
from subspan.report.tables import percent

# Shapes, so that nobody has to tell colours apart.
SIGNS: dict[Level, str] = {
    "good": "✓ In order",
    "note": "• For information",
    "look": "▲ Worth a look",
    "doubt": "✕ In doubt",
}
OPENINGS: dict[Level, str] = {
    "good": "All signs that can be read from the data agree with this result.",
    "look": "Most of the result stands on firm ground, but some of it deserves a look.",
    "doubt": "Treat this result with care: something in it is in doubt.",
}


def findings(material: Material) -> list[Finding]:
    """All signs, those of the graph first."""
    return [
        *graph_signs.about_spectrum(material),
        *graph_signs.about_components(material),
        *graph_signs.about_weight(material),
        *graph_signs.about_connectivity(material),
        *data_signs.about_sizes(material),
        *data_signs.about_representation(material),
        *data_signs.about_truth(material),
        *data_signs.about_data(material),
    ]


def level_of(found: Sequence[Finding]) -> Level:
    """The gravest of all."""
    levels = {finding.level for finding in found}
    return "doubt" if "doubt" in levels else "look" if "look" in levels else "good"


def verdict(material: Material, found: Sequence[Finding]) -> str:
    """What was done, how it compares with the truth if that is known, and which signs bear on it."""
    sentences = [_what(material)]
    if material.confusion is not None:
        sentences.append(
            f"Compared with the known classes, {percent(material.confusion.accuracy)} of the rows are in "
            "the right cluster."
        )
    sentences.append(OPENINGS[level_of(found)])
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
        f"{material.method.upper()} sorted {number(len(material.labels))} rows{of_points} into {len(sizes)} "
        f"{clusters} of {spread} rows."
    )


def _inside(title: str) -> str:
    """A title in the middle of a sentence."""
    return title[0].lower() + title[1:]
