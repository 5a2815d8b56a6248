"""Rows that the page singles out: misfits, rows of another class, and the file of all labels."""

from __future__ import annotations

import base64
from collections.abc import Callable

import numpy as np
import pytest
from pages import Tag, parse

from subspan import LSR
from subspan.report.material import gather
from subspan.report.misfits import misfits
from subspan.sources import ArraySource

ODD = (3, 27)


@pytest.fixture(scope="module")
def spoilt() -> tuple[LSR, np.ndarray]:
    """Points on two lines of six dimensions; one row of each has far more noise than the others."""
    rng = np.random.default_rng(0)
    lines = np.repeat(np.eye(6)[:2], 20, axis=0)
    X = lines * rng.uniform(1, 2, (40, 1)) + 0.01 * rng.standard_normal((40, 6))
    X[list(ODD), [4, 5]] += 0.5
    model = LSR(2, random_state=0).fit(X)
    # As a method would label them that is not misled by the noise.
    model.labels_ = np.repeat([0, 1], 20)
    return model, X


def articles(page: str) -> list[Tag]:
    return parse(page).find("article")


def test_rows_far_from_the_subspace_of_their_cluster_are_misfits(spoilt: tuple[LSR, np.ndarray]) -> None:
    model, X = spoilt
    found = misfits(gather(model, X))
    assert [rows[0] for rows in found] == list(ODD)
    assert misfits(gather(model)) == [[], []]


def test_misfits_are_framed_and_rows_of_another_class_marked(
    spoilt: tuple[LSR, np.ndarray], page_of: Callable[..., str]
) -> None:
    model, X = spoilt
    truth = np.repeat(["cat", "dog"], 20)
    truth[ODD[0]] = "dog"
    page = page_of(model, X, truth=truth, image_shape=(2, 3))
    first, second = articles(page)
    [framed] = [item for item in first.find("li", class_="misfit") if item.find("span", class_="wrong")]
    assert f"row {ODD[0]}" in framed.words()
    assert framed.find("span", class_="wrong")[0].words() == "✕ dog"
    assert len(framed.find("img")) == 1
    assert second.find("li", class_="misfit")
    assert not second.find("span", class_="wrong")
    assert gather(model, X, truth=truth).wrong.nonzero()[0].tolist() == [ODD[0]]


def test_the_labels_are_in_the_page(spoilt: tuple[LSR, np.ndarray], page_of: Callable[..., str]) -> None:
    model, X = spoilt
    names = [f"point, {row}" for row in range(40)]
    [link] = parse(page_of(model, ArraySource(X), names=names)).find("a", download="labels.csv")
    lines = base64.b64decode(link.attributes["href"].partition(",")[2]).decode().splitlines()
    assert lines[0] == "name,row,label"
    assert lines[28] == f'"point, 27",27,{model.labels_[27]}'
    assert len(lines) == 41


def test_names_of_classes_stand_beside_a_large_matrix(page_of: Callable[..., str]) -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(np.eye(30), 4, axis=0) + 0.01 * rng.standard_normal((120, 30))
    model = LSR(30, random_state=0).fit(X)
    truth = np.repeat([f"class{j:02d}" for j in range(30)], 4)
    [matrix] = parse(page_of(model, X, truth=truth)).find("figure", id="confusion")
    named = {text.words() for text in matrix.find("text")}
    assert {"class00", "class10"} <= named


def test_many_clusters_are_drawn_by_their_neighbours() -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(np.eye(12), 8, axis=0) + 0.05 * rng.standard_normal((96, 12))
    model = LSR(12, random_state=0).fit(X)
    drawn = gather(model, X).embedding
    assert drawn.drawn_by == "t-SNE"
    assert np.isfinite(drawn.coordinates).all()
    # Nearest neighbours on the page belong to the same cluster.
    distances = np.linalg.norm(drawn.coordinates[:, None] - drawn.coordinates, axis=2) + 1e9 * np.eye(96)
    same = drawn.cluster[distances.argmin(axis=1)] == drawn.cluster
    assert same.mean() > 0.95
    again = gather(model, X).embedding
    assert np.array_equal(again.coordinates, drawn.coordinates)


def test_copies_are_told_once(page_of: Callable[..., str]) -> None:
    X = np.repeat(np.random.default_rng(0).standard_normal((40, 6)), 2, axis=0)
    words = parse(page_of(LSR(2, random_state=0).fit(X), X)).words()
    assert words.count("Rows equal to another") == 1
    assert "copies of another" not in words
