"""One run at a time, measured against dense linear algebra."""

import json

import numpy as np
import pytest

from subspan.handover import InputError
from subspan.reproduction.pace import Pace, usual_seconds
from subspan.reproduction.perform import Laboratory, subset
from subspan.reproduction.runs import Data, make_run

PARAMETERS = {"n_nonzero": 3, "dropout": 0.3, "damping": 0.5, "max_iter": 4, "tol": 0.0}
RUN = make_run(Data("synthetic", 30), "s3comp-c", PARAMETERS, seed=1)


@pytest.fixture
def laboratory(tmp_path):
    return Laboratory(tmp_path, n_jobs=1, progress=False)


def test_a_row_has_everything_and_is_json(laboratory):
    row = laboratory.perform(RUN)
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert row["parameters"].items() >= {**PARAMETERS, "n_clusters": 5, "random_state": 1}.items()
    assert [row["n_points"], row["n_features"], row["seed"], row["n_iter"]] == [150, 9, 1, 4]
    assert len(row["changes"]) == 4
    assert len(row["connectivity"]["per_class"]) == 5
    assert min(row["connectivity"]["per_class"]) == row["connectivity"]["min"]
    assert np.mean(row["connectivity"]["per_class"]) == pytest.approx(row["connectivity"]["mean"])
    assert 0 < row["accuracy"] <= 1
    assert 3 <= row["support_size"] <= 45
    assert sum(row["stage_seconds"].values()) <= row["seconds"]
    assert row["versions"]["numpy"] == np.__version__
    assert row["machine"]["gemm_gflops"] > 0


def test_the_same_run_has_the_same_result(laboratory, tmp_path):
    again = Laboratory(tmp_path, n_jobs=2, progress=False).perform(RUN)
    row = laboratory.perform(RUN)
    for name in ("accuracy", "nmi", "ari", "sre", "connectivity", "support_size", "changes"):
        assert row[name] == again[name]
    assert laboratory.perform(make_run(RUN.data, RUN.method, PARAMETERS, seed=2))["sre"] != row["sre"]


def test_runs_of_one_course_have_the_results_they_have_alone(laboratory):
    course = [make_run(RUN.data, RUN.method, {**PARAMETERS, "max_iter": n}, seed=1) for n in (1, 3, 4)]
    rows = dict(laboratory.follow(course))
    assert list(rows) == course
    for run, row in rows.items():
        alone = laboratory.perform(run)
        assert (row["course"], alone["course"]) == (4, None)
        assert row["parameters"] == alone["parameters"]
        for name in ("accuracy", "sre", "connectivity", "eigenvalues", "support_size", "changes", "counts"):
            assert row[name] == alone[name], (run, name)
    assert len({row["sre"] for row in rows.values()}) == 3


def test_parts_of_the_data():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    assert subset(X, y, Data("coil100"), None)[0] is X
    few, labels = subset(X, y, Data("coil100", n_classes=2), None)
    assert (few[:, 0].tolist(), labels.tolist()) == (list(range(8)), [0] * 4 + [1] * 4)
    assert np.bincount(subset(X, y, Data("gtsrb"), 3)[1]).tolist() == [3, 3, 3]


def test_missing_data_are_refused_before_anything_runs(laboratory):
    with pytest.raises(InputError, match=r"no coil100.npz in .*subspan datasets build coil100"):
        laboratory.check([RUN, make_run(Data("coil100"), "ssc-omp", {}, 0)])
    laboratory.check([RUN])


def test_time_left_follows_the_kind_of_run(make_row):
    said = []
    runs = [
        make_run(Data("synthetic", n), "s3comp", {"n_nonzero": 5}, seed) for n in (30, 320) for seed in (0, 1)
    ]
    other = make_run(Data("coil100"), "ssc-omp", {"n_nonzero": 3}, 0)
    pace = Pace([[run] for run in [*runs, other]], said.append)
    usual = dict(pace.left)
    # Much more is left to do than has been done.
    pace.left = {run: 1000 * seconds for run, seconds in usual.items()}
    pace.finished(runs[0], make_row(), 10_000 * usual[runs[0]])
    left = 1000 * sum(usual[run] for run in [*runs[1:], other])
    assert pace.remaining == pytest.approx(10 * left, rel=0.2)
    pace.finished(other, make_row(), 3000 * usual[other])
    left = 1000 * sum(usual[run] for run in runs[1:])
    assert pace.remaining == pytest.approx(10 * left, rel=0.2)
    for run in runs[1:]:
        pace.finished(run, make_row(), 1.0)
    # The first and the last run are always told, those in between only now and then.
    assert [line.split(":")[0] for line in said] == ["1 of 5", "5 of 5"]
    assert said[-1].endswith("about 0 s left")


def test_time_left_is_not_that_of_a_slow_start(make_row):
    """The first run compiles; a hundred more like it will not."""
    runs = [make_run(Data("extended_yale_b"), "ssc-omp", {"n_nonzero": 5}, seed) for seed in range(101)]
    pace = Pace([[run] for run in runs], lambda _: None)
    usual = sum(pace.left.values())
    pace.finished(runs[0], make_row(), 20.0)
    assert pace.remaining < 3 * usual


def test_time_left_counts_the_pursuits_of_a_course_once(make_row):
    course = [make_run(Data("mnist"), "s3comp-c", {"max_iter": n}, seed=0) for n in range(1, 11)]
    (alone,) = usual_seconds(course[-1:]).values()
    pace = Pace([course], lambda _: None)
    assert alone < sum(pace.left.values()) < 1.5 * alone
    pace.finished(course[0], make_row(), alone)
    assert pace.remaining < 0.5 * alone
