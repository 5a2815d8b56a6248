"""A search that subtracts only some of the rows finds the same atoms, and knows how wrong its scores are."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from scipy.sparse import csr_array
from searched import N_NONZERO, N_POINTS, SETTINGS, much_alike, near_subspaces, spread_out, take_step, tied

from subspan.kernels.jit import kernel
from subspan.kernels.scores import FIRST_SHARE, LAST_TOP, MANY, PAUSE, SHARE, WAITING, among
from subspan.kernels.search import LONGEST_PAUSE, learn_pause, search_all, search_atom, search_near
from subspan.kernels.state import N_ATOMS, N_SPECIAL, RUNNING, Picks
from subspan.kernels.steps import begin_point
from subspan.self_expression import consensus
from subspan.self_expression.consensus import ConsensusSettings, ConsensusTask
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.job import represent
from subspan.self_expression.plan import GramPlan
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

# Ways in from Python to parts of kernels.
begin = kernel(begin_point.py_func)
search_whole = kernel(search_all.py_func)
search_short = kernel(search_near.py_func)
search_as_usual = kernel(search_atom.py_func)
learn = kernel(learn_pause.py_func)

NEVER = 10**12
# The residual plan has no rows to subtract.
PLANS = [plan for plan in get_args(GramPlan) if plan != "residual"]

DATA = {points.__name__: points for points in (spread_out, near_subspaces, much_alike, tied)}


def solve(X: np.ndarray, monkeypatch: pytest.MonkeyPatch, shortcut_from: int, **how: Any) -> csr_array:
    monkeypatch.setattr(consensus, "SHORTCUT_FROM", shortcut_from)
    # No numbers of 8 bits.
    monkeypatch.setattr(consensus, "FEW_CANDIDATES", -1.0)
    kept = sample_dictionaries(len(X), 4, n_nonzero=N_NONZERO, dropout=0.3, seed=2)
    settings = ConsensusSettings(N_NONZERO, **how.pop("settings"))
    return represent(ArraySource(X), kept, settings, budget=10**9, **how).coefficients


@pytest.mark.parametrize(("unit_norm", "dtype"), [(True, "float32"), (False, "float64")])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("data", DATA)
def test_the_same_coefficients(data, settings, unit_norm, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X = unit_rows(DATA[data](rng)) * (1 if unit_norm else rng.uniform(0.2, 3, (N_POINTS, 1)))
    for plan in PLANS:
        how = {"settings": settings, "unit_norm": unit_norm, "gram_plan": plan}
        without = solve(X.astype(dtype), monkeypatch, NEVER, **how)
        shorter = solve(X.astype(dtype), monkeypatch, 0, **how)
        for part in ("indptr", "indices", "data"):
            assert np.array_equal(getattr(without, part), getattr(shorter, part)), (plan, part)


class Searches:
    """Pursuits of some points, step by step, with every search done both ways."""

    def __init__(self, X: np.ndarray, settings: dict[str, Any]) -> None:
        kept = sample_dictionaries(len(X), 1, n_nonzero=N_NONZERO, dropout=0.3, seed=2)
        self.task = ConsensusTask(
            ArraySource(X), kept, ConsensusSettings(N_NONZERO, **settings), gram_plan="per_dictionary"
        )
        self.work = self.task._workspace()
        self.dictionary = self.task.dictionaries[0]
        self.search = among(self.work.search, len(self.dictionary.columns))
        self.n_short = 0
        # How large errors are, of what they may be.
        self.shares_of_bound: list[float] = []

    def run(self, n_points: int) -> None:
        task, work, dictionary, search = self.task, self.work, self.dictionary, self.search
        state, rules = work.state, task._rules
        rows, own = task._rows(0, n_points)
        points = task._points(rows, own, n_points, work)
        picks = Picks(work.picks.indices[0], work.picks.values[0], work.picks.counts[0])
        for j in range(n_points):
            begin(points, j, dictionary, rules, state, 0, picks)
            search.account[LAST_TOP] = 0
            row = points.correlations[points.row[j]]
            base = row[dictionary.columns]
            while state.numbers[0, RUNNING]:
                k = state.numbers[0, N_ATOMS]
                special = state.special_position[0, : state.numbers[0, N_SPECIAL]].copy()
                short, short_score = -1, 0.0
                if search.account[LAST_TOP] > 0 and k > 1:
                    short, short_score, bound, others = search_short(
                        base, row, np.sqrt(points.squared_norms[j]), dictionary, rules, state, 0, search
                    )
                if short >= 0:
                    self.n_short += 1
                    self.compare(base, special, bound, short, others)
                    kept = search.scores.copy(), search.taken.copy(), search.account.copy()
                winner, score = search_whole(base, dictionary, rules, state, 0, search)
                if short >= 0:
                    assert (short, short_score) == (winner, score)
                    # Go on as if there had been no other search, so that errors add up.
                    search.scores[:], search.taken[:], search.account[:] = kept
                if take_step(
                    winner, score, points, j, dictionary, task.atoms, task.atom_norms, rules, state, picks,
                    np.zeros(2, np.int64),
                ):  # fmt: skip
                    search.taken[k] = 0

    def compare(
        self, base: np.ndarray, special: np.ndarray, bound: float, winner: int, others: float
    ) -> None:
        k = self.work.state.numbers[0, N_ATOMS]
        gram = self.dictionary.gram[self.work.state.rows[0, :k], : len(base)].astype(np.float64)
        exact = base - self.work.state.coefficients[0, :k].astype(np.float64) @ gram
        errors = np.abs(self.search.scores[: len(base)] - exact)
        errors[special] = 0
        self.shares_of_bound.append(errors.max() / bound)
        exact[[*special, winner]] = 0
        assert np.abs(exact).max() <= others + bound * 1e-3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("data", "damping"),
    [("spread_out", 0.0), ("spread_out", 1.0), ("near_subspaces", 0.01), ("near_subspaces", 1.0)],
)
def test_errors_stay_within_their_bound(data, damping, dtype):
    X = unit_rows(DATA[data](np.random.default_rng(1))).astype(dtype)
    searches = Searches(X, {"damping": damping})
    searches.run(100)
    assert searches.n_short > 100
    assert max(searches.shares_of_bound) <= 1
    # The bound says something, and scores really lack something.
    assert np.median(searches.shares_of_bound) > 0.01


def test_too_many_candidates_lead_to_a_search_over_all_rows():
    X = unit_rows(much_alike(np.random.default_rng(1)))
    searches = Searches(X, {"damping": 1.0})
    searches.search.account[SHARE] = 1.0
    searches.run(1)
    assert searches.search.account[SHARE] < FIRST_SHARE
    assert len(searches.dictionary.columns) > 2 * MANY


def test_shortcuts_rest_where_they_spare_little():
    account = np.zeros(5)
    for n_rows, pause in [(5, 1), (6, 3), (5, 7), (4, 3), (6, 7), *[(6, None)] * 9, (6, LONGEST_PAUSE)]:
        learn(6, n_rows, account)
        assert pause is None or account[PAUSE] == pause
    assert account[WAITING] == LONGEST_PAUSE
    before = account.copy()
    learn(3, 3, account)
    assert np.array_equal(account, before)


def test_a_search_that_rests_looks_at_all_rows():
    X = unit_rows(near_subspaces(np.random.default_rng(1)))
    searches = Searches(X, {"damping": 1.0})
    searches.run(1)
    search, state = searches.search, searches.work.state
    base = searches.task.atoms[: len(X)] @ searches.task.atoms[0]
    rules = searches.task._rules._replace(shortcut_from=0)
    given = base[searches.dictionary.columns], base, 1.0, searches.dictionary, rules, state, 0, search
    search.account[[LAST_TOP, WAITING]] = 1.0, 2.0
    found = search_as_usual(*given)
    assert search.account[WAITING] == 1
    assert found[2] == 0
    assert found[:2] == search_whole(*given[:1], *given[3:])


def test_small_problems_take_no_shortcut():
    """The overhead would cost more than the rows."""
    assert consensus.SHORTCUT_FROM > N_NONZERO * 1000
    assert consensus.SHORTCUT_FROM < N_NONZERO * 4000
