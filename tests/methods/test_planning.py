"""Plans: what fits is chosen in a fixed order, what does not fit is refused before any work."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.execution import workplace
from subspan.execution.memory import parse_bytes, used_memory
from subspan.handover import InputError
from subspan.methods import planning
from subspan.methods.planning import MANY_POINTS, Plan
from subspan.self_expression.kept import kept_bytes

FLOAT32 = np.dtype(np.float32)


@dataclass(frozen=True)
class Unread:
    """A source that cannot be read, of any size: a plan must not need its rows."""

    shape: tuple[int, int]
    dtype: np.dtype = FLOAT32
    name: str = "X"
    columns: tuple[str, ...] = ()
    held_bytes: int = 0

    def rows(self, start, stop):
        raise AssertionError("rows were read")

    take = rows

    def fingerprint(self):
        raise AssertionError("the source was read")


MILLION = Unread((1_000_000, 100))
LARGE = {"n_clusters": 50, "n_nonzero": 5, "dictionary_size": 5000, "n_components": None, "random_state": 0}


def test_plenty_of_memory():
    plan = S3COMP(**LARGE, memory_budget="100GB", n_jobs=2).plan(MILLION)
    assert (plan.threads, plan.coefficients) == (2, "in memory")
    assert plan.problem.few_atoms
    assert plan.problem.n_atoms == pytest.approx(1e6 * (1 - 0.995**15), rel=1e-3)
    found = plan.stages["representation"]["8-bit inner products"]
    assert found == kept_bytes(plan.kept, plan.problem.n_atoms, [5000] * 15)


class Workers:
    """Two workers on one machine, one on another."""

    FREE: ClassVar = {
        "tcp://10.0.0.1:1": 6 * 10**9,
        "tcp://10.0.0.1:2": 6 * 10**9,
        "tcp://10.0.0.2:1": 5 * 10**9,
    }

    def nthreads(self):
        return dict.fromkeys(self.FREE, 1)

    def run(self, function):
        return self.FREE


def test_workers_of_a_machine_share_its_memory(tmp_path):
    place = workplace.Workplace(1, tmp_path, Workers())
    assert place.sharers() == 2
    assert place.free_memory() == 3 * 10**9
    model = S3COMP(**LARGE, memory_budget="3GB")
    assert model._plan(MILLION, replace(place, client=None)).peak < 3 * 10**9
    with pytest.raises(InputError, match="3 GB is too little for 2 workers of one machine") as caught:
        model._plan(MILLION, place)
    enough = re.search(r"; (.*?) would do", str(caught.value))
    assert enough
    assert model.set_params(memory_budget=enough[1])._plan(MILLION, place).peak <= parse_bytes(enough[1]) // 2


def test_less_memory_takes_less(tmp_path):
    model = S3COMP(**LARGE, work_dir=tmp_path, n_jobs=2)
    # Too little for the inner products of all atoms.
    decisions, budget = [], 5 * 10**9
    for _ in range(5):
        plan = model.set_params(memory_budget=budget).plan(MILLION)
        assert plan.peak <= budget
        decisions.append((plan.kept, plan.threads, plan.coefficients, plan.reads_once))
        budget = plan.peak - 10**7
    assert decisions == [
        ("dictionaries", 2, "in memory", True),
        ("dictionaries", 2, "in memory", False),
        ("dictionaries", 2, "on disk", True),
        ("dictionaries", 2, "on disk", False),
        ("dictionaries", 1, "on disk", False),
    ]
    large = model.set_params(dictionary_size=20_000, memory_budget="5GB").plan(MILLION)
    assert (large.kept, large.threads) == ("none", 2)


def test_the_smallest_budget_named_is_one_that_works(tmp_path):
    for model in (S3COMP(**LARGE), S3COMPC(**LARGE), S3COMPC(**LARGE, work_dir=tmp_path)):
        model.set_params(memory_budget="100MB", n_jobs=2)
        with pytest.raises(
            InputError, match=r"^memory_budget: 100 MB is too little; .* would do, of which "
        ) as e:
            model.plan(MILLION)
        enough = re.search(r"little; ([\d.]+ [MG]B) would do", str(e.value))[1]
        # Other tests may have used memory in between.
        model.set_params(memory_budget=int(parse_bytes(enough) * 1.01)).plan(MILLION)


def test_a_fit_is_refused_before_rows_are_read():
    with pytest.raises(InputError, match=r"is too little; .* or [\d.]+ [MG]B with a work_dir"):
        S3COMP(**LARGE, memory_budget="100MB").fit(MILLION)


def test_what_dominates_is_named():
    with pytest.raises(InputError, match=r"of which trial vectors take .*; a dictionary_size makes the rest"):
        SSCOMP(50, memory_budget="1GB").plan(MILLION)


def test_a_plan_does_not_depend_on_the_clock(monkeypatch):
    estimates = iter([1e6, 1e15])
    monkeypatch.setattr("subspan.methods.forecast._flops_per_second", lambda: next(estimates))
    plans = [S3COMP(**LARGE, memory_budget="100GB").plan(MILLION) for _ in range(2)]
    assert plans[0].seconds["representation"] > 1000 * plans[1].seconds["representation"]
    assert plans[0].kept == plans[1].kept


@pytest.mark.parametrize("n", [MANY_POINTS - 1, MANY_POINTS])
def test_few_atoms_are_a_matter_of_sizes(n):
    plan = S3COMP(10, dictionary_size=500, memory_budget="100GB").plan(Unread((n, 50)))
    assert plan.problem.few_atoms == (n >= MANY_POINTS)
    covered = S3COMP(10, dictionary_size=500, memory_budget="100GB", cover=True).plan(Unread((n, 50)))
    assert not covered.problem.few_atoms


def test_arrays_in_memory_are_counted_once():
    X = np.zeros((5000, 1000))
    plan = S3COMP(10, memory_budget="100GB").plan(X)
    assert plan.stages["representation"]["rows held"] == X.nbytes
    assert plan.process - planning.FIRST_USE == pytest.approx(used_memory(), rel=0.1)
    bare = S3COMP(10, memory_budget="100GB", normalize=False).plan(X)
    assert bare.stages["representation"]["rows held"] == 0


SMALL = Unread((20_000, 50), np.dtype(np.float64))


def test_a_default_leaves_the_machine_usable(monkeypatch):
    monkeypatch.setattr(workplace, "free_memory", lambda: 10**12)
    plan = S3COMPC(10, n_jobs=2).plan(SMALL)
    kept = kept_bytes("all", plan.problem.n_atoms, plan.problem.sizes)
    assert plan.peak - used_memory() <= 4 * 20_000 * 50 * 8 + kept + 5 * 10**8
    # Half of what is free has no room for all of it.
    monkeypatch.setattr(workplace, "free_memory", lambda: 3 * 10**9)
    less = S3COMPC(10, n_jobs=2).plan(SMALL)
    assert less.peak - used_memory() <= 1.51 * 10**9
    assert kept_bytes(less.kept, plan.problem.n_atoms, plan.problem.sizes) < kept


def test_a_default_refuses_only_what_does_not_fit_at_all(monkeypatch):
    model = S3COMP(**LARGE, n_jobs=2)
    with pytest.raises(InputError) as caught:
        model.set_params(memory_budget="100MB").plan(MILLION)
    needed = parse_bytes(re.search(r"little; ([\d.]+ [MG]B) would do", str(caught.value))[1]) - used_memory()
    model.set_params(memory_budget=None)
    monkeypatch.setattr(workplace, "free_memory", lambda: int(needed * 1.02))
    assert model.plan(MILLION).peak - used_memory() > needed / 2
    monkeypatch.setattr(workplace, "free_memory", lambda: int(needed * 0.95))
    with pytest.raises(InputError, match="is too little"):
        model.plan(MILLION)


def test_rows_are_read_once_where_there_is_ample_room():
    model = S3COMP(**LARGE, n_jobs=2)
    ample = model.set_params(memory_budget="10GB").plan(MILLION)
    assert ample.reads_once
    assert ample.stages["representation"]["rows held"] == 400 * 10**6
    assert "rows read once" in str(ample)
    scant = model.set_params(memory_budget=int(ample.peak * 0.99)).plan(MILLION)
    assert scant.peak <= ample.peak * 0.99
    # One in four bytes would be too many.
    wide = Unread((100_000, 2000))
    assert not model.set_params(memory_budget="3.1GB").plan(wide).reads_once
    # Those of an array are there.
    assert not model.set_params(memory_budget="10GB", dictionary_size=50).plan(np.eye(100)).reads_once


def test_printed():
    plan = S3COMPC(**LARGE, memory_budget="100GB").plan(MILLION)
    assert isinstance(plan, Plan)
    lines = str(plan).splitlines()
    assert lines[0].startswith("1000000 points, 100 features, about 72")
    assert "without forming the affinity" in str(plan)
    stages = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert stages[-6:] == ["libraries", "reading", "representation", "embedding", "labeling", "peak"]


def test_bad_parameters_before_anything_else():
    with pytest.raises(ValueError, match=r"^n_nonzero must be"):
        S3COMP(3, n_nonzero=0).plan(MILLION)
