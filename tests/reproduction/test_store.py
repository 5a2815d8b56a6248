import json

import pytest

from subspan.handover import InputError
from subspan.reproduction.runs import Data, make_run
from subspan.reproduction.store import ResultStore

RUNS = [make_run(Data("coil100"), "ssc-omp", {"n_nonzero": 3}, seed) for seed in range(4)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.jsonl"
    store = ResultStore(path)
    for run in RUNS[:3]:
        store.add(run, {"accuracy": run.seed / 10})
    return path


def test_results_are_found_again(path):
    store = ResultStore(path)
    assert [run in store for run in RUNS] == [True, True, True, False]
    assert [store.get(run)["accuracy"] for run in RUNS[:3]] == [0.0, 0.1, 0.2]
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == [
        run.key for run in RUNS[:3]
    ]


@pytest.mark.parametrize("n_bytes", [1, 2, 30])
def test_a_half_written_last_line_is_ignored_and_written_over(path, n_bytes):
    path.write_bytes(path.read_bytes()[:-n_bytes])
    store = ResultStore(path)
    assert [run in store for run in RUNS[:3]] == [True, True, False]
    store.add(RUNS[3], {"accuracy": 0.5})
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["accuracy"] for row in rows] == [0.0, 0.1, 0.5]
    assert ResultStore(path).get(RUNS[3])["accuracy"] == 0.5


@pytest.mark.parametrize("rubbish", [b"not json\n", b'{"accuracy": 1}\n', b"[]\n", b"\xff\n"])
def test_a_damaged_line_is_named(path, rubbish):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + rubbish + lines[1])
    with pytest.raises(InputError, match="line 2 is not a result"):
        ResultStore(path)


def test_numbers_that_json_does_not_know_are_refused(path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        ResultStore(path).add(RUNS[3], {"accuracy": float("nan")})
    assert path.read_bytes() == before
