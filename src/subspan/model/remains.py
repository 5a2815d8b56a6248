"""What remains of a fit: enough to label new rows, and nothing that grows with the square of the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import n_threads, run_in_threads
from subspan.handover import InputError
from subspan.model.bases import ClusterSubspace, cluster_subspaces
from subspan.model.coding import Coding
from subspan.model.known_rows import KnownRows
from subspan.model.preparation import Preparation
from subspan.model.rules import Scorer, code_scorer, subspace_scorer
from subspan.sources import Source, open_source
from subspan.sources.checks import unit_rows

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

RULES = ("code", "subspace")
# Rows that one task answers: bounds its memory, and changes no bit of the answers.
BLOCK_ROWS = 512


@dataclass(frozen=True)
class Habits:
    """How a model treats rows; plain values, kept in the file as they are."""

    normalize: bool = True
    zero_rows: str = "raise"
    # Whether a zero row is of no use to the method.
    needs_directions: bool = True
    # The rule unless the caller says otherwise.
    rule: str = "code"
    # Beside rows that are shifted and divided by a length, for flats off the origin; 0 if nothing is.
    constant: float = 0.0
    length: float = 1.0
    # Flats of the clusters: whether they may miss the origin, and their dimension where it is given.
    affine: bool = False
    dimension: int | None = None


@dataclass(eq=False)
class Model:
    """What remains of a fit. Estimators have it as `model_`; `subspan.load` gives it back from a file.

    Attributes
    ----------
    facts : dict
        Method, parameters, size of the data, version.
    labels_ : array of shape (n_samples,)
        Of the rows of the fit.
    n_clusters_ : int
    subspaces_ : list of ClusterSubspace
        One for each cluster.

    Examples
    --------
    >>> from subspan import LSR
    >>> from subspan.datasets import make_union_of_subspaces
    >>> X, _ = make_union_of_subspaces(3, 2, 20, 40, random_state=0)
    >>> model = LSR(3, random_state=0).fit(X[::2]).model_
    >>> model
    Model(LSR: 3 clusters of 60 rows with 20 columns, 60 atoms)
    >>> model.predict(X[1::2]).shape
    (60,)
    """

    facts: dict[str, Any]
    habits: Habits
    coding: Coding | None
    preparation: Preparation
    # Names of the columns; empty if they have none.
    columns: tuple[str, ...]
    labels_: Labels
    # Hash and label of each point, and which of the points the atoms are.
    digests: NDArray[np.uint64]
    point_labels: Labels
    atom_points: Labels
    atoms: Floats
    # Rows of the atoms in the data of the fit.
    atom_rows: Labels
    # (n_features,) what is taken from rows before the constant is put beside them.
    center: Doubles | None = None
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        size = f"{len(self.labels_)} rows with {self.n_features} columns"
        clusters = f"{self.n_clusters_} clusters of {size}"
        return f"Model({self.facts['method']}: {clusters}, {len(self.atoms)} atoms)"

    def __getstate__(self) -> dict[str, Any]:
        # What can be made again is neither pickled nor copied.
        return {**self.__dict__, "_made": {}}

    @property
    def n_features(self) -> int:
        """Columns that new rows must have."""
        return self.preparation.n_features_in(self.atoms.shape[1] - (self.center is not None))

    @property
    def n_clusters_(self) -> int:
        """Number of clusters."""
        return int(self.atom_labels.max()) + 1

    @property
    def atom_labels(self) -> Labels:
        """Clusters of the atoms."""
        return self.point_labels[self.atom_points]

    @property
    def subspaces_(self) -> list[ClusterSubspace]:
        """The subspace of each cluster, computed from its atoms when first asked for."""
        if "subspaces" not in self._made:
            self._made["subspaces"] = cluster_subspaces(
                self._unlifted(self.atoms),
                self.atom_labels,
                self.atom_rows,
                affine=self.habits.affine,
                dimension=self.habits.dimension,
            )
        found: list[ClusterSubspace] = self._made["subspaces"]
        return found

    def predict(self, X: Any, *, rule: str | None = None, n_jobs: int | None = None) -> Labels:
        """The cluster of each new row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source
            Read block by block. A row that is equal to one of the fit gets the label of that one.
        rule : {"code", "subspace"}, optional
            The row is represented by the atoms, and goes to the cluster whose atoms leave the least of it; or
            it goes to the nearest subspace. By default the first, where the method has such a code.
        n_jobs : int, optional
            Threads; every core by default. The result does not depend on them.

        Returns
        -------
        array of shape (n_rows,)
            -1 for zero rows, and for rows with missing entries, where the model labels them so.
        """
        scorer = self._scorer_of(rule)

        def labels(rows: Floats, point: Labels, answer: Scorer) -> Labels:
            out = np.where(point >= 0, self.point_labels[point], -1)
            new = np.flatnonzero(point < 0)
            if len(new):
                weights = answer(rows[new], np.full(len(new), -1)).weights()
                out[new] = weights.argmax(axis=1)
            return out

        return self._answers(X, scorer, labels, np.full((), -1), n_jobs)

    def membership(self, X: Any, *, rule: str | None = None, n_jobs: int | None = None) -> Doubles:
        """How much each cluster claims of each new row: rows sum to 1, and the largest is the label.

        The weights rank clusters; they are no probabilities. Rows of the fit have at least one half for the
        label that they got there. Rows with the label -1 have equal weights.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source
        rule, n_jobs : optional
            As for `predict`.

        Returns
        -------
        array of shape (n_rows, n_clusters)
        """
        n_clusters = self.n_clusters_

        def weights(rows: Floats, point: Labels, answer: Scorer) -> Doubles:
            out = answer(rows, self._atom_of(point)).weights()
            known = np.flatnonzero(point >= 0)
            labels = self.point_labels[point[known]]
            out[known] *= 0.5
            out[known, labels] += 0.5
            out[known[labels < 0]] = 1 / n_clusters
            return out

        return self._answers(X, self._scorer_of(rule), weights, np.full(n_clusters, 1 / n_clusters), n_jobs)

    def outlier_score(self, X: Any, *, rule: str | None = None, n_jobs: int | None = None) -> Doubles:
        """Share of each row's length that the model cannot explain: 0 for a row within, 1 for a stranger.

        By the rule "code" that is the residual of the code, and a row of the fit is not represented by
        itself; by the rule "subspace" the distance to the nearest subspace. Rows with the label -1 have 1.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source
        rule, n_jobs : optional
            As for `predict`.

        Returns
        -------
        array of shape (n_rows,)
        """

        def outliers(rows: Floats, point: Labels, answer: Scorer) -> Doubles:
            return answer(rows, self._atom_of(point)).outliers()

        return self._answers(X, self._scorer_of(rule), outliers, np.ones(()), n_jobs)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the model to one file, which is there as a whole or not at all.

        Parameters
        ----------
        path : path
            By custom it ends in .subspan.

        Returns
        -------
        Path
            Of the file; `subspan.load` reads it.
        """
        from subspan.model.storing import write_model

        return write_model(self, Path(path).expanduser())

    def _answers(
        self,
        X: Any,
        scorer: Callable[[int, int], Scorer],
        answer: Callable[[Floats, Labels, Scorer], NDArray[Any]],
        otherwise: NDArray[Any],
        n_jobs: int | None,
    ) -> NDArray[Any]:
        """Answers about all rows, block by block; `otherwise` for rows that have none."""
        source = open_source(X)
        self._check_columns(source)
        n_rows = source.shape[0]
        threads = n_threads(n_jobs)
        score = scorer(n_rows, threads)
        out = np.empty((n_rows, *otherwise.shape), otherwise.dtype)

        def task(start: int) -> None:
            rows, usable = self._prepared(source, start)
            part = np.broadcast_to(otherwise, (len(usable), *otherwise.shape)).copy()
            if len(rows):
                part[usable] = answer(self._lifted(rows), self._known.find(rows), score)
            out[start : start + len(part)] = part

        for _ in run_in_threads(task, range(0, n_rows, BLOCK_ROWS), threads, "blocks of rows"):
            pass
        return out

    def _scorer_of(self, rule: str | None) -> Callable[[int, int], Scorer]:
        """How a scorer by this rule is made, or had from an earlier call."""
        chosen = rule or self.habits.rule
        if chosen not in RULES:
            raise InputError("{rule} must be 'code' or 'subspace'.", rule=rule)
        coding = self.coding
        if chosen == "code" and coding is None:
            raise InputError(
                "{rule}: {} represents no new rows by others; use the rule 'subspace'.",
                self.facts["method"],
                rule=rule,
            )

        def make(n_rows: int, threads: int) -> Scorer:
            key = (chosen, n_rows < BLOCK_ROWS)
            if key not in self._made:
                self._made[key] = (
                    self._subspace_scorer()
                    if chosen == "subspace" or coding is None
                    else code_scorer(coding.coder(self.atoms, n_rows, threads), self.atoms, self.atom_labels)
                )
            found: Scorer = self._made[key]
            return found

        return make

    def _subspace_scorer(self) -> Scorer:
        """Distances are those of the rows themselves, without a constant."""
        score = subspace_scorer(self.subspaces_)
        return lambda rows, own: score(self._unlifted(rows), own)

    def _lifted(self, rows: Floats) -> Floats:
        """Rows as the method has seen them: with a constant, if it looks for flats off the origin."""
        if self.center is None:
            return rows
        out = np.full((len(rows), rows.shape[1] + 1), self.habits.constant, rows.dtype)
        out[:, :-1] = (rows - self.center) / self.habits.length
        return out

    def _unlifted(self, rows: Floats) -> Floats:
        """The rows back again, up to rounding."""
        return rows if self.center is None else rows[:, :-1] * self.habits.length + self.center

    @property
    def _known(self) -> KnownRows:
        if "known" not in self._made:
            self._made["known"] = KnownRows(self.digests)
        found: KnownRows = self._made["known"]
        return found

    def _atom_of(self, point: Labels) -> Labels:
        """The atom that each point is, or -1."""
        place = np.minimum(np.searchsorted(self.atom_points, point), len(self.atom_points) - 1)
        return np.where(self.atom_points[place] == point, place, -1)

    def _prepared(self, source: Source, start: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Rows of a block as the fit has seen its own, and which rows of the block they are."""
        raw = source.rows(start, start + BLOCK_ROWS)
        rows, usable = self.preparation.apply(raw, source, start)
        rows = np.ascontiguousarray(rows, self.atoms.dtype)
        sizes = np.abs(rows).max(axis=1, initial=0)
        if not np.isfinite(sizes).all():
            bad = int(np.flatnonzero(usable)[np.flatnonzero(~np.isfinite(sizes))[0]]) + start
            raise InputError(f"{source.name}: row {bad} contains NaN or inf.")
        if self.habits.needs_directions:
            empty = sizes < np.finfo(rows.dtype).tiny
            if empty.any() and self.habits.zero_rows == "raise":
                raise InputError(
                    "{}: row {} is zero and has no direction; remove it, or fit with {zero_rows} to give "
                    "such rows the label -1.",
                    *(source.name, start + int(np.flatnonzero(usable)[np.flatnonzero(empty)[0]])),
                    zero_rows="label",
                )
            rows = rows[~empty]
            usable[usable] = ~empty
        return (unit_rows(rows) if self.habits.normalize and len(rows) else rows), usable

    def _check_columns(self, source: Source) -> None:
        n_columns = source.shape[1]
        if n_columns != self.n_features:
            raise InputError(
                f"{source.name}: has {n_columns} columns, but the model was fitted on {self.n_features}."
            )
        differing = [
            (known, given)
            for known, given in zip(self.columns, source.columns, strict=False)
            if known != given
        ]
        if differing:
            known, given = differing[0]
            raise InputError(f"{source.name}: has a column {given!r} where the model has {known!r}.")
