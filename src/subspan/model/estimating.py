"""What every fitted estimator can do with new rows, through the model that remains of its fit."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from subspan.handover import Embedding, InputError
from subspan.model.atoms import choose_atoms
from subspan.model.bases import ClusterSubspace
from subspan.model.coding import Coding
from subspan.model.extension import Extension
from subspan.model.preparation import Preparation
from subspan.model.remains import NO_EXTENSION, Habits, Model
from subspan.points import Points
from subspan.sources import Source

PLAIN = (str, int, float, bool, type(None))


class PredictsNewRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Labels for rows that were not there when an estimator was fitted."""

    model_: Model | None
    labels_: NDArray[np.int64]
    n_components_: int

    @property
    def _extends(self) -> bool:
        """Whether the edges of a point are its coefficients, which a new row can have, too."""
        return False

    def _coding(self, n_features: int) -> Coding | None:
        """The problem whose solution is the code of a new row; None if the method has no such problem."""
        return None

    def _habits(self) -> Habits:
        """How the model treats rows."""
        raise NotImplementedError

    def _new_rows(self, X: Any) -> Source:
        """New rows after the checks of scikit-learn."""
        raise NotImplementedError

    def predict(self, X: ArrayLike, *, rule: str | None = None, executor: Any = None) -> NDArray[np.int64]:
        """The cluster of each new row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source
            Read block by block. A row that is equal to one of the fit gets the label of that one.
        rule : {"code", "subspace"}, optional
            The row is represented by atoms of the fit, and goes to the cluster whose atoms leave the least of
            it; or it goes to the nearest subspace. By default the first, where the method has such a code.
        executor : dask.distributed.Client, optional
            A cluster whose workers label the rows. The estimator needs a `work_dir` then, a folder that all
            of them reach; for other methods use the `predict` of `model_`.

        Returns
        -------
        array of shape (n_rows,)
            -1 for zero rows, with ``zero_rows="label"``.

        Examples
        --------
        >>> from subspan import SSCOMP
        >>> from subspan.datasets import make_union_of_subspaces
        >>> X, _ = make_union_of_subspaces(3, 2, 20, 40, random_state=0)
        >>> model = SSCOMP(3, n_nonzero=2, random_state=0).fit(X[::2])
        >>> bool((model.predict(X[::2]) == model.labels_).all())
        True
        """
        model = self._remaining("predict")
        return model.predict(
            self._new_rows(X),
            rule=rule,
            n_jobs=self._n_jobs,
            executor=executor,
            work_dir=getattr(self, "work_dir", None),
        )

    def membership(self, X: ArrayLike, *, rule: str | None = None) -> NDArray[np.float64]:
        """How much each cluster claims of each new row: rows sum to 1, and the largest is the label.

        The weights rank clusters; they are no probabilities. Rows of the fit have at least one half for the
        label that they got there. Rows with the label -1 have equal weights.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source
        rule : {"code", "subspace"}, optional
            As for `predict`.

        Returns
        -------
        array of shape (n_rows, n_clusters)
        """
        model = self._remaining("membership")
        return model.membership(self._new_rows(X), rule=rule, n_jobs=self._n_jobs)

    def outlier_score(self, X: ArrayLike, *, rule: str | None = None) -> NDArray[np.float64]:
        """Share of each row's length that the model cannot explain: 0 for a row within, 1 for a stranger.

        Parameters
        ----------
        X, rule
            As for `predict`.

        Returns
        -------
        array of shape (n_rows,)
        """
        model = self._remaining("outlier_score")
        return model.outlier_score(self._new_rows(X), rule=rule, n_jobs=self._n_jobs)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The place of each new row in the embedding of the fit.

        The edges of a new row are the magnitudes of its code over the atoms, and the eigenvectors of the
        graph are extended along them, as Nystrom's method does. Only methods whose graph is made of such
        coefficients have this.

        A row that is equal to an atom has its row of `embedding_`, up to rounding. Any other row has the
        place that its own coefficients give it. In a fit, other points would have coefficients on it as well:
        if none had, its place would be the same, otherwise it is near.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), path or source

        Returns
        -------
        array of shape (n_rows, n_components)
            Rows of unit length. A row of zeros has the label -1, or its atoms were left out of the embedding.

        Examples
        --------
        >>> from subspan import SSCOMP
        >>> from subspan.datasets import make_union_of_subspaces
        >>> X, _ = make_union_of_subspaces(4, 2, 20, 40, random_state=0)
        >>> model = SSCOMP(4, n_nonzero=2, random_state=0).fit(X[::2])
        >>> model.transform(X[1::2]).shape
        (80, 4)
        >>> bool(np.allclose(model.transform(X[::2]), model.embedding_))
        True
        """
        return self._remaining("transform").transform(self._new_rows(X), n_jobs=self._n_jobs)

    def fit_transform(self, X: ArrayLike, y: object = None) -> NDArray[np.float64]:
        """Cluster the rows of `X` and return their places in the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), path or source
        y : ignored

        Returns
        -------
        array of shape (n_samples, n_components)
            As `transform` gives them; `embedding_`, but that copies of a row have the place of the first.
        """
        places: NDArray[np.float64] = self.fit(X).transform(X)
        return places

    @property
    def _n_features_out(self) -> int:
        """Columns of what `transform` returns, for scikit-learn."""
        return self.n_components_

    @property
    def subspaces_(self) -> list[ClusterSubspace]:
        """The subspace of each cluster: mean if affine, basis, dimension, energy."""
        return self._remaining("subspaces_").subspaces_

    def save(self, path: str | PathLike[str]) -> Path:
        """Write what `predict` needs to one file, which `subspan.load` reads in another process.

        Parameters
        ----------
        path : path
            By custom it ends in .subspan. The file is there as a whole or not at all.

        Returns
        -------
        Path
            Of the file.

        Examples
        --------
        >>> import subspan, tempfile
        >>> X = np.random.default_rng(0).standard_normal((20, 5))
        >>> fitted = subspan.LSR(2, random_state=0).fit(X)
        >>> path = fitted.save(Path(tempfile.mkdtemp()) / "two.subspan")
        >>> subspan.load(path)
        Model(LSR: 2 clusters of 20 rows with 5 columns, 20 atoms)
        """
        return self._remaining("save").save(path)

    @property
    def _n_jobs(self) -> int | None:
        threads: int | None = getattr(self, "n_jobs", None)
        return threads

    def _remaining(self, wish: str) -> Model:
        """The model, if the fit has left one."""
        check_is_fitted(self, "labels_")
        if self.model_ is None:
            raise InputError(
                f"{wish}: the fit has seen no rows, only coefficients or a graph, and cannot judge new rows."
            )
        return self.model_

    def _model_of(self, points: Points, embedding: Embedding, seed: int, preparation: Preparation) -> Model:
        """What remains of a fit to these points."""
        labels = self.labels_[points.row_of_point]
        chosen = choose_atoms(labels, seed)
        coding, habits, lift = self._coding(points.source.shape[1]), self._habits(), points.lift
        if coding is None:
            habits = replace(habits, rule="subspace")
        if lift is not None:
            habits = replace(
                habits,
                affine=True,
                constant=float(lift.constant),
                length=float(lift.length),
                unit_lift=lift.unit,
            )
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = points.source.columns[: points.source.shape[1] - (lift is not None)]
        rows = points.row_of_point[chosen]
        return Model(
            facts=self._facts(seed),
            habits=habits,
            coding=coding,
            preparation=preparation,
            columns=tuple(map(str, names)),
            labels_=self.labels_,
            digests=points.digests,
            point_labels=labels,
            atom_points=chosen,
            atoms=np.ascontiguousarray(points.source.take(chosen)),
            atom_rows=rows,
            center=None if lift is None else lift.mean,
            extension=Extension.of(embedding, rows) if self._extends else None,
        )

    def _facts(self, seed: int) -> dict[str, Any]:
        """Where the model comes from, in plain values."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        plain = {name: _plain(value) for name, value in parameters.items()}
        return {
            "method": type(self).__name__,
            "parameters": plain,
            "seed": seed,
            "version": version("subspan"),
        }


def _has_transform(estimator: PredictsNewRows) -> bool:
    """Refuses where there is no `transform`, as scikit-learn wants it: the estimator lacks the attribute."""
    if not estimator._extends:
        raise AttributeError(NO_EXTENSION.format(type(estimator).__name__))
    return True


# Only now: scikit-learn wraps both for `set_output` when the class is made, and would lose the condition.
for _name in ("transform", "fit_transform"):
    setattr(PredictsNewRows, _name, available_if(_has_transform)(getattr(PredictsNewRows, _name)))


def _plain(value: Any) -> Any:
    """A parameter as JSON can have it."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, PLAIN) else str(value)
