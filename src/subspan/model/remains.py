"""What remains of a fit: enough to label new rows, and nothing that grows with the square of the data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from subspan.execution.threads import n_threads
from subspan.execution.workplace import Workplace
from subspan.handover import InputError
from subspan.model import asking
from subspan.model.asking import BLOCK_ROWS, BLOCKS_PER_FILE, Answer, Question, workplace_of
from subspan.model.bases import ClusterSubspace, cluster_subspaces
from subspan.model.coding import Coder, Coding
from subspan.model.extension import Extension
from subspan.model.known_rows import KnownRows
from subspan.model.preparation import Preparation
from subspan.model.rules import Scorer, code_scorer, subspace_scorer
from subspan.sources import Source, open_source, with_constant
from subspan.sources.checks import unit_rows

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

RULES = ("code", "subspace")
NO_EXTENSION = (
    "transform: the graph of {} is not made of the coefficients that a new row has, so new rows have no "
    "place in the embedding; membership gives them coordinates."
)


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
    # Whether a row and its constant are then brought to unit norm.
    unit_lift: bool = False
    # Flats of the clusters: whether they may miss the origin, and their dimension where it is given.
    affine: bool = False
    dimension: int | None = None
    # Share of a row's coefficients that makes its edges.
    keep: float = 1.0


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
    # The eigenvectors of the graph, where they can be extended to new rows.
    extension: Extension | None = None
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

    def predict(
        self,
        X: Any,
        *,
        rule: str | None = None,
        n_jobs: int | None = None,
        executor: Any = None,
        work_dir: str | PathLike[str] | None = None,
    ) -> Labels:
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
        executor : dask.distributed.Client, optional
            A cluster whose workers read and label the rows. They need a file that all of them reach; rows in
            memory are written to one.
        work_dir : path, optional
            With a cluster: the folder that all workers reach, where their answers pass through.

        Returns
        -------
        array of shape (n_rows,)
            -1 for zero rows, and for rows with missing entries, where the model labels them so.
        """
        together = 1 if executor is None else BLOCKS_PER_FILE
        question = self._question(X, self._checked_rule(rule), asking.labels, np.full((), -1))
        return replace(question, together=together).answered(workplace_of(n_jobs, executor, work_dir))

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
        equal = np.full(self.n_clusters_, 1 / self.n_clusters_)
        question = self._question(X, self._checked_rule(rule), asking.memberships, equal)
        return question.answered(Workplace(n_threads(n_jobs)))

    def outlier_score(self, X: Any, *, rule: str | None = None, n_jobs: int | None = None) -> Doubles:
        """Share of each row's length that the model cannot explain: 0 for a row within, 1 for a stranger.

        By the rule "code" that is the residual of the code, and a row of the fit is not represented by
        itself; by the rule "subspace" the distance to the nearest subspace. Rows with the label -1 have 1.

        Parameters
        ----------
        X, rule, n_jobs
            As for `predict`.

        Returns
        -------
        array of shape (n_rows,)
        """
        question = self._question(X, self._checked_rule(rule), asking.outlier_scores, np.ones(()))
        return question.answered(Workplace(n_threads(n_jobs)))

    def transform(self, X: Any, *, n_jobs: int | None = None) -> Doubles:
        """The place of each new row in the embedding of the fit.

        The `transform` of estimators says how, and what of it is exact.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source
        n_jobs : int, optional
            As for `predict`.

        Returns
        -------
        array of shape (n_rows, n_components)
            Rows of unit length. A row of zeros has the label -1, or its atoms were left out of the embedding.
        """
        if self.extension is None:
            raise InputError(NO_EXTENSION, self.facts["method"])
        question = self._question(X, None, asking.places, np.zeros(len(self.extension.eigenvalues)))
        return question.answered(Workplace(n_threads(n_jobs)))

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

    def _question(self, X: Any, rule: str | None, answer: Answer, otherwise: NDArray[Any]) -> Question:
        """A question about these rows, once it is certain that they fit the model."""
        source = open_source(X)
        self._check_columns(source)
        return Question(self, source, rule, answer, otherwise)

    def _checked_rule(self, rule: str | None) -> str:
        """The rule asked for, or that of the method."""
        chosen = rule or self.habits.rule
        if chosen not in RULES:
            raise InputError("{rule} must be 'code' or 'subspace'.", rule=rule)
        if chosen == "code" and self.coding is None:
            raise InputError(
                "{rule}: {} represents no new rows by others; use the rule 'subspace'.",
                self.facts["method"],
                rule=rule,
            )
        return chosen

    def scorer(self, rule: str, n_rows: int, threads: int) -> Scorer:
        """What scores rows by a rule; made for about `n_rows` rows, or had from an earlier call."""
        key = (rule, n_rows < BLOCK_ROWS)
        if key not in self._made:
            self._made[key] = (
                self._subspace_scorer()
                if rule == "subspace" or self.coding is None
                else code_scorer(self.coder(n_rows, threads), self.atoms, self.atom_labels)
            )
        found: Scorer = self._made[key]
        return found

    def coder(self, n_rows: int, threads: int) -> Coder:
        """What codes rows; made for about `n_rows` rows, or had from an earlier call."""
        assert self.coding is not None
        key = ("coder", n_rows < BLOCK_ROWS)
        if key not in self._made:
            self._made[key] = self.coding.coder(self.atoms, n_rows, threads)
        found: Coder = self._made[key]
        return found

    def _subspace_scorer(self) -> Scorer:
        """Distances are those of the rows themselves, without a constant."""
        score = subspace_scorer(self.subspaces_)
        return lambda rows, own: score(self._unlifted(rows), own)

    def lifted(self, rows: Floats) -> Floats:
        """Prepared rows as the method has seen them: with a constant, for flats off the origin."""
        if self.center is None:
            return rows
        habits = self.habits
        return with_constant(rows, self.center, habits.length, habits.constant, unit=habits.unit_lift)

    def _unlifted(self, rows: Floats) -> Floats:
        """The rows back again, up to rounding."""
        if self.center is None:
            return rows
        factors = self.habits.length * (self.habits.constant / rows[:, -1:])
        return rows[:, :-1] * factors + self.center

    def points_of(self, rows: Floats) -> Labels:
        """The point of the fit that each prepared row is equal to, or -1."""
        if "known" not in self._made:
            self._made["known"] = KnownRows(self.digests)
        known: KnownRows = self._made["known"]
        return known.find(rows)

    def atoms_of(self, points: Labels) -> Labels:
        """The atom that each point is, or -1."""
        place = np.minimum(np.searchsorted(self.atom_points, points), len(self.atom_points) - 1)
        return np.where(self.atom_points[place] == points, place, -1)

    def prepared(self, source: Source, start: int, stop: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Rows start to stop as the fit has seen its own, and which of them can be used."""
        raw = source.rows(start, stop)
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
