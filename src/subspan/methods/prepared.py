"""Methods that prepare the rows themselves, and remember how."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from subspan.base import Settled, SubspaceMethod
from subspan.execution.workplace import Workplace
from subspan.handover import InputError
from subspan.model.preparation import PreparedRows, Wishes, complete_rows, learn_preparation
from subspan.parameters import Prepares
from subspan.points import Points
from subspan.sources import ArraySource, Source, in_memory, unpacked_source
from subspan.sources.scanning import MissingNumbersError
from subspan.sources.views import Subset


class PreparesRows(Prepares, SubspaceMethod):
    """Learns a preparation from the data, which the model applies to new rows."""

    @property
    def _wishes(self) -> Wishes:
        return Wishes(bool(self.center), bool(self.standardize), self.pca, self.missing)

    def _open(self, X: Any, workplace: Workplace) -> tuple[Source, Settled]:
        source, settled = super()._open(X, workplace)
        if not self._wishes.any:
            return source, settled
        complete = Subset(source, complete_rows(source)) if self.missing == "drop" else source
        return source, replace(settled, preparation=learn_preparation(complete, self._wishes))

    def _read(self, source: Source, settled: Settled) -> Points:
        if not self._wishes.any:
            try:
                return super()._read(source, settled)
            except MissingNumbersError as error:
                raise InputError("{} {missing} leaves such rows out.", error, missing="drop") from None
        source = unpacked_source(source)
        kept = complete_rows(source) if self.missing == "drop" else None
        prepared: Source = PreparedRows(source if kept is None else Subset(source, kept), settled.preparation)
        if isinstance(source, ArraySource):
            prepared = in_memory(prepared)
        points = super()._read(prepared, settled)
        return points if kept is None else points.among(kept, source.shape[0])
