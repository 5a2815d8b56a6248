"""The graph that was cut: its spectrum, its picture, its embedding, and how well clusters hold together."""

from __future__ import annotations

import numpy as np

from subspan.plotting import fitted
from subspan.report.axes import drawing, frame, number
from subspan.report.charts import About, bars, scatter
from subspan.report.elements import Element, h
from subspan.report.figures import absent, figure
from subspan.report.material import Material, why_not
from subspan.report.page import Section
from subspan.report.shades import grid
from subspan.report.tables import Column, TableRow, cell, percent, table

# Of the weights in a picture, those above this share of the others are drawn as dark as can be.
DARKEST = 0.995


def graph_section(material: Material) -> Section:
    """Four plates, or a word about why there are fewer."""
    plates = [
        spectrum_figure(material),
        connectivity_figure(material),
        affinity_figure(material),
        embedding_figure(material),
    ]
    content = [h("div", plates, class_="plates")]
    if (reason := why_not(fitted.affinity_of, material.estimator)) is not None:
        content.append(absent(reason))
    return Section("graph", "The graph", content)


def spectrum_figure(material: Material) -> Element | None:
    """Eigenvalues, with the gap after as many as there are clusters."""
    found = material.spectrum
    if found is None:
        return None
    values, k = found.eigenvalues.tolist(), material.estimator.n_clusters_
    low = min(0.0, *values) if values[-1] < 0.5 else max(0.0, values[-1] - 0.15 * (values[0] - values[-1]))
    place = frame((0.4, len(values) + 0.6), (low, max(values) + 0.03 * (values[0] - low)))
    marks = [
        h(
            "circle",
            class_=f"dot {'c0' if order <= k else 'none'}",
            cx=place.x(order),
            cy=place.y(value),
            r=4 if len(values) < 60 else 2.5,
            data_tip=f"Eigenvalue {order}: {number(value, 4)}",
        )
        for order, value in enumerate(values, 1)
    ]
    band = None
    if found.gap_at_n_clusters is not None:
        left, right = place.x(k), place.x(k + 1)
        top = place.y.stop
        band = h(
            "rect", class_="gap", x=left, y=top, width=round(right - left, 1), height=place.y.start - top
        )
    ticks = [tick for tick in place.x.ticks() if tick == int(tick) and tick >= 1]
    title = f"Leading {len(values)} eigenvalues of the normalised graph"
    description = f"They fall from {number(values[0])} to {number(values[-1])}; " + (
        f"between number {k} and {k + 1} the drop is {number(found.gap_at_n_clusters)}."
        if found.gap_at_n_clusters is not None
        else "none was computed beyond the number of clusters."
    )
    chart = drawing("spectrum", title, description, band, place.axes("number", "eigenvalue", ticks), marks)
    rows: list[TableRow] = [[order, cell(value, f"{value:.5f}")] for order, value in enumerate(values, 1)]
    numbers = table("Eigenvalues", [Column("number"), Column("eigenvalue")], rows)
    caption = (
        f"The shaded step follows number {k}, the number of clusters: a drop there speaks for that number."
    )
    return figure("spectrum", "Eigenvalues", chart, caption, numbers)


def affinity_figure(material: Material) -> Element | None:
    """The graph as a picture, rows ordered by cluster."""
    found = material.affinity
    if found is None:
        return None
    filled = found.grid[found.grid > 0]
    top = float(np.quantile(filled, DARKEST)) if filled.size else 1.0
    # The root lifts weak edges out of the background.
    shades = np.sqrt(np.clip(found.grid / top, 0, 1))
    cells, n_rows = len(found.grid), int(found.boundaries[-1])
    bounds = found.boundaries[1:-1] * cells / n_rows
    middles = (found.boundaries[:-1] + found.boundaries[1:]) / 2 * cells / n_rows
    names = [
        (float(middle), str(cluster))
        for middle, cluster in zip(middles, found.clusters.tolist(), strict=True)
        if cluster >= 0
    ]
    about = About(
        "affinity",
        "The graph, ordered by cluster",
        f"{percent(found.inside_total)} of the weight lies in the squares on the diagonal, inside clusters.",
        "rows, ordered by cluster",
        "cluster",
    )
    caption = (
        "Stronger colour: heavier edges. Squares on the diagonal are clusters; colour elsewhere joins them."
    )
    return figure("affinity", "Who represents whom", grid(about, shades, bounds.tolist(), names), caption)


def embedding_figure(material: Material) -> Element:
    """The points that k-means saw."""
    found = material.embedding
    labels = np.asarray(found.clusters)[found.cluster]
    seen = percent(sum(found.shares))
    by_neighbours = found.drawn_by == "t-SNE"
    how = "drawn by t-SNE" if by_neighbours else f"the plane holds {seen} of the variance"
    about = About(
        "embedding",
        "Rows in the spectral embedding",
        f"{number(len(found.rows))} of {number(found.n_embedded)} rows, coloured by cluster; {how}.",
    )
    thinned = len(found.rows) < found.n_embedded
    shown = f"{number(len(found.rows))} of {number(found.n_embedded)} rows are shown. " if thinned else ""
    numbered = "Numbers are those of clusters, where there is room; point at a row to see its own. "
    meaning = f"This plane holds {seen} of the variance: groups that overlap here may lie apart."
    if by_neighbours:
        meaning = "Drawn by t-SNE: neighbours stay neighbours, but distances between groups mean nothing."
    caption = f"{shown}{numbered}{meaning}"
    return figure("embedding", "The embedding", scatter(about, found.coordinates, labels), caption)


def connectivity_figure(material: Material) -> Element | None:
    """How well each cluster holds together."""
    found = material.connectivity
    if found is None:
        return None
    values = found.values.tolist()
    weakest = int(np.argmin(found.values))
    about = About(
        "connectivity",
        "Connectivity of each cluster",
        f"From {number(min(values))} in cluster {weakest} to {number(max(values))}.",
        "cluster",
        "connectivity",
    )
    tips = [f"Cluster {cluster}: {number(value)}" for cluster, value in enumerate(values)]
    caption = (
        "The second smallest eigenvalue of the normalised Laplacian inside each cluster: 0 if it falls "
        "into pieces, larger the better it holds together."
    )
    return figure("connectivity", "How clusters hold together", bars(about, values, tips), caption)
