"""Plans: what fits is chosen in a fixed order, what does not fit is refused before any work."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

from subspan import S3COMP, S3COMPC, SSCOMP
from subspan.execution.memory import parse_bytes, used_memory
from subspan.handover import InputError
from subspan.methods.planning import MANY_POINTS, Plan

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
LARGE = {"n_clusters": 50, "n_nonzero": 5, "dictionary_size": 5000, "random_state": 0}


def test_plenty_of_memory():
    plan = S3COMP(**LARGE, memory_budget="100GB", n_jobs=2).plan(MILLION)
    assert (plan.gram_plan, plan.threads, plan.coefficients) == ("per_dictionary", 2, "in memory")
    assert plan.problem.few_atoms
    # 15 Gram matrices of 5000 atoms each, which tiles round up.
    assert plan.stages["representation"]["Gram matrices"] == 15 * 5120**2 * 4
    assert plan.problem.n_atoms == pytest.approx(1e6 * (1 - 0.995**15), rel=1e-3)


def test_less_memory_takes_less(tmp_path):
    model = S3COMP(**LARGE, memory_budget="100GB", work_dir=tmp_path, n_jobs=2)
    decisions, budget = [], 10**11
    for _ in range(4):
        plan = model.set_params(memory_budget=budget).plan(MILLION)
        assert plan.peak <= budget
        decisions.append((plan.gram_plan, plan.threads, plan.coefficients))
        budget = plan.peak - 10**7
    assert decisions == [
        ("per_dictionary", 2, "in memory"),
        ("per_dictionary", 2, "on disk"),
        ("per_dictionary", 1, "on disk"),
        ("residual", 2, "on disk"),
    ]


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
    monkeypatch.setattr("subspan.methods.planning._flops_per_second", lambda: next(estimates))
    plans = [S3COMP(**LARGE, memory_budget="100GB").plan(MILLION) for _ in range(2)]
    assert plans[0].seconds["representation"] > 1000 * plans[1].seconds["representation"]
    assert plans[0].gram_plan == plans[1].gram_plan


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
    assert plan.process == pytest.approx(used_memory(), rel=0.5)
    bare = S3COMP(10, memory_budget="100GB", normalize=False).plan(X)
    assert bare.stages["representation"]["rows held"] == 0


def test_printed():
    plan = S3COMPC(**LARGE, memory_budget="100GB").plan(MILLION)
    assert isinstance(plan, Plan)
    lines = str(plan).splitlines()
    assert lines[0].startswith("1000000 points, 100 features, about 72")
    assert "without forming the affinity" in str(plan)
    stages = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert stages[-6:] == ["libraries", "reading", "representation", "embedding", "labeling", "peak"]


def test_bad_parameters_before_anything_else():
    with pytest.raises(ValueError, match="'n_nonzero'"):
        S3COMP(3, n_nonzero=0).plan(MILLION)
