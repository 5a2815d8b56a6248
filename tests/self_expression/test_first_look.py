"""Searches that begin with numbers of 8 bits find the same atoms, and know how wrong these numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from searched import N_NONZERO, N_POINTS, SETTINGS, much_alike, near_subspaces, spread_out, take_step, tied

from subspan.execution.tiles import padded
from subspan.kernels.coarse import GAP, MANY, combine_rows, n_words
from subspan.kernels.first_look import decide, find_candidates, look_at_all, search_exactly, take_row
from subspan.kernels.jit import kernel
from subspan.kernels.lines import in_lines
from subspan.kernels.maxima import LANES, MEMBERS
from subspan.kernels.state import N_ATOMS, N_SPECIAL, RUNNING, Picks
from subspan.kernels.steps import begin_point
from subspan.self_expression import consensus
from subspan.self_expression.coarse import coarse_bytes, coarse_rows
from subspan.self_expression.consensus import ConsensusSettings, ConsensusTask
from subspan.self_expression.dictionaries import sample_dictionaries
from subspan.self_expression.gram import gram_matrix
from subspan.self_expression.job import represent
from subspan.sources import ArraySource
from subspan.sources.checks import unit_rows

# Ways in from Python to parts of kernels.
begin = kernel(begin_point.py_func)
take = kernel(take_row.py_func)
look_at = kernel(look_at_all.py_func)
find = kernel(find_candidates.py_func)
decide_by_look = kernel(decide.py_func)
search_one_by_one = kernel(search_exactly.py_func)


@kernel
def combine(words, rows, factors, n_rows, shown, out, peaks):
    return combine_rows(words, rows, factors, n_rows, shown, out, peaks)


ALWAYS, NEVER = np.inf, -1.0


def nearly_copies(rng: np.random.Generator) -> np.ndarray:
    """Pairs of points: one number of every row dwarfs all others, which share the units that are left."""
    X = rng.standard_normal((N_POINTS // 2, 200))
    return np.concatenate([X, X + 1e-3 * rng.standard_normal(X.shape)])


def at_right_angles(_: np.random.Generator) -> np.ndarray:
    """Nothing represents anything."""
    return np.eye(N_POINTS)


DATA = {
    points.__name__: points
    for points in (spread_out, near_subspaces, much_alike, tied, nearly_copies, at_right_angles)
}


def points_of(data: str, seed: int = 0) -> np.ndarray:
    return unit_rows(DATA[data](np.random.default_rng(seed))).astype(np.float32)


@pytest.mark.parametrize("unit_norm", [True, False])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("data", DATA)
def test_the_same_coefficients(data, settings, unit_norm, monkeypatch):
    X = points_of(data)
    if not unit_norm:
        X = X * np.random.default_rng(1).uniform(0.2, 3, (N_POINTS, 1)).astype(np.float32)
    kept = sample_dictionaries(len(X), 4, n_nonzero=N_NONZERO, dropout=0.3, seed=2)
    found = []
    for few in (NEVER, ALWAYS):
        monkeypatch.setattr(consensus, "FEW_CANDIDATES", few)
        how: dict[str, Any] = {"budget": 10**9, "unit_norm": unit_norm, "gram_plan": "gathered"}
        found.append(represent(ArraySource(X), kept, ConsensusSettings(N_NONZERO, **settings), **how))
    without, by_look = found
    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(without.coefficients, part), getattr(by_look.coefficients, part)), part
    assert without.changes == by_look.changes
    assert without.counts == by_look.counts


@pytest.mark.parametrize("exponent", [-63, -58, 0, 60])
def test_numbers_near_the_limits_of_single_precision(exponent, monkeypatch):
    """Inner products of 2**-126 and below, whose reciprocals are beyond the largest number."""
    X = points_of("near_subspaces") * np.float32(2.0**exponent)
    kept = sample_dictionaries(len(X), 4, n_nonzero=N_NONZERO, dropout=0.3, seed=2)
    settings = ConsensusSettings(N_NONZERO, damping=0.0, residual_tol=0.0)
    found = []
    for few in (NEVER, ALWAYS):
        monkeypatch.setattr(consensus, "FEW_CANDIDATES", few)
        how: dict[str, Any] = {"budget": 10**9, "unit_norm": False, "gram_plan": "gathered"}
        found.append(represent(ArraySource(X), kept, settings, **how).coefficients)
    assert found[0].nnz > N_POINTS * N_NONZERO
    assert np.array_equal(found[0].toarray(), found[1].toarray())


def test_rows_next_to_nothing_keep_to_their_unit():
    X = padded(points_of("near_subspaces"))
    X[::3] *= np.float32(2.0**-126)
    gram = gram_matrix(X, 1)
    exact = gram[:, : len(X)].astype(np.float64)
    np.fill_diagonal(exact, 0)
    columns = np.arange(N_POINTS, dtype=np.int32)
    ((words, units, *_),) = coarse_rows(gram, [columns], 1)
    numbers = (words << 8).astype(np.int16)[:, : N_POINTS // 2] / 256
    assert (np.abs(numbers * units[:, None] - exact[:, :N_POINTS:2]) <= 0.503 * units[:, None]).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_are_right_to_half_a_unit(threads):
    X = padded(points_of("near_subspaces"))
    gram = gram_matrix(X, 1)
    exact = gram[:, : len(X)].astype(np.float64)
    np.fill_diagonal(exact, 0)
    mixed = np.random.default_rng(0).permutation(N_POINTS)
    kept = [columns.astype(np.int32) for columns in (mixed[:150], mixed[:77], np.array([5]))]
    found = coarse_rows(gram, kept, threads)
    assert sum(rows.coarse.nbytes for rows in found) == coarse_bytes(N_POINTS, [len(c) for c in kept])
    for columns, (words, units, place_seen, position_seen, all_shown) in zip(kept, found, strict=True):
        assert words.shape == (len(X), n_words(150) + GAP)
        assert units == pytest.approx(np.abs(exact).max(axis=1) / 127)
        half = n_words(len(columns))
        low, high = (words << 8).astype(np.int16) / 256, words / 256
        numbers = np.concatenate([low[:, :half], high[:, :half]], axis=1)[:, place_seen]
        assert np.array_equal(position_seen[place_seen], np.arange(len(columns)))
        assert np.array_equal(np.unpackbits(all_shown.view(np.uint8), bitorder="little"), position_seen >= 0)
        errors = np.abs(numbers * units[:, None] - exact[:, columns])
        assert (errors <= 0.503 * units[:, None] + 1e-9).all()
        assert not words[:, (len(columns) + 1) // 2 :].any()


def test_a_combination_is_the_same_compiled_and_written_out():
    """Also where sums wrap around on the way."""
    rng = np.random.default_rng(0)
    words = rng.integers(-32000, 32000, (20, n_words(3000) + GAP)).astype(np.int16)
    rows = rng.permutation(20)[:9]
    for size in (100, 30_000):
        factors = rng.integers(-size, size, 9).astype(np.int16)
        n = 2 * n_words(3000)
        outcomes = [in_lines((n,), np.int16) for _ in range(2)]
        peaks = [in_lines((n // MEMBERS,), np.int16) for _ in range(2)]
        visible = rng.random(n) < 0.9
        shown = np.packbits(visible, bitorder="little").view(np.int32)
        tops = [
            function(words, rows, factors, 9, shown, out, peak)
            for function, out, peak in zip((combine, combine_rows), outcomes, peaks, strict=True)
        ]
        assert np.array_equal(*outcomes)
        assert np.array_equal(*peaks)
        assert np.array_equal(
            peaks[0].reshape(-1, LANES), outcomes[0].reshape(-1, MEMBERS, LANES).max(axis=1)
        )
        assert tops == [outcomes[0].max()] * 2
        assert not outcomes[0][~visible].any()
        low = (words << 8).astype(np.int16)[rows, : n_words(3000)] / 65536
        expected = np.abs((low * factors[:, None]).sum(axis=0))
        fits = (expected < 32000) & visible[: n_words(3000)]
        assert fits.any()
        assert outcomes[0][: n_words(3000)][fits] == pytest.approx(expected[fits], abs=6)


class Looks:
    """Pursuits of some points over one dictionary, step by step, with every score known."""

    def __init__(self, X: np.ndarray, **settings: Any) -> None:
        kept = sample_dictionaries(len(X), 1, n_nonzero=N_NONZERO, dropout=0.3, seed=2)
        self.task = ConsensusTask(
            ArraySource(X),
            kept,
            ConsensusSettings(N_NONZERO, **settings),
            gram_plan="gathered",
            look_first=True,
        )
        self.work = self.task._workspace()
        # How large errors are, of what they may be.
        self.shares_of_bound: list[float] = []
        self.n_candidates: list[int] = []

    def run(self, n_points: int) -> None:
        task, state, rules = self.task, self.work.state, self.task._rules
        dictionary = task.dictionaries[0]
        rows, own = task._rows(0, n_points)
        points = task._points(rows, own, n_points, self.work)
        picks = Picks(*(field[0] for field in self.work.picks))
        for j in range(n_points):
            begin(points, j, dictionary, rules, state, 0, picks)
            take(points.row[j], 0, dictionary, 0, self.work.look)
            while state.numbers[0, RUNNING]:
                winner, score = self.step(points, j)
                take_step(
                    winner, score, points, j, dictionary, task.atoms, task.atom_norms, rules, state, picks,
                    np.zeros(2, np.int64),
                )  # fmt: skip
                k = state.numbers[0, N_ATOMS]
                take(dictionary.columns[state.rows[0, k - 1]], k, dictionary, 0, self.work.look)

    def step(self, points: Any, j: int) -> tuple[int, float]:
        """The winner of one step and its score, after a comparison with all scores."""
        dictionary, state, look = self.task.dictionaries[0], self.work.state, self.work.look
        row = points.correlations[points.row[j]]
        k = state.numbers[0, N_ATOMS]
        gram = dictionary.gram[dictionary.columns[state.rows[0, :k]]][:, dictionary.columns]
        exact = row[dictionary.columns] - state.coefficients[0, :k].astype(np.float64) @ gram
        exact[state.special_position[0, : state.numbers[0, N_SPECIAL]]] = 0
        top, unit = look_at(dictionary, state, 0, look)
        seen = unit * look.bits[0, dictionary.place_seen]
        assert seen.max() == pytest.approx(top * unit)
        account = look.account.copy()
        find(points, j, dictionary, self.task.atom_norms, self.task._rules, state, 0, look)
        winner, score, others = decide_by_look(row, dictionary, state, 0, look, True)
        assert (winner, score) == search_one_by_one(row, dictionary, state, 0)
        n_searches, n_candidates = look.account - account
        assert n_searches == 1
        self.n_candidates.append(n_candidates)
        self.shares_of_bound.append(np.abs(seen - np.abs(exact)).max() / (unit * (66 + k)))
        exact[winner] = 0
        assert np.abs(exact).max() <= others + 1e-6
        return winner, score


@pytest.mark.parametrize("damping", [0.01, 1.0])
@pytest.mark.parametrize("data", ["spread_out", "near_subspaces", "nearly_copies"])
def test_errors_stay_within_their_bound(data, damping):
    looks = Looks(points_of(data, seed=1), damping=damping)
    looks.run(60)
    assert max(looks.shares_of_bound) <= 1
    # The bound says something.
    assert np.median(looks.shares_of_bound) > 0.1
    assert min(looks.n_candidates) >= 1
    if data == "spread_out":
        assert np.mean(looks.n_candidates) < 4


def test_too_many_candidates_lead_to_all_exact_scores():
    looks = Looks(points_of("much_alike", seed=1), damping=1.0)
    looks.run(3)
    assert max(looks.n_candidates) > MANY


def test_a_first_look_is_taken_where_few_candidates_are_left():
    """With few digits of many scores that are much alike there is nothing to be gained."""
    kept = sample_dictionaries(N_POINTS, 2, n_nonzero=N_NONZERO, dropout=0.3, seed=2)
    coarse = {
        (data, dtype): [
            len(dictionary.coarse) > 0
            for dictionary in ConsensusTask(
                ArraySource(points_of(data).astype(dtype)), kept, ConsensusSettings(N_NONZERO, damping=1.0),
                gram_plan="gathered",
            ).dictionaries
        ]
        for data in ("spread_out", "much_alike")
        for dtype in ("float32", "float64")
    }  # fmt: skip
    assert coarse["spread_out", "float32"] == [True, True]
    few_steps = ConsensusTask(
        ArraySource(points_of("spread_out")), kept, ConsensusSettings(3, damping=1.0), gram_plan="gathered"
    )
    assert len(few_steps.dictionaries[0].coarse) == 0
    for case in (("much_alike", "float32"), ("spread_out", "float64"), ("much_alike", "float64")):
        assert coarse[case] == [False, False]
