"""The clusters side by side: a table that sorts, their sizes, and how low their dimensions are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from subspan.report.axes import number
from subspan.report.charts import About, DrawnCurve, bars, curve_chart
from subspan.report.colours import colour
from subspan.report.download import labels_link
from subspan.report.elements import Element, h, name_of
from subspan.report.figures import figure
from subspan.report.material import Material
from subspan.report.members import MEASURES, Member
from subspan.report.page import Section
from subspan.report.tables import Cell, Column, TableRow, cell, pairs, percent, table

# With more clusters than this their table scrolls in a frame.
MANY = 15


def clusters_section(material: Material, each: Sequence[Member]) -> Section:
    """A table, and two charts."""
    plates = h("div", _bars(material), singular_values_figure(material), class_="plates spaced")
    return Section("clusters", "Clusters", [_table(each), _meanings(each), labels_link(material), plates])


def _meanings(each: Sequence[Member]) -> Element:
    known = [(name, MEASURES[name]) for name in each[0].measures]
    return h("details", h("summary", "What the columns mean"), pairs(known))


def _table(found: Sequence[Member]) -> Element:
    columns = [Column("cluster"), Column("rows"), Column("share")]
    columns += [Column(name) for name in found[0].measures]
    has_truth = found[0].main_class is not None
    columns += [Column("main class", True), Column("its share")] if has_truth else []
    rows: list[TableRow] = [_row(one) for one in found]
    marks = [{"data_cluster": one.cluster} for one in found]
    caption = "Press a heading to sort by it; a number leads to the cluster."
    return table(caption, columns, rows, sortable=True, tall=len(found) > MANY, attributes=marks)


def _row(one: Member) -> TableRow:
    link = h("a", one.cluster, href=f"#cluster-{one.cluster}")
    cells: TableRow = [
        Cell([swatch(one.cluster), link], one.cluster),
        cell(one.size),
        cell(one.share, percent(one.share)),
    ]
    cells += one.measures.values()
    if one.main_class is not None:
        cells += [name_of(one.main_class), cell(one.purity, percent(one.purity))]
    return cells


def swatch(cluster: int) -> Element:
    """A dot in the colour of the cluster."""
    return h("span", class_=f"swatch {colour(cluster)}", aria_hidden="true")


def _bars(material: Material) -> Element:
    sizes = material.sizes.tolist()
    about = About(
        "sizes",
        "Rows of each cluster",
        f"From {number(min(sizes))} to {number(max(sizes))}, {number(float(np.median(sizes)))} in the "
        "middle.",
        "cluster",
        "rows",
    )
    tips = [f"Cluster {cluster}: {number(size)} rows" for cluster, size in enumerate(sizes)]
    return figure("sizes", "Sizes", bars(about, sizes, tips), "Clusters are numbered by their first row.")


def singular_values_figure(material: Material) -> Element | None:
    """How the energy of a cluster is spread over directions."""
    found = material.singular_values
    if found is None or found.energy.shape[1] < 2:
        return None
    drawn = [
        DrawnCurve(f"Cluster {cluster}", energy.tolist(), f"{colour(cluster)} many")
        for cluster, energy in enumerate(found.energy)
    ]
    dimensions = found.dimensions()
    about = About(
        "singular-values",
        "Energy in the leading directions of each cluster",
        f"To hold 95 % of a cluster's energy it takes {number(dimensions.min())} to "
        f"{number(dimensions.max())} directions.",
        "directions",
        "share of the energy",
    )
    columns = [Column("cluster"), *(Column(f"{share} %") for share in (50, 80, 90, 95))]
    spread = [found.dimensions(share) for share in (0.5, 0.8, 0.9, 0.95)]
    most = found.energy.shape[1]
    rows: list[TableRow] = [
        [
            cluster,
            *(cell(count[cluster], None if count[cluster] <= most else f"> {most}") for count in spread),
        ]
        for cluster in range(len(drawn))
    ]
    numbers = table("Directions that hold this share of the energy", columns, rows, sortable=True)
    first = percent(float(np.median(found.energy[:, 0])))
    caption = (
        "A curve that rises fast means a cluster of low dimension. "
        f"One direction alone holds {first} in the middle cluster."
    )
    return figure(
        "singular-values", "Singular values of each cluster", curve_chart(about, drawn), caption, numbers
    )
