"""How rows are represented by others: convergence, support and residuals."""

from __future__ import annotations

import numpy as np

from subspan.plotting import fitted
from subspan.report.axes import number
from subspan.report.charts import About, DrawnCurve, curve_chart, histogram
from subspan.report.elements import Element, h
from subspan.report.figures import absent, figure
from subspan.report.material import Material, why_not
from subspan.report.page import Section
from subspan.report.tables import Column, TableRow, cell, table


def representation_section(material: Material) -> Section:
    """Up to three plates; what is missing is said."""
    plates = [
        convergence_figure(material),
        support_figure(material),
        residuals_figure(material),
    ]
    missing = []
    if material.source is None:
        missing.append(
            "Residuals and singular values need the rows themselves: report(path, X) shows them too."
        )
    if (reason := why_not(fitted.sparse_coefficients_of, material.estimator)) is not None:
        missing.append(reason)
    content = [h("div", plates, class_="plates three"), *map(absent, missing)]
    return Section("representation", "The representation", content)


def convergence_figure(material: Material) -> Element | None:
    """Change of the coefficients in each round."""
    found = material.convergence
    if found is None:
        return None
    changes = found.changes.tolist()
    limit = None if found.tol is None else f" The search was to end at {number(found.tol)}."
    about = About(
        "convergence",
        "Change of the coefficients in each outer iteration",
        f"From {number(changes[0])} in the first to {number(changes[-1])} in the last of {len(changes)}.",
        "outer iteration",
        "relative change",
    )
    chart = curve_chart(about, [DrawnCurve("Iteration", changes)], log=True)
    rows: list[TableRow] = [[place, cell(change)] for place, change in enumerate(changes, 1)]
    numbers = table("Relative change", [Column("iteration"), Column("change")], rows)
    caption = ["How much the coefficients moved from one outer iteration to the next.", limit]
    return figure("convergence", "Convergence of the consensus", chart, caption, numbers)


def support_figure(material: Material) -> Element | None:
    """How many others stand for each row."""
    found = material.support
    if found is None:
        return None
    middle = number(float(np.median(found.sizes)))
    about = About(
        "support",
        "Coefficients of each row",
        f"Between {number(found.sizes.min())} and {number(found.sizes.max())}, {middle} in the middle.",
        "coefficients that are not zero",
        "rows",
    )
    caption = f"Half of the rows are represented by {middle} others or fewer."
    return figure("support", "Size of the supports", histogram(about, found.edges, found.counts), caption)


def residuals_figure(material: Material) -> Element | None:
    """What is left of each row."""
    found = material.residuals
    if found is None:
        return None
    about = About(
        "residuals",
        "What the representation leaves of each row",
        f"The median is {number(found.median)}.",
        "norm of the residual",
        "rows",
    )
    unit = " of rows of length 1" if material.estimator.normalize else ""
    caption = (
        f"Length of the part{unit} that the others do not explain; the median is {number(found.median)}."
    )
    return figure("residuals", "Residuals", histogram(about, found.edges, found.counts), caption)
