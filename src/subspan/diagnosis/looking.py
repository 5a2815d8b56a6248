"""What can be seen in data before any fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from subspan.diagnosis.plausibility import Plausibility, plausibility
from subspan.sources import Source, open_source
from subspan.sources.checks import unit_rows
from subspan.sources.copies import first_occurrences
from subspan.subspaces import Spread

Level = Literal["good", "note", "look"]
Doubles = NDArray[np.float64]

MARKS: dict[Level, str] = {"good": "ok  ", "note": "note", "look": "LOOK"}
# Rows that are looked at, and rows read at a time while missing values are counted.
MOST_ROWS = 2000
BLOCK = 4096
# Columns named one by one.
MOST_NAMED = 8
# A column that spreads so many times more than the middle one drowns it.
UNEVEN_SCALES = 100
# Share of the energy that lies in the direction of the mean, from which on it hides what differs.
STRONG_MEAN = 0.5
# Longest row beside the middle one.
UNEVEN_NORMS = 100
# Share of rows that are copies, from which on it is worth a look.
MANY_COPIES = 0.1
# A subspace of dimension d is known from a few times d points.
POINTS_PER_DIMENSION = 4
# Share of the energy of a neighbourhood that its dimensions hold.
ENERGY = 0.95
NEIGHBOURHOOD = 20


@dataclass(frozen=True)
class DataSign:
    """One thing that was looked at: what was found, and what helps."""

    level: Level
    title: str
    text: str
    remedy: str = ""
    # Whether it is about copies, which a fit counts exactly.
    about_copies: bool = False

    def __str__(self) -> str:
        return f"{MARKS[self.level]}  {self.title}. {self.text}" + (f" {self.remedy}" if self.remedy else "")


@dataclass(frozen=True)
class Diagnosis:
    """All that was seen in the data; `print` shows it."""

    name: str
    shape: tuple[int, int]
    signs: tuple[DataSign, ...]
    # Numbers by name, as JSON takes them.
    facts: dict[str, Any]

    def __str__(self) -> str:
        rows, columns = self.shape
        return "\n".join([f"{self.name}: {rows} rows of {columns} numbers", *map(str, self.signs)])


def diagnose(X: Any) -> Diagnosis:
    """Look at data before any fit: what may harm a clustering, and what helps.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), path or source
        The points. All rows are searched for missing values; the rest is seen in at most 2000 of them.

    Returns
    -------
    Diagnosis
        `signs`, each with its remedy, and `facts`, the numbers behind them.

    Examples
    --------
    >>> from subspan import diagnose
    >>> from subspan.datasets import make_union_of_subspaces
    >>> X, _ = make_union_of_subspaces(3, 2, 20, 50, random_state=0)
    >>> found = diagnose(X)
    >>> found.facts["structure"], found.facts["dimension"]
    ('subspaces', 2)
    >>> print(found.signs[-1].title)
    The rows may lie near subspaces
    """
    source = open_source(X)
    n_missing, n_rows_missing = _missing(source)
    points = _sample(source)
    shown = np.abs(points).max(axis=1) > 0
    facts: dict[str, Any] = {
        "n_samples": source.shape[0],
        "n_features": source.shape[1],
        "missing_values": n_missing,
        "rows_with_missing_values": n_rows_missing,
        "zero_rows_in_sample": int((~shown).sum()),
        "rows_looked_at": len(points),
    }
    signs = [*_about_missing(n_missing, n_rows_missing), *_about_columns(points, source.columns, facts)]
    directions = points[shown]
    if len(directions) > NEIGHBOURHOOD and source.shape[1] > 1:
        signs += [*_about_rows(directions, facts), *_about_mean(directions, facts)]
        signs += [*_about_dimension(directions, facts), _about_structure(plausibility(directions), facts)]
    return Diagnosis(source.name, source.shape, tuple(signs), facts)


def _missing(source: Source) -> tuple[int, int]:
    """Values that are not finite, and rows that have any."""
    values = rows = 0
    for start in range(0, source.shape[0], BLOCK):
        strange = ~np.isfinite(source.rows(start, start + BLOCK))
        values, rows = values + int(strange.sum()), rows + int(strange.any(axis=1).sum())
    return values, rows


def _sample(source: Source) -> Doubles:
    n_rows = source.shape[0]
    chosen = np.sort(np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS])
    points = np.asarray(source.take(chosen), np.float64)
    return points[np.isfinite(points).all(axis=1)]


def _about_missing(n_values: int, n_rows: int) -> Iterator[DataSign]:
    if n_values:
        yield DataSign(
            "look",
            f"{n_values} value{' is' if n_values == 1 else 's are'} missing or not finite",
            f"Rows that have some: {n_rows}. A fit refuses them unless it is told what to do with them.",
            "missing='drop' (--missing drop) leaves these rows out, missing='mean' fills the gaps.",
        )
    else:
        yield DataSign("good", "No value is missing", "All numbers are finite.")


def _about_columns(points: Doubles, names: Sequence[str], facts: dict[str, Any]) -> Iterator[DataSign]:
    spreads = points.std(axis=0) if len(points) else np.zeros(points.shape[1])
    constant = spreads <= 1e-12 * np.maximum(np.abs(points).max(axis=0, initial=0), 1e-300)
    facts["constant_columns"] = [_column(names, j) for j in np.flatnonzero(constant).tolist()]
    if constant.any():
        named = ", ".join(facts["constant_columns"][:MOST_NAMED])
        more = f" and {constant.sum() - MOST_NAMED} more" if constant.sum() > MOST_NAMED else ""
        yield DataSign(
            "note",
            f"{constant.sum()} of {len(constant)} columns {'is' if constant.sum() == 1 else 'are'} constant",
            f"They are the same in all rows: {named}{more}.",
            "They tell nothing about clusters" + ("; leave them out (--exclude)." if names else "."),
        )
    lively = spreads[~constant]
    if not len(lively):
        return
    ratio = facts["largest_scale_to_median"] = float(lively.max() / np.median(lively))
    if ratio > UNEVEN_SCALES:
        widest = _column(names, int(np.argmax(np.where(constant, 0, spreads))))
        yield DataSign(
            "look",
            "Columns have very different scales",
            f"Column {widest} spreads {ratio:.3g} times as much as the middle one, and decides almost alone.",
            "Unless all are in the same unit, bring them to one scale: standardize=True (--standardize).",
        )
    else:
        yield DataSign(
            "good", "Columns have similar scales", f"The widest spreads {ratio:.3g} times the middle one."
        )


def _column(names: Sequence[str], place: int) -> str:
    return names[place] if names else str(place)


def _about_rows(points: Doubles, facts: dict[str, Any]) -> Iterator[DataSign]:
    norms = np.linalg.norm(points, axis=1)
    ratio = facts["largest_norm_to_median"] = float(norms.max() / np.median(norms))
    if ratio > UNEVEN_NORMS:
        yield DataSign(
            "look",
            "Some rows are far longer than others",
            f"The longest has {ratio:.3g} times the length of the middle one.",
            "Look for errors of measurement. Methods bring rows to length 1 unless normalize is off.",
        )
    copies = facts["share_of_copies"] = float(np.mean(first_occurrences(points) != np.arange(len(points))))
    if copies:
        yield DataSign(
            "look" if copies > MANY_COPIES else "note",
            f"{copies:.1%} of the rows are copies of another",
            "Copies share a label, and are represented once.",
            "If they are errors, remove them.",
            about_copies=True,
        )


def _about_mean(points: Doubles, facts: dict[str, Any]) -> Iterator[DataSign]:
    mean = unit_rows(points).mean(axis=0)
    share = facts["energy_of_the_mean"] = float(mean @ mean)
    if share > STRONG_MEAN:
        yield DataSign(
            "note",
            "All rows point in much the same direction",
            f"{share:.0%} of their energy lies along the mean, as with images or counts, which are never "
            "negative.",
            "If the result is poor, subtract the mean of each column: center=True (--center).",
        )


def _about_dimension(points: Doubles, facts: dict[str, Any]) -> Iterator[DataSign]:
    """The dimension of neighbourhoods, and what it asks of the number of rows."""
    units = unit_rows(points)
    similar = np.abs(units @ units.T)
    chosen = np.random.default_rng(0).permutation(len(units))[:50]
    near = np.argpartition(-similar[chosen], NEIGHBOURHOOD, axis=1)[:, :NEIGHBOURHOOD]
    dimension = facts["dimension"] = round(float(np.median([_dimension(units[rows]) for rows in near])))
    needed = facts["rows_per_cluster_needed"] = POINTS_PER_DIMENSION * dimension
    most = facts["clusters_at_most"] = max(1, facts["n_samples"] // needed)
    yield DataSign(
        "good" if most >= 2 else "look",
        f"Neighbouring rows span about {dimension} dimension{'s' * (dimension > 1)}",
        f"A cluster of that dimension needs {needed} rows or more: at most {most} "
        f"cluster{'s' * (most > 1)} with {facts['n_samples']} rows.",
        ""
        if most >= 2
        else "Reduce the number of columns first, for example by principal components: pca=10 (--pca 10).",
    )


def _dimension(points: Doubles) -> int:
    energies = np.cumsum(Spread(points).squared_singular_values())
    return int(np.searchsorted(energies, ENERGY * energies[-1])) + 1


def _about_structure(found: Plausibility, facts: dict[str, Any]) -> DataSign:
    facts["structure"] = found.structure
    facts["left_beside_chance"] = found.best_ratio
    if found.structure == "subspaces":
        return DataSign(
            "good",
            "The rows may lie near subspaces",
            "Each is nearly a combination of a few others: the difference is "
            f"{found.best_ratio:.0%} of that in random data of the same shape.",
        )
    if found.structure == "compact groups":
        return DataSign(
            "look",
            "The rows look like compact groups, not like subspaces",
            "One neighbour represents a row well, and a second one adds little.",
            "k-means may do as well: try KMeans of scikit-learn.",
        )
    return DataSign(
        "look",
        "No subspaces can be seen",
        "Rows are combinations of others no more than in random data of the same shape.",
        "Other columns or features may show them. Do not trust clusters found in these.",
    )
