"""Members that look for flats off the origin."""

from __future__ import annotations

import numpy as np
import pytest

from subspan import SubspaceClustering
from subspan.datasets import make_rigid_motions, make_union_of_subspaces
from subspan.execution.workplace import Workplace
from subspan.metrics import clustering_accuracy
from subspan.points import Points
from subspan.sources import ArraySource
from subspan.tuning.flats import FLATS, WithFlats, flat_design, flats_serve, with_flats
from subspan.tuning.members import Partition, design


def partitions(number: int, labels: list[np.ndarray]) -> list[Partition]:
    members = flat_design() if number else design(100)
    return [Partition(member, 2, 0.0, each) for member, each in zip(members, labels, strict=False)]


def test_they_serve_where_they_agree_more() -> None:
    sure, torn = np.repeat([0, 1], 10), np.tile([0, 1], 10)
    assert flats_serve(partitions(0, [sure, torn]), partitions(1, [sure, sure]))
    assert not flats_serve(partitions(0, [sure, sure]), partitions(1, [sure, sure]))
    assert not flats_serve(partitions(0, [sure, sure]), partitions(1, [sure, torn]))


@pytest.mark.parametrize(("shape", "tried"), [((40, 5), True), ((1001, 5), False), ((40, 201), False)])
def test_only_small_tables_are_tried(shape: tuple[int, int], tried: bool) -> None:
    source = ArraySource(np.random.default_rng(0).standard_normal(shape))
    rows = np.arange(shape[0])
    found = with_flats(
        Points(source, rows, rows, np.zeros((len(rows), 2), np.uint64), rows < 0), source
    ).source
    assert isinstance(found, WithFlats) == tried
    np.testing.assert_array_equal(found.rows(3, 5), source.rows(3, 5))


@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_they_see_the_rows_as_prepared(missing: str) -> None:
    X = np.random.default_rng(0).standard_normal((40, 5))
    X[3, 1] = np.nan
    model = SubspaceClustering(2, missing=missing)
    source, settled = model._open(X, Workplace(1))
    points = model._read(source, settled).source
    assert isinstance(points, WithFlats)
    assert np.isfinite(points.lifted.rows(0, points.shape[0])).all()


@pytest.fixture(scope="module")
def mirrored() -> tuple[np.ndarray, np.ndarray]:
    """Points of a plane off the origin, and the same times -2, which are in another plane."""
    inside = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    plane = np.column_stack([inside, np.ones(60), np.zeros(60)])
    return np.vstack([plane, -2 * plane]), np.repeat([0, 1], 60)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_multiples_of_rows_lie_in_other_flats(mirrored) -> None:
    X, y = mirrored
    again = [*range(len(X)), 0, 60]
    model = SubspaceClustering(2, random_state=0).fit(X[again])
    assert FLATS in {member["family"] for member in model.members_}
    assert clustering_accuracy(y[again], model.labels_) == 1
    assert model.counts_["duplicate_rows"] == 2
    assert np.array_equal(model.predict(X[again]), model.labels_)


def test_members_of_other_families_see_directions_once(mirrored) -> None:
    X, _ = mirrored
    model = SubspaceClustering(2)
    points = model._read(*model._open(X, Workplace(1))).source
    assert isinstance(points, WithFlats)
    assert points.shape == points.lifted.shape[:1] + X.shape[1:] == X.shape
    assert points.directions.shape == (60, 4)
    np.testing.assert_array_equal(points.direction, np.tile(np.arange(60), 2))
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(points.rows(0, 120), X / lengths, rtol=1e-15)


@pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")
def test_moving_bodies_are_found_by_the_front_door() -> None:
    X, y = make_rigid_motions(3, 40, 20, noise=0.002, random_state=2)
    model = SubspaceClustering(3, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) > 0.97
    assert FLATS in {member["family"] for member in model.members_}


def test_subspaces_through_the_origin_are_still_found() -> None:
    X, y = make_union_of_subspaces(3, 3, 30, 40, random_state=0)
    assert clustering_accuracy(y, SubspaceClustering(3, random_state=0).fit(X).labels_) == 1
