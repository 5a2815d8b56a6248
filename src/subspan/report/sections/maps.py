"""The pixels of a cube in the colours of their clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from subspan.report.elements import Element, h
from subspan.report.material import Material
from subspan.report.page import Section
from subspan.report.png import label_uri
from subspan.sources import PixelSource

# Pixels of a picture in the page; a larger image is shown with some of its pixels only.
MOST_PIXELS = 400_000


def map_section(material: Material) -> Section | None:
    """The map of the clusters, beside that of the classes; None if rows are no pixels."""
    source = material.source
    if not isinstance(source, PixelSource):
        return None
    plates = [_plate("Clusters", source.label_map(material.labels))]
    if material.confusion is not None:
        plates.append(_plate("Known classes", source.label_map(_like_clusters(material))))
    height, width = source.map_shape
    introduction = h(
        "p",
        f"{height} lines of {width} pixels, in the colours of their clusters. Grey pixels have no label. A "
        "class has the colour of the cluster that matches it.",
        class_="soft",
    )
    return Section("map", "The map", [introduction, h("div", plates, class_="plates")])


def _like_clusters(material: Material) -> NDArray[np.int64]:
    """For each row the cluster that matches its class; classes without one come after all clusters."""
    found = material.confusion
    assert found is not None
    assert material.truth is not None
    n_clusters = len(material.sizes)
    matching = [
        int(found.clusters[place]) if place < found.n_matched else n_clusters + place
        for place in range(len(found.classes))
    ]
    place_of_class = {name: place for place, name in enumerate(found.classes.tolist())}
    return np.array([matching[place_of_class[name]] for name in material.truth.tolist()])


def _plate(title: str, labels: NDArray[np.int64]) -> Element:
    step = max(1, int(np.ceil(np.sqrt(labels.size / MOST_PIXELS))))
    picture = h("img", src=label_uri(labels[::step, ::step]), alt=f"{title} as an image", class_="map")
    return h("figure", h("figcaption", h("h3", title)), picture, class_="card")
