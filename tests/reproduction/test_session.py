"""Which runs are done, in which order, and what happens after an interruption."""

import json

import pytest

from subspan.handover import InputError
from subspan.reproduction import session
from subspan.reproduction.catalog import EXPERIMENTS, find_experiments, find_methods
from subspan.reproduction.plan import Scope
from subspan.reproduction.runs import Data, make_run
from subspan.reproduction.session import ResultFolders, grouped, run_experiments

pytest.importorskip("matplotlib")


class Pretence:
    """A laboratory that answers at once, and breaks down after `patience` runs."""

    patience = 10**6

    def __init__(self, data_dir, n_jobs, *, progress):
        self.performed = []
        Pretence.last = self

    def check(self, runs):
        self.checked = list(runs)

    def follow(self, course):
        for run in course:
            if len(self.performed) == Pretence.patience:
                raise KeyboardInterrupt
            self.performed.append(run)
            yield run, Pretence.row()


@pytest.fixture(autouse=True)
def pretence(monkeypatch, make_row):
    monkeypatch.setattr(session, "Laboratory", Pretence)
    monkeypatch.setattr(Pretence, "row", staticmethod(make_row), raising=False)
    monkeypatch.setattr(Pretence, "patience", 10**6)


def go(names, out, **options):
    lines = []
    written = run_experiments(find_experiments(names), Scope(**options), ResultFolders(out), lines.append)
    return written, Pretence.last.performed, lines


def test_shared_runs_are_done_once(tmp_path):
    written, performed, lines = go(["fig-dropout", "fig-sre-dropout"], tmp_path, quick=True)
    assert len(performed) == len(set(performed)) == 2 * 3 * 2
    assert lines[0] == "12 runs to do."
    assert len(written) == 8
    assert all(path.stat().st_size > 0 for path in written)


def test_outer_iterations_of_one_course_follow_one_another(tmp_path):
    # The first figure looks at the last iteration only, but its runs are those of the second.
    _, performed, _ = go(["fig-convergence", "fig-iterations"], tmp_path, quick=True)
    performed = [run for run in performed if run.data.name != "synthetic"]
    places = [(run.data, run.seed, run.max_iter) for run in performed]
    courses = [places[i : i + 3] for i in range(0, len(places), 3)]
    assert all([number for _, _, number in course] == [1, 2, 10] for course in courses)
    assert all(len({place[:2] for place in course}) == 1 for course in courses)


def test_an_interrupted_reproduction_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(Pretence, "patience", 5)
    with pytest.raises(KeyboardInterrupt):
        go(["fig-dropout"], tmp_path, quick=True)
    first = Pretence.last.performed
    results = tmp_path / "results.jsonl"
    assert len(results.read_text().splitlines()) == 5
    assert list(tmp_path.iterdir()) == [results]
    # The process may have been killed in the middle of a line.
    results.write_bytes(results.read_bytes()[:-40])
    monkeypatch.setattr(Pretence, "patience", 10**6)
    _, second, lines = go(["fig-dropout"], tmp_path, quick=True)
    assert lines[0] == "8 runs to do."
    assert second[0] == first[4]
    assert set(first[:4]).isdisjoint(second)
    assert len([json.loads(line) for line in results.read_text().splitlines()]) == 12
    assert go(["fig-dropout"], tmp_path, quick=True)[1] == []


def test_more_trials_add_to_those_that_are_there(tmp_path):
    methods = find_methods("ssc-omp, s3comp, s3comp-c")
    assert len(go(["table-eyaleb"], tmp_path, trials=2, methods=methods)[1]) == 6
    _, performed, _ = go(["table-eyaleb"], tmp_path, trials=3, methods=methods)
    assert [run.seed for run in performed] == [2, 2, 2]


def test_results_so_far_are_shown_without_a_run(tmp_path):
    go(["table-eyaleb"], tmp_path, trials=2, methods=find_methods("s3comp"))
    go(["table-eyaleb"], tmp_path, trials=1, methods=find_methods("s3comp-c"))
    written, performed, lines = go(["table-eyaleb", "fig-support"], tmp_path, so_far=True)
    assert performed == []
    assert lines == ["0 runs to do.", "fig-support: there are no results yet."]
    assert {path.name for path in written} == {"table-eyaleb.csv", "table-eyaleb.md"}
    trials = {line.split(",")[1]: line.split(",")[6] for line in written[0].read_text().splitlines()[1:]}
    assert (trials["S3COMP"], trials["S3COMP-C"], trials["LSR"]) == ("2", "1", "")


def test_methods_can_be_chosen(tmp_path):
    _, performed, _ = go(["table-eyaleb"], tmp_path, trials=1, methods=find_methods("ssc-omp"))
    assert [run.method for run in performed] == ["ssc-omp"]
    assert "| S3COMP | 81.61 | not run |" in (tmp_path / "table-eyaleb.md").read_text()
    written, performed, lines = go(["fig-support"], tmp_path, methods=find_methods("ssc-omp"))
    assert (written, performed) == ([], [])
    assert lines[-1] == "fig-support: none of the chosen methods takes part."


def test_runs_on_the_same_points_come_together():
    runs = [
        make_run(Data("mnist", 400), method, {}, seed) for method in ("s3comp", "ssc-omp") for seed in (0, 1)
    ]
    assert [(run.seed, run.method) for run in grouped(runs)] == [
        (0, "s3comp"),
        (0, "ssc-omp"),
        (1, "s3comp"),
        (1, "ssc-omp"),
    ]
    fixed = [
        make_run(Data("coil100"), method, {}, seed) for method in ("s3comp", "ssc-omp") for seed in (0, 1)
    ]
    assert grouped(fixed) == fixed


def test_all_means_every_experiment_once():
    assert find_experiments(["fig-support", "all"])[0].name == "fig-support"
    assert len(find_experiments(["all", "table-gtsrb"])) == len(EXPERIMENTS) == 16


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("table-coil", "did you mean 'table-coil100'"),
        ("fig-delta-t", "did you mean 'fig-delta-T'"),
        ("x", "there are"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_one(names, message):
    with pytest.raises(InputError, match=message):
        find_experiments([names])


@pytest.mark.parametrize(
    ("names", "message"),
    [("s3comp-d", "did you mean 's3comp'|'s3comp-c'"), (",", "No method"), ("k-means", "cannot be run")],
)
def test_a_wrong_method_is_answered_with_the_right_ones(names, message):
    with pytest.raises(InputError, match=message):
        find_methods(names)
