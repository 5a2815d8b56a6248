"""Slow, obvious versions of the paper's algorithms, to compare the fast ones with.

Everything is dense and float64; each step forms its residual, scores every atom and solves its system anew.
Along the way every decision notes how clear it was: a decision by less than rounding may go either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class Clarity:
    """The narrowest decision so far, relative to the size of what was compared."""

    narrowest: float = np.inf

    def note(self, difference: float, size: float) -> None:
        """A decision that hung on `difference` between quantities of this `size`."""
        if size > 0:
            self.narrowest = min(self.narrowest, abs(difference) / size)


@dataclass(frozen=True)
class Pursuit:
    """Parameters of Algorithm 1, in the paper's order."""

    n_nonzero: int
    damping: float
    residual_tol: float
    selection: str = "psi"
    candidates: str = "preserved"


def damped_omp(
    X: Floats, kept: NDArray[np.bool_], j: int, target: Floats, rules: Pursuit, clarity: Clarity
) -> Floats:
    """Algorithm 1: represent row j of `X` by the rows in `kept`, drawn towards `target`."""
    damping = rules.damping
    dictionary = np.where(kept[:, None], X, 0.0)
    squared_norms = (X**2).sum(axis=1)
    b = np.zeros(len(X))
    residual = X[j]
    support: list[int] = []
    steps = 0
    while steps < rules.n_nonzero:
        length = np.linalg.norm(residual)
        clarity.note(length - rules.residual_tol, rules.residual_tol)
        if length <= rules.residual_tol:
            break
        steps += 1
        correlation = X @ residual
        gain = (correlation + damping * target) ** 2 / (squared_norms + damping)
        score = gain
        if rules.selection == "psi":
            score = correlation**2 + 2 * damping * correlation * target - damping * target**2
        eligible = kept.copy()
        eligible[[j, *support]] = False
        score = np.where(eligible, score, -np.inf)
        best = int(np.argmax(score))
        clarity.note(score[best] - np.partition(score, -2)[-2], abs(score[best]))
        if rules.candidates == "all":
            loss = damping * target[best] ** 2 - gain[best]
            clarity.note(loss, gain[best])
            if loss >= 0:
                dropped = ~kept
                dropped[[j, *support]] = False
                magnitudes = np.where(dropped, np.abs(target), 0.0)
                best = int(np.argmax(magnitudes))
                if magnitudes[best] == 0:
                    continue
        support.append(best)
        atoms = dictionary[support]
        system = atoms @ atoms.T + damping * np.eye(len(support))
        b[support] = np.linalg.solve(system, atoms @ X[j] + damping * target[support])
        residual = X[j] - dictionary.T @ b
    return b


def consensus_omp(
    X: Floats,
    dictionaries: Sequence[NDArray[np.integer]],
    rules: Pursuit,
    *,
    rows: Iterable[int],
    max_iter: int,
    tol: float,
    average: str = "all",
) -> tuple[Floats, Floats]:
    """Algorithm 2 for some `rows` of `X`: their coefficients, and how narrow their narrowest decision was.

    Row j of the first represents row j of `X`; all other rows are zero.
    """
    n_points = len(X)
    masks = [np.isin(np.arange(n_points), kept) for kept in dictionaries]
    C = np.zeros((n_points, n_points))
    narrowest = np.zeros(n_points)
    for j in rows:
        clarity = Clarity()
        for _ in range(max_iter):
            solutions = np.array([damped_omp(X, kept, j, C[j], rules, clarity) for kept in masks])
            divisor = len(masks) if average == "all" else np.maximum((solutions != 0).sum(axis=0), 1)
            before = C[j].copy()
            C[j] = solutions.sum(axis=0) / divisor
            change, limit = np.linalg.norm(C[j] - before), tol * np.linalg.norm(before)
            clarity.note(change - limit, limit)
            if change <= limit:
                break
        narrowest[j] = clarity.narrowest
    return C, narrowest
