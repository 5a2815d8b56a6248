"""The clusters against the known classes."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from subspan.plotting.numbers import Confusion
from subspan.report.axes import number
from subspan.report.charts import About
from subspan.report.elements import Element, h, name_of, short
from subspan.report.figures import figure
from subspan.report.material import Material
from subspan.report.page import Section
from subspan.report.shades import grid
from subspan.report.tables import Column, TableRow, cell, pairs, percent, scroll, table

# Up to this many classes and clusters, the counts are readable one by one.
MOST_TABLE_CELLS = 25
MOST_MISTAKES = 12
# Of the name of a class beside the picture.
LONGEST_IN_PICTURE = 17
# Shares of a class from which a cell has the shade of that number.
SHADES = (0.0, 0.1, 0.3, 0.6)


def truth_section(material: Material) -> Section | None:
    """Scores, the table of classes and clusters, and the most frequent mistakes."""
    found = material.confusion
    if found is None:
        return None
    scores = [
        ("Accuracy", percent(found.accuracy)),
        (
            "Normalised mutual information",
            number(normalized_mutual_info_score(material.truth, material.labels)),
        ),
        ("Adjusted Rand index", number(adjusted_rand_score(material.truth, material.labels))),
    ]
    small = max(found.table.shape) <= MOST_TABLE_CELLS
    return Section(
        "truth",
        "Against the known classes",
        [
            pairs(scores, "figures", grouped=True),
            h("div", _counts(found) if small else _picture(found), class_="spaced"),
            _mistakes(found),
        ],
    )


def _counts(found: Confusion) -> Element:
    head = [h("th", "class \\ cluster", scope="col", class_="text")]
    head += [h("th", _cluster(label), scope="col") for label in found.clusters.tolist()]
    sums = np.maximum(found.table.sum(axis=1), 1)
    body = [
        h(
            "tr",
            h("th", name_of(name), scope="row", class_="text"),
            [_cell(row, column, int(count), count / sums[row], found) for column, count in enumerate(counts)],
        )
        for row, (name, counts) in enumerate(zip(found.classes.tolist(), found.table, strict=True))
    ]
    caption = (
        "Rows of each class (down) in each cluster (across). Clusters stand in the order of the classes "
        "they match; matches are framed."
    )
    content = h(
        "table",
        h("caption", h("span", caption)),
        h("thead", h("tr", head)),
        h("tbody", body),
        class_="confusion",
    )
    return scroll("Classes and clusters", content)


def _cell(row: int, column: int, count: int, share: float, found: Confusion) -> Element:
    shade = sum(share > limit for limit in SHADES)
    match = "match" if row == column and row < found.n_matched else ""
    return h("td", number(count), class_=f"{f's{shade}' if shade else 'zero'} {match}".strip())


def _cluster(label: object) -> str:
    return "none" if label == -1 else str(label)


def _picture(found: Confusion) -> Element:
    shares = found.table / np.maximum(found.table.sum(axis=1, keepdims=True), 1)
    about = About(
        "confusion",
        "Share of each class in each cluster",
        f"{percent(found.accuracy)} of the rows lie on the diagonal, where a cluster meets the class it "
        "matches.",
        "clusters, in the order of the classes they match",
        "classes",
    )
    caption = (
        "Stronger colour means a larger share of the class. "
        "Off the diagonal, a class is split or lies in a foreign cluster."
    )
    places = enumerate(found.classes.tolist())
    names = [(place + 0.5, _with_ends(name)) for place, name in places]
    chart = grid(about, shares, names=names)
    return h("div", figure("confusion", "Classes and clusters", chart, caption), class_="plates")


def _with_ends(name: object) -> str:
    """A name that is not too long, with its end, which is often all that differs.

    Examples
    --------
    >>> _with_ends("photographs of person 07")
    'photogra…erson 07'
    """
    words, half = short(name), LONGEST_IN_PICTURE // 2
    return words if len(words) <= LONGEST_IN_PICTURE else f"{words[:half]}…{words[-half:]}"


def _mistakes(found: Confusion) -> Element | None:
    """The largest numbers of rows of a class in a cluster that is not its own."""
    rest = found.table.copy()
    matched = np.arange(found.n_matched)
    rest[matched, matched] = 0
    order = np.argsort(-rest, axis=None, kind="stable")[:MOST_MISTAKES]
    rows: list[TableRow] = []
    for row, column in zip(*np.unravel_index(order, rest.shape), strict=True):
        if rest[row, column] == 0:
            break
        size = int(found.table[row].sum())
        of_cluster = name_of(found.classes[column]) if column < found.n_matched else "no class"
        rows.append(
            [
                name_of(short(found.classes[row])),
                _cluster(found.clusters[column]),
                of_cluster,
                cell(int(rest[row, column])),
                cell(rest[row, column] / size, percent(rest[row, column] / size)),
            ]
        )
    if not rows:
        return None
    columns = [
        Column("class", True),
        Column("lies in cluster"),
        Column("which matches", True),
        Column("rows"),
        Column("share of the class"),
    ]
    return h("div", table("The most frequent mistakes", columns, rows, sortable=True), class_="spaced")
