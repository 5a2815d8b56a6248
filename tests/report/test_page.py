"""The page as a parser sees it."""

from __future__ import annotations

import base64
import hashlib
import re
from copy import copy
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from pages import HOSTILE, Tag, parse, skeleton

from subspan import LSR, S3COMPC, SubspaceClustering
from subspan.affinity.implicit import ImplicitAffinity
from subspan.methods import registry
from subspan.report.material import Origin
from subspan.sources import ArraySource

SECTIONS = ["summary", "clusters", "findings", "graph", "representation", "members", "poor", "again", "run"]
FIGURES = ["sizes", "singular-values", "spectrum", "connectivity", "affinity", "embedding"]
FIGURES += ["convergence", "support", "residuals"]


def check_structure(root: Tag) -> None:
    """What must hold of every page."""
    everything = root.all()
    ids = [tag.attributes["id"] for tag in everything if "id" in tag.attributes]
    assert len(ids) == len(set(ids))
    for tag in everything:
        for place in tag.attributes.get("aria-labelledby", "").split():
            assert place in ids
        if tag.attributes.get("href", "").startswith("#"):
            assert tag.attributes["href"][1:] in ids
        assert "style" not in tag.attributes
        assert not [name for name in tag.attributes if name.startswith("on")]
    assert all(table.find("caption") for table in root.find("table"))
    assert all(
        table.find("th", scope="col") and table.find("th", scope="row") for table in root.find("table")
    )
    assert all(picture.attributes["alt"] for picture in root.find("img"))
    for drawing in root.find("svg"):
        assert drawing.attributes["role"] == "img"
        assert drawing.find("title")[0].words()
        assert drawing.find("desc")[0].words()
    levels = [int(tag.name[1]) for tag in everything if re.fullmatch("h[1-6]", tag.name)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    for landmark in ("header", "nav", "main", "footer"):
        assert len(root.find(landmark)) == 1
    [skip] = root.find("a", class_="skip")
    assert skip.attributes["href"] == f"#{root.find('main')[0].attributes['id']}"


def check_policy(root: Tag) -> None:
    """Only our own style and script, known by their hashes, and nothing from elsewhere."""
    [policy] = root.find("meta", http_equiv="Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.attributes["content"].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    for name in ("style", "script"):
        [element] = root.find(name)
        digest = hashlib.sha256(element.text.encode()).digest()
        assert rules[f"{name}-src"] == f"'sha256-{base64.b64encode(digest).decode()}'"
    for tag in root.all():
        for attribute in ("src", "href"):
            address = tag.attributes.get(attribute, "")
            assert re.match("#|data:(image/png|text/csv|application/gzip);base64,|$", address)


def test_every_section_and_figure_is_there(model, points, page_of):
    X, y = points
    root = parse(page_of(model, X, truth=y, image_shape=(3, 4)))
    check_structure(root)
    check_policy(root)
    wanted = ["summary", "data", *SECTIONS[1:3], "truth", *SECTIONS[3:]]
    assert [section.attributes["id"] for section in root.find("section")] == wanted
    links = [link.attributes["href"] for link in root.find("nav")[0].find("a")]
    assert links == [f"#{key}" for key in wanted]
    assert [figure.attributes["id"] for figure in root.find("figure")] == FIGURES
    assert len(root.find("article")) == 3
    assert len(root.find("img")) == 18


def test_without_truth_and_data_the_page_says_what_is_missing(model, page_of):
    root = parse(page_of(model))
    check_structure(root)
    assert [section.attributes["id"] for section in root.find("section")] == SECTIONS
    figures = [figure.attributes["id"] for figure in root.find("figure")]
    assert figures == [key for key in FIGURES if key not in ("singular-values", "residuals")]
    [representation] = root.find("section", id="representation")
    assert "report(path, X)" in representation.words()
    assert not root.find("img")


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
@pytest.mark.parametrize("name", registry.METHODS)
def test_every_method_has_a_page(name, points, page_of):
    X, y = points
    estimator = registry.get(name)(3, random_state=0).fit(X)
    root = parse(page_of(estimator, X, truth=y))
    check_structure(root)
    check_policy(root)
    [again] = root.find("section", id="again")
    assert f"subspan cluster DATA --method {name} --n-clusters 3 --random-state 0" in again.words()
    assert f"{type(estimator).__name__}(n_clusters=3, random_state=0).fit(X)" in again.words()
    sizes = np.bincount(estimator.labels_).tolist()
    shown = [row.find("td")[0].attributes["data-value"] for row in table_of(root, "clusters").find("tr")[1:]]
    assert [int(value) for value in shown] == sizes


def table_of(root: Tag, section: str) -> Tag:
    return root.find("section", id=section)[0].find("table")[0]


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_codes_without_a_graph(points, page_of):
    X, _ = points
    estimator = registry.get("olrsc")(3, clustering="codes", random_state=0).fit(X)
    root = parse(page_of(estimator, X))
    check_structure(root)
    assert "cuts no graph" in root.find("section", id="graph")[0].words()


def test_graph_handed_in(model, page_of):
    estimator = S3COMPC(3, affinity="precomputed", random_state=0).fit(model.affinity_)
    root = parse(page_of(estimator, model.affinity_))
    check_structure(root)
    assert [figure.attributes["id"] for figure in root.find("figure")] == [
        "sizes",
        "spectrum",
        "connectivity",
        "affinity",
        "embedding",
    ]


def test_a_graph_kept_as_its_parts_has_the_same_page(model, points, page_of, monkeypatch):
    monkeypatch.setattr("subspan.report.sections.run.peak_memory", lambda: 10**9)
    in_parts = copy(model)
    in_parts.affinity_ = ImplicitAffinity(model.representation_)
    assert page_of(in_parts, points[0]) == page_of(model, points[0])


def test_rows_in_no_cluster(points, page_of):
    X, y = points
    X = np.vstack([X, np.zeros(12)])
    with pytest.warns(match="zero rows"):
        estimator = S3COMPC(3, n_nonzero=2, zero_rows="label", random_state=0).fit(X)
    root = parse(page_of(estimator, X, truth=np.append(y, 0)))
    check_structure(root)
    words = root.find("section", id="findings")[0].words()
    assert "1 row in no cluster" in words
    assert "Rows of zeros: 1" in words


def test_confusion_counts_rows_of_class_and_cluster(model, points, page_of):
    X, y = points
    names = np.array(["ant", "bee", "cat"])[y]
    root = parse(page_of(model, X, truth=names))
    [table] = root.find("table", class_="confusion")
    header = [cell.words() for cell in table.find("thead")[0].find("th")][1:]
    for row in table.find("tbody")[0].find("tr"):
        kind = row.find("th")[0].words()
        for cluster, cell in zip(header, row.find("td"), strict=True):
            assert int(cell.words()) == ((names == kind) & (model.labels_ == int(cluster))).sum()


def test_the_front_door_is_not_advised_to_those_who_took_it(points, page_of):
    X, y = points
    mixed = np.roll(y, 7)
    for estimator, advised in (
        (LSR(3, random_state=0), True),
        (SubspaceClustering(3, random_state=0), False),
    ):
        root = parse(page_of(estimator.fit(X), X, truth=mixed))
        words = "".join(root.find("section", id=name)[0].words() for name in ("findings", "poor"))
        assert "Compare methods" in words
        assert ("front door" in words) == advised


def test_many_classes_become_a_picture(model, page_of):
    root = parse(page_of(model, truth=np.arange(60) % 30))
    check_structure(root)
    assert root.find("figure", id="confusion")
    assert not root.find("table", class_="confusion")


def test_names_of_rows_columns_and_the_command_are_shown(model, points, page_of):
    X, _ = points
    frame = pd.DataFrame(X, columns=[f"column {letter}" for letter in "abcdefghijkl"])
    origin = Origin(command="subspan cluster 'my file.csv' -k 3", key="X", remarks=["two rows are doubtful."])
    root = parse(page_of(model, frame, names=[f"point {row}" for row in range(60)], origin=origin))
    check_structure(root)
    words = root.words()
    for expected in ("subspan cluster 'my file.csv' -k 3", "column a", "two rows are doubtful.", "key='X'"):
        assert expected in words
    shown = {item.words() for article in root.find("article") for item in article.find("li")}
    assert shown <= {f"point {row}" for row in range(60)}


@pytest.fixture(scope="module")
def named(model, points, page_of):
    """A page on which one text is the name of everything that has one."""
    X, y = points

    def page(text: str) -> str:
        columns = tuple(f"{j}{text}" for j in range(12))
        classes = np.array([f"{text}{j}" for j in range(3)], dtype=object)[y]
        origin = Origin(command=f"subspan cluster {text[:500]}", columns=[text], remarks=[text])
        source = ArraySource(X, f"folder/{text}.csv", columns)
        names = [f"{text}{row}" for row in range(60)]
        return page_of(model, source, truth=classes, names=names, image_shape=(3, 4), origin=origin)

    return page


@pytest.fixture(scope="module")
def harmless(named):
    return skeleton(parse(named("harmless")))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_names(text, named, harmless):
    page = named(text)
    root = parse(page)
    assert skeleton(root) == harmless
    check_structure(root)
    check_policy(root)
    assert len(page.encode("utf-8")) < 3_000_000
