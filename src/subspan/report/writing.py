"""From a fitted estimator to a page on disk."""

from __future__ import annotations

from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from subspan import __version__
from subspan.base import SubspaceMethod
from subspan.execution.files import whole_file
from subspan.execution.threads import single_threaded_libraries
from subspan.handover import InputError
from subspan.report.elements import Element, h, name_of, short
from subspan.report.material import Known, Material, Origin, gather
from subspan.report.members import members
from subspan.report.page import page
from subspan.report.sections.again import again_section
from subspan.report.sections.clusters import clusters_section
from subspan.report.sections.data import data_section
from subspan.report.sections.graph import graph_section
from subspan.report.sections.maps import map_section
from subspan.report.sections.members import members_section
from subspan.report.sections.poor import poor_section
from subspan.report.sections.representation import representation_section
from subspan.report.sections.run import run_section
from subspan.report.sections.summary import findings_section, summary_section
from subspan.report.sections.truth import truth_section
from subspan.report.verdict import findings


def write_report(
    estimator: SubspaceMethod,
    path: str | PathLike[str],
    X: Any = None,
    *,
    origin: Origin | None = None,
    **known: Unpack[Known],
) -> Path:
    """Write a page about a fitted estimator: one HTML file that needs nothing else.

    Parameters
    ----------
    estimator : SubspaceMethod
        Fitted.
    path, X
        As for `SubspaceMethod.report`.
    origin : Origin, optional
        What only the caller of the run knows: its command and its messages.
    **known
        `truth`, `names`, `image_shape` and `image_order`, as for `SubspaceMethod.report`.

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
    material = gather(estimator, X, origin=origin, **known)
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
        data_section(material),
        clusters_section(material, each),
        map_section(material),
        findings_section(found),
        truth_section(material),
        graph_section(material),
        representation_section(material),
        members_section(material, each),
        poor_section(material),
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
        f"Subspace clustering with {material.method_name}, {_today()} \N{MIDDLE DOT} ",
        again,
        class_="soft",
    )


def _today() -> str:
    now = datetime.now(UTC)
    return f"{now.day} {now:%B %Y}"
