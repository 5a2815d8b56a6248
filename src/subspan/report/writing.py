"""From a fitted estimator to a page on disk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from subspan import __version__
from subspan.base import SubspaceClusterer
from subspan.execution.files import whole_file
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import InputError
from subspan.report.elements import Element, h, name_of, short
from subspan.report.material import Material, Origin, gather
from subspan.report.members import members
from subspan.report.page import page
from subspan.report.sections.again import again_section
from subspan.report.sections.clusters import clusters_section
from subspan.report.sections.graph import graph_section
from subspan.report.sections.members import members_section
from subspan.report.sections.representation import representation_section
from subspan.report.sections.run import run_section
from subspan.report.sections.summary import findings_section, summary_section
from subspan.report.sections.truth import truth_section
from subspan.report.verdict import findings


def write_report(
    estimator: SubspaceClusterer,
    path: str | PathLike[str],
    X: Any = None,
    *,
    truth: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
    image_order: Literal["C", "F"] = "C",
    origin: Origin | None = None,
) -> Path:
    """Write a page about a fitted estimator: one HTML file that needs nothing else.

    Parameters
    ----------
    estimator : SubspaceClusterer
        Fitted.
    path : path
        Where the page goes; it is there as a whole or not at all.
    X : array-like of shape (n_samples, n_features), path or source, optional
        The data of the fit. Residuals, singular values and pictures of rows need them.
    truth : array-like of shape (n_samples,), optional
        Known classes, to compare the clusters with.
    names : sequence of str, optional
        Names of the rows, instead of their numbers; for a folder of images those of the files.
    image_shape : tuple, optional
        (height, width) or (height, width, 3) if rows are images; a folder of images knows it.
    image_order : {"C", "F"}, default="C"
        Whether their pixels are stored line by line, or column by column as MATLAB does.
    origin : Origin, optional
        What only the caller of the run knows: its command and its messages.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    InputError
        If the data, the truth or the names are not those of the fit, or the path is no place for a file.

    Examples
    --------
    >>> import tempfile
    >>> from subspan import S3COMPC
    >>> from subspan.datasets import make_union_of_subspaces
    >>> X, y = make_union_of_subspaces(3, 2, 10, 30, random_state=0)
    >>> model = S3COMPC(n_clusters=3, n_nonzero=2, random_state=0).fit(X)
    >>> write_report(model, Path(tempfile.mkdtemp()) / "report.html", X, truth=y).name
    'report.html'
    """
    place = Path(path)
    if not place.parent.is_dir():
        raise InputError(f"path: there is no folder {place.parent}.")
    if place.is_dir():
        raise InputError(f"path: {place} is a folder.")
    material = gather(
        estimator,
        X,
        truth=truth,
        names=names,
        image_shape=image_shape,
        image_order=image_order,
        origin=origin,
    )
    # The same page whatever the number of threads, and many small matrices are no work for several.
    with single_threaded_libraries():
        text = render(material)
    with whole_file(place) as file:
        file.write(text.encode("utf-8"))
    return place


def render(material: Material) -> str:
    """The page as text."""
    found, each = findings(material), members(material)
    sections = [
        summary_section(material, found),
        clusters_section(material, each),
        findings_section(found),
        truth_section(material),
        graph_section(material),
        representation_section(material),
        members_section(material, each),
        again_section(material),
        run_section(material),
    ]
    # An array in memory has no name of its own.
    name = None if material.data == "X" else short(Path(material.data).name)
    title = f"{len(material.sizes)} clusters"
    return page(
        title if name is None else [f"{title} in ", name_of(name)],
        f"{title} - subspan" if name is None else f"{title} in {name} - subspan",
        _lead(material),
        [section for section in sections if section is not None],
        h(
            "p",
            f"Written by subspan {__version__} on {_today()}. This page is one file and needs no network.",
        ),
    )


def _lead(material: Material) -> Element:
    again = h("a", "how to run it again", href="#again")
    return h(
        "p",
        f"Subspace clustering with {material.method.upper()}, {_today()} \N{MIDDLE DOT} ",
        again,
        class_="soft",
    )


def _today() -> str:
    now = datetime.now(UTC)
    return f"{now.day} {now:%B %Y}"
